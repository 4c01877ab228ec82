"""Tree search guided by an evaluator, in many games at once: what `puct` plays by and AlphaZero learns from.

One tree per game; the leaves of all games are judged together, by any `Evaluator`, once per simulation.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Weights
from . import gumbel
from .caution import Caution
from .clock import ANY, run_until
from .evaluators import Evaluator, Handmade, Playouts
from .forest import Forest, proven
from .knowledge import Examiner
from .lookout import Lookout
from .puct_kernels import (
    Asked,
    Halving,
    Leaves,
    Planted,
    Scratch,
    Terms,
    cut_rows,
    gather_rows,
    select_rows,
    stir_rows,
    update_rows,
    value_rows,
)
from .tree import DEPTH, TIMED_NODES, children, expected_line

MOST_NODES = 4_000_000  # largest tree, unless `nodes` asks for more
UNPLANNED = Halving(np.zeros((0, 0), np.int64), np.zeros((0, 0)), 0.0, 0.0)


PARAMS: dict[str, Param] = {
    "c": Param(3.5, "weight of exploration, for values in [-1, 1]", low=0.0, high=1000.0),
    "fpu": Param(0.0, "what a move not yet visited is held to be worth (backup=leaf)", low=-2.0, high=1.0),
    "fpu_from": Param("zero", "fpu is that value, or is added to that of the position", choices=("zero", "parent")),
    "backup": Param("leaf", "value a leaf alone, or all boards after its moves as well", choices=("leaf", "children")),
    "chance": Param("sample", "value dice by what is drawn, or average outcomes", choices=("sample", "expected")),
    "root": Param(
        "puct", "at the root puct as everywhere else, or Gumbel's sequential halving", choices=("puct", "gumbel")
    ),
    "considered": Param(16, "moves at the root that root=gumbel begins with", low=1, high=1000),
    "c_visit": Param(50.0, "root=gumbel: visits added before values are weighed", low=0.0, high=1e6),
    "c_scale": Param(1.0, "root=gumbel: weight that each visit gives to values", low=0.0, high=1e6),
}
"""The parameters of a search that an evaluator guides; `read_settings` reads them."""


class Settings(NamedTuple):
    """How to search: the weight `c` of exploration; what an unvisited move is held to be worth, `fpu`, by itself or
    `relative` to what its position is worth; whether every move is `valued` when its position is opened and dice are
    `averaged`; whether the part of a tree that was played is kept (`reuse`); the size of a tree (`nodes`, 0: enough);
    among how many moves Gumbel's rule halves the simulations at the root (`considered`, 0: it does not), and the two
    constants for how much values weigh there; how many positions a search for proofs meets in a leaf (`proofs`, 0:
    there is none); the visits after which a position is examined for who wins and which moves matter (`examine`, 0:
    never; roots are examined at once).
    """

    c: float = 3.5
    fpu: float = 0.0
    relative: bool = False
    valued: bool = False
    averaged: bool = False
    reuse: bool = True
    nodes: int = 0
    considered: int = 0
    c_visit: float = 50.0
    c_scale: float = 1.0
    proofs: int = 0
    examine: int = 0

    def terms(self, game: Game) -> Terms:
        """Return the settings as kernels take them."""
        proves = self.proofs > 0 or self.examine > 0
        return Terms(self.c, self.fpu, self.relative, self.valued, self.averaged, proves, game.low, game.high)


def make_scratch(game: Game) -> Scratch:
    """Allocate room for what kernels work out about one position."""
    return Scratch(
        np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes)), np.zeros(game.seats, np.float32)
    )


def read_settings(values: Mapping[str, Any], *, reuse: bool = True, nodes: int = 0) -> Settings:
    """Read the values of `PARAMS` as settings."""
    return Settings(
        c=values["c"],
        fpu=values["fpu"],
        relative=values["fpu_from"] == "parent",
        valued=values["backup"] == "children",
        averaged=values["chance"] == "expected",
        reuse=reuse,
        nodes=nodes,
        considered=values["considered"] if values["root"] == "gumbel" else 0,
        c_visit=values["c_visit"],
        c_scale=values["c_scale"],
        proofs=values.get("proofs", 0),
        examine=values.get("examine", 0),
    )


class Noise(NamedTuple):
    """What is drawn at the roots of m games: the share (m,) of the priors that is to be noise, and that noise (m,
    actions), summing to 1 over the legal actions; or Gumbel noise (m, actions), for which the share is not used.
    """

    share: np.ndarray
    drawn: np.ndarray


class Moves(NamedTuple):
    """What is known of the moves at m roots, each (m, actions), as `Searched` has it: visits, worth, priors, and which
    are eligible.
    """

    visits: np.ndarray
    worth: np.ndarray
    priors: np.ndarray
    eligible: np.ndarray


class Searched(NamedTuple):
    """What a search found in m games: how often each eligible action was visited, int64 (m, actions); what the visited
    ones are worth to the mover in [-1, 1], NaN for the others, float64 (m, actions); the value of the position (m,),
    the mean of its visits or the worth of Gumbel's improved policy; the policy (m, actions) to learn from, the shares
    of visits or that improved one; the action (m,) to play; the priors (m, actions) that the search began with; and
    which actions are eligible, bool (m, actions): not those that are known to lose, where there are others. Where no
    eligible action was visited, the likeliest counts as visited once, and as worth what the position was judged to be.
    """

    visits: np.ndarray
    worth: np.ndarray
    value: np.ndarray
    policy: np.ndarray
    action: np.ndarray
    priors: np.ndarray
    eligible: np.ndarray


class GuidedSearch:
    """Searches games of one kind with an evaluator; the trees of rows that come again are kept."""

    def __init__(
        self, game: Game, evaluator: Evaluator | Handmade | Playouts, settings: Settings, sims: int = 0
    ) -> None:
        """Make room for `sims` simulations per decision, 0 where they are limited by time."""
        self.game, self.evaluator, self.settings = game, evaluator, settings
        enough = min(2 * sims * (game.actions + 1 + game.chance_outcomes), MOST_NODES) if sims else TIMED_NODES
        # The root and its moves fit into any tree.
        self.forest = Forest(game, max(settings.nodes or enough, 1 + game.actions))
        self.spent = 0.0
        """Seconds in kernels so far, where the evaluator is asked from outside them."""
        self.terms = settings.terms(game)
        if settings.proofs and settings.valued:
            raise BoyiError("proofs work only with backup=leaf")
        self.lookout = Lookout(game, settings.proofs) if settings.proofs else None
        if settings.examine and (settings.valued or isinstance(evaluator, Handmade | Playouts)):
            raise BoyiError("examine works only with backup=leaf and a network")
        self.examiner = Examiner(game) if settings.examine else None

    def search(
        self,
        view: View,
        sims: int | np.ndarray,
        *,
        seconds: float = 0.0,
        noise: Noise | None = None,
    ) -> Searched:
        """Search every game of a view with `sims` simulations, one number or one for each (m,), as far as clocks allow.

        With `seconds` above 0 each game gets that time instead, however many simulations fit into it. The first
        simulation of a new tree opens its root. Without Gumbel noise, halving takes the likeliest moves.
        """
        m, game, settings = view.row.size, self.game, self.settings
        started = time.perf_counter()
        until = started + sum(view.seconds(k, seconds) for k in range(m))
        wins = np.full(m, -1) if self.lookout is None else self.lookout.wins(view.states)
        sight = None if self.examiner is None else self.examiner.look(view.states)
        if sight is not None:
            wins = np.where(sight.wins >= 0, sight.wins, wins)
        # The first simulation opens the root; a game already won needs no more.
        counts = np.where(wins >= 0, 1, np.asarray(sims, np.int64))
        # Games with many simulations come first, so that those still going are always at the front.
        order = np.argsort(-counts, kind="stable")
        sorted_view = view if m == 1 or (counts == counts[0]).all() else view.take(order)
        counts = counts[order]
        planted = self.forest.plant(sorted_view, reuse=settings.reuse and not settings.considered)
        plan = self._plan(sorted_view, counts - 1, None if noise is None else noise.drawn[order])
        # A lost position is searched as if nobody knew that: the other seat may not know it.
        often = np.zeros(m, np.int64) if sight is None else np.where(sight.lost, 0, settings.examine)[order]
        run = self._simulations(sorted_view, planted, plan, often)
        run(m, 1)
        if sight is not None:
            bind(cut_rows, game)(planted, ~sight.kept[order])
        raw = np.zeros(m)
        bind(value_rows, game)(planted, sorted_view.seat, raw)
        caution = None
        if self.lookout is not None:
            caution = Caution(self.lookout, sorted_view, planted, counts, started, until)
            caution.fear(self._moves(sorted_view, planted).priors)

        def over() -> bool:
            """Doubt what would be played now, where it is time for that; say whether all is proven."""
            if caution is not None and caution.is_due():
                so_far = self._gather(sorted_view, planted, plan, raw)
                caution.doubt(ranking(so_far))
            return self.terms.proves and bool(proven(planted).all())

        if noise is not None and not settings.considered:
            bind(stir_rows, game)(planted, noise.drawn[order], noise.share[order])
        hurry = view.hurry if m == 1 else None
        if math.isinf(until) and hurry is None:
            done = 1
            for count in sorted(set(counts.tolist())):
                if count > done:
                    run(int((counts >= count).sum()), count - done)
                    done = count
        elif counts[0] > 1:
            most = ANY if seconds else int(counts[0]) - 1
            run_until(until, lambda count: run(m, count), over, most=most, hurry=hurry)
        found = self._gather(sorted_view, planted, plan, raw)
        if caution is not None and math.isinf(until) and caution.doubts:
            caution.doubt(ranking(found))
            found = self._gather(sorted_view, planted, plan, raw)
        if sorted_view is not view:
            back = np.argsort(order)
            found = Searched(*(array[back] for array in found))
        for k in np.flatnonzero(wins >= 0):
            found.action[k], found.value[k] = wins[k], 1.0
            found.visits[k] = found.policy[k] = found.eligible[k] = np.arange(game.actions) == wins[k]
            found.worth[k] = np.where(found.eligible[k], 1.0, np.nan)
        return found

    def so_far(self, view: View, k: int) -> Weights:
        """Say how often the actions of game k of a view have been visited, in its tree as it stands."""
        tree, visits = self.forest.tree(int(view.row[k])), np.zeros(self.game.actions)
        for i in children(tree, 0):
            visits[tree.action[i]] = tree.visits[i]
        return Weights(np.where(view.mask[k], visits, np.nan), True)

    def expects(self, view: View, k: int, action: int) -> list[int]:
        """Say how game k of a view is expected to go on after an action, by its tree as it stands."""
        return expected_line(self.game, self.forest.tree(int(view.row[k])), view.states[k : k + 1], action)

    def _plan(self, view: View, sims: np.ndarray, gumbels: np.ndarray | None) -> Halving:
        if not self.settings.considered:
            return UNPLANNED
        noise = np.zeros(view.mask.shape) if gumbels is None else gumbels
        order = gumbel.visiting_orders(view.mask, self.settings.considered, sims)
        return Halving(order, noise, self.settings.c_visit, self.settings.c_scale)

    def _moves(self, view: View, planted: Planted) -> Moves:
        shape, worth = view.mask.shape, np.full(view.mask.shape, np.nan)
        moves = Moves(np.zeros(shape, np.int64), worth, np.zeros(shape), np.zeros(shape, np.bool_))
        bind(gather_rows, self.game)(planted, view.seat, *moves)
        return moves

    def _gather(self, view: View, planted: Planted, plan: Halving, raw: np.ndarray) -> Searched:
        visits, worth, priors, eligible = self._moves(view, planted)
        unseen = np.flatnonzero(~visits.any(axis=1))
        likeliest = np.where(eligible[unseen], priors[unseen], -1.0).argmax(axis=1)
        visits[unseen, likeliest], worth[unseen, likeliest] = 1, raw[unseen]
        if self.settings.considered:
            policy, value = gumbel.improved(eligible, priors, worth, visits, raw, plan)
            action = gumbel.winners(eligible, priors, worth, visits, plan)
        else:
            value = np.zeros(view.row.size)
            bind(value_rows, self.game)(planted, view.seat, value)
            policy = visits / np.maximum(visits.sum(axis=1, keepdims=True), 1)
            action = merit(visits, worth).argmax(axis=1)
        return Searched(visits, worth, value, policy, action, priors, eligible)

    def _simulations(
        self, view: View, planted: Planted, plan: Halving, often: np.ndarray
    ) -> Callable[[int, int], None]:
        """Prepare a function that runs a number of simulations in each of the first games of a view.

        Positions are examined when they have been met `often` (m,) times.
        """
        game, settings, evaluator, m = self.game, self.settings, self.evaluator, view.row.size
        scratch = make_scratch(game)
        in_kernels = isinstance(evaluator, Handmade | Playouts)
        n = 1 if in_kernels else m
        leaves = Leaves(
            np.zeros(n, game.dtype),
            np.zeros(n, np.int8),
            np.zeros(n, np.int64),
            np.zeros(n, np.float32),
            np.zeros((n, DEPTH), np.int32),
            np.zeros((n, DEPTH), np.int8),
            np.zeros(n, np.int64),
        )
        room = n * (1 + settings.valued * game.actions + settings.averaged * game.chance_outcomes)
        asked = Asked(
            np.zeros(1, np.int64),
            np.zeros(n + 1, np.int64),
            np.zeros(room, game.dtype),
            np.zeros(room, np.int32),
            np.zeros(room, np.int64),
            np.zeros(room, np.float32),
        )
        roots, streams = view.states.copy(), view.rng
        rest = leaves, asked, self.terms, plan, scratch

        if isinstance(evaluator, Handmade | Playouts):
            even = np.ones(game.actions, np.float32)

            def grow(games: int, count: int) -> None:
                evaluator.grow(_first(planted, games), roots[:games], streams[:games], *rest, count, even)

            return grow

        priors = np.zeros((m, game.actions), np.float32)
        select, update = bind(select_rows, game), bind(update_rows, game)

        def simulate(games: int, count: int) -> None:
            walked = _first(planted, games), roots[:games], streams[:games]
            for _ in range(count):
                started = time.perf_counter()
                select(*walked, *rest)
                if self.lookout is not None:
                    self.lookout.close(walked[0], leaves)
                self.spent += time.perf_counter() - started
                going, more = np.flatnonzero(leaves.kind[:games]), int(asked.size[0])
                if going.size:
                    priors[going], leaves.value[going] = evaluator.evaluate(leaves.states[going], leaves.seat[going])
                if more:
                    asked.value[:more] = evaluator.values(asked.states[:more], asked.seat[:more])
                started = time.perf_counter()
                update(walked[0], leaves, asked, priors, self.terms)
                if self.examiner is not None:
                    self.examiner.learn(*walked[:2], leaves, often)
                self.spent += time.perf_counter() - started

        return simulate


def merit(visits: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Rank actions (m, actions) by their visits, and equally visited ones by what they are worth."""
    found: np.ndarray = visits + np.nan_to_num(worth, nan=-1.0) / 4
    return found


def ranking(found: Searched) -> np.ndarray:
    """Rank actions (m, actions) by how soon they would be played: -inf where they are not eligible."""
    ranks = np.where(found.visits > 0, merit(found.visits, found.worth), found.priors / 2)
    ranks[np.arange(found.action.size), found.action] = np.inf
    return np.where(found.eligible, ranks, -np.inf)


def _first(planted: Planted, games: int) -> Planted:
    return planted._replace(slots=planted.slots[:games])
