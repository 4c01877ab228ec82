"""Tests that all games have in common: a game's own file declares what is peculiar to it, and they are its tests, too.

A class that is made of some of those below names its `game`, its `oracle` and the tables that they ask for; see
``tests/envs/hex/test_hex.py``. The last of its bases is tried first: that should be `GameTests`, which ends even where
a game does not. What `check_game` promises is among them only without JIT, where a game may be broken on purpose:
compiled, ``tests/conformance/test_conformance.py`` asks it of every game.
"""

import copy
import random
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from histories import SIGMAS, count, keys, play, random_histories, replayed, seen
from numba import config
from numpy.typing import NDArray
from openspiels import spiel
from sizes import marks

from boyi.baselines.players.openspiel import their_action
from boyi.envs import Batch, BoyiError, Game, IllegalAction, find
from boyi.envs.conformance import check
from boyi.envs.conformance.oracle import Player, compare, side_by_side
from boyi.envs.engine import kernels
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import OVER, playout, returns

ENOUGH = 500  # positions in which a late game is enumerated
LOOKED_AT = (
    check.starts, check.results, check.keys, check.texts, check.observations, check.frames, check.secrets,
    check.validity, check.refusals, check.symmetries, check.images, check.evaluations, check.policies, check.rollouts,
)  # fmt: skip
"""The promises that the game's own kernels keep, rather than the engine for them."""


def small(game: Game) -> bool:
    """Whether plain Python plays it quickly."""
    return game.longest * game.actions < 40_000


def _strings(row: Any) -> list[str]:
    """List a row of a table as strings, whatever tuples it has taken apart."""
    return [string for part in row for string in _strings(part)] if isinstance(row, tuple) else [str(row)]


class Tables:
    """The arguments of tests come from tables of their class: every tested set, and what the game declares."""

    game: ClassVar[str]
    oracle: ClassVar[type[Any]]

    @property
    def tested(self) -> list[Game]:
        spec = find(self.game).spec
        return [Game.bind(spec, params) for params in spec.tested]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Look every argument of a test up among the tables, whose names are plural or its own; of dicts, the items.

        A row that is a game, or names one, is slow where `sizes` says so.
        """
        for argument in metafunc.fixturenames:
            table = getattr(self, argument, getattr(self, f"{argument}s", None))
            if table is not None:
                rows = table.items() if isinstance(table, Mapping) else table
                metafunc.parametrize(argument, [self._row(*pair) for pair in zip(table, rows, strict=True)])

    def _row(self, name: Any, row: Any) -> Any:
        named = [re.match(rf"{self.game}(:\S+)?(?!\S)", part) for part in _strings(row)]
        game = max((found[0] for found in named if found), key=len, default=None)
        return pytest.param(row, id=str(name).split("\n")[0], marks=marks(find(game)) if game else ())

    @cached_property
    def text(self) -> ModuleType:
        return find(self.game).module("text")

    def played(self, game: str, moves: str = "") -> Batch:
        """Play named actions from the start of a game of one."""
        return play(Batch(game, 1, seed=0), moves)


class OracleTests(Tables):
    """The game is its oracle's, and keeps its promises also where it was broken."""

    def players(self, game: Game) -> Iterable[Player | None]:
        """Return who plays each of the games that are compared: None for somebody who plays at random."""
        return [None] * (count(20, 2) if small(game) else count(3, 1))

    def check_met(self, game: Game) -> None:
        """Check what came up in those games; a game that looks at it has an oracle that notes it."""

    def test_every_ply_agrees_with_the_oracle(self, tested: Game) -> None:
        """Mover, mask, names, observations and returns in complete games, and of what reads back from diagrams."""
        compare(check.Probe(tested, 0), self.oracle, self.players(tested))
        self.check_met(tested)

    def test_illegal_actions_forfeit(self, tested: Game) -> None:
        """The oracle says of a game that ends so what the engine says."""
        rng, probe = random.Random(str(tested)), check.Probe(tested, 0)
        batch = Batch(tested, 1, illegal="forfeit", autoreset="off")
        for seed in range(count(10, 2)):
            for position, oracle in side_by_side(probe, self.oracle, seed):
                if position.to_move >= 0 and rng.random() * tested.longest < 3:
                    batch.states, ended = position.states, copy.deepcopy(oracle)
                    wrong = int(rng.choice([-1, tested.actions, *np.flatnonzero(position.mask == 0)]))
                    rewards, over, _ = batch.step([wrong])
                    ended.play(wrong)
                    assert list(ended.returns()) == rewards[0].tolist() and over[0] and ended.mover() is None
                    for encoder in tested.spec.encoders:
                        for seat in range(tested.seats):
                            x = seen(tested, batch.states, encoder, seat)[0]
                            assert np.allclose(x, np.asarray(getattr(ended, f"observe_{encoder}")(seat)))

    if config.DISABLE_JIT:

        def test_promises(self) -> None:
            """The smallest of the tested sets keeps the contract."""
            probe = check.Probe(min(self.tested, key=lambda game: game.longest * game.actions), games=3)
            for item in LOOKED_AT:
                item(probe)


class OpenSpielTests(Tables):
    """OpenSpiel's game is ours; `compared` says in how many random games that is seen, compiled and without JIT."""

    compared: ClassVar[Mapping[str, tuple[int, int]]]

    def planned(self, game: Game) -> list[list[int]]:
        """Return the actions of games that are compared besides."""
        return []

    def test_every_ply_agrees_with_openspiel(self, compared: tuple[str, tuple[int, int]]) -> None:
        """Legal actions, mover, end and returns."""
        game, many = find(compared[0]), count(*compared[1])
        planned, peer = self.planned(game), spiel(game)
        batch = Batch(game, many + len(planned), seed=2, encoder=None)
        theirs = [peer.new_initial_state() for _ in range(batch.n)]
        # Looking whether the game has numbers of its own for them, action by action, would take longer than all else.
        number = partial(their_action, game) if game.has("openspiel") else (lambda _, a: a)
        for ply in range(game.longest + 1):
            states, masks, actions = batch.states, batch.mask, batch.sample()
            going_on = [row < many or ply < len(planned[row - many]) for row in range(batch.n)]
            live = np.flatnonzero((batch.to_move >= 0) & going_on)
            for row in live:
                ours = [number(states[row], a) for a in np.flatnonzero(masks[row]).tolist()]
                assert theirs[row].legal_actions() == sorted(ours)
                assert theirs[row].current_player() == states["to_move"][row]
                if row >= many:
                    actions[row] = planned[row - many][ply]
            rewards, over, _ = batch.step(actions[live], live)
            for row, r, ended in zip(live, rewards, over, strict=True):
                theirs[row].apply_action(number(states[row], int(actions[row])))
                assert (theirs[row].is_terminal(), theirs[row].returns()) == (ended, list(r))
        assert all(state.is_terminal() for state in theirs[:many])


class NameTests(Tables):
    """Names that are none are refused in the position `naming`, in a sentence with the words `allowed`."""

    bad_names: ClassVar[Iterable[str]]
    allowed: ClassVar[str]

    def naming(self) -> np.void:
        """Return the position in which names are tried."""
        state: np.void = Batch(self.game, 1, seed=0).states[0]
        return state

    def test_bad_names(self, bad_name: str) -> None:
        with pytest.raises(BoyiError, match=self.allowed) as error:
            self.text.parse(self.naming(), bad_name)
        assert "\n" not in str(error.value)


class DiagramTests(Tables):
    """Diagrams are read exactly as they are written.

    `diagrams` are spelled out, each with the game and the actions that lead to it or None, and `bad_diagrams` refused,
    also with a sentence where one is given. `unread` are fields of a record that a diagram does not show.
    """

    diagrams: ClassVar[Mapping[str, tuple[str, str] | None]]
    bad_diagrams: ClassVar[Mapping[str, str | tuple[str, str]]]
    unread: ClassVar[frozenset[str]] = frozenset()

    def read(self, diagram: str) -> NDArray[np.void]:
        """Read a diagram; the test fails where it is refused."""
        try:
            states: NDArray[np.void] = self.text.read(diagram)
        except BoyiError as error:
            pytest.fail(f"{error}\n{diagram}")
        return states

    def check_read(self, read: NDArray[np.void], states: NDArray[np.void]) -> None:
        """Compare what was read with the records, field by field."""
        for field in set(states.dtype.names or ()) - self.unread:
            assert np.array_equal(read[field], states[field]), field

    def test_diagrams(self, diagram: tuple[str, tuple[str, str] | None]) -> None:
        """A diagram is that of its position, which it reads back to."""
        drawn, moves = diagram
        read = self.read(drawn)
        assert self.text.diagram(read[0]) == drawn
        if moves is not None:
            states = self.played(*moves).states
            assert self.text.diagram(states[0]) == drawn
            self.check_read(read, states)

    def test_diagrams_are_read_as_they_are_written(self, diagram: tuple[str, object]) -> None:
        """Whatever character is left out, doubled or another: what is read has this very diagram, or is refused."""
        drawn, _ = diagram
        for at in random.Random(drawn).sample(range(len(drawn)), min(len(drawn), count(40, 15))):
            for other in ("", 2 * drawn[at], " ", "1", "X", ".", "a", "\n"):
                changed = drawn[:at] + other + drawn[at + 1 :]
                with suppress(BoyiError):
                    assert self.text.diagram(self.text.read(changed)[0]) == changed

    def test_bad_diagrams(self, bad_diagram: tuple[str, str | tuple[str, str]]) -> None:
        """`read` takes exactly what `diagram` writes, and says so in a sentence otherwise."""
        _, found = bad_diagram
        diagram, sentence = (found, "") if isinstance(found, str) else found
        assert diagram not in self.diagrams
        with pytest.raises(BoyiError) as error:
            self.text.read(diagram)
        assert sentence in str(error.value) and "\n" not in str(error.value)


class TextTests(NameTests, DiagramTests):
    """What is named and drawn in games reads back, names in either case unless `either_case` is false."""

    either_case: ClassVar[bool] = True

    def histories(self, game: Game, many: int) -> list[list[int]]:
        """Draw the actions of games that may have ended."""
        return random_histories(game, many)

    def test_names_read_back(self, tested: Game) -> None:
        """Every lawful action has a name of its own, which reads back with spaces around it, and in either case."""
        for state in replayed(tested, self.histories(tested, count(10, 2))).states:
            batch = Batch(tested, 1, seed=0)
            batch.states = np.array([state])
            actions = np.flatnonzero(batch.mask[0]).tolist()
            names = [self.text.name(state, a) for a in actions]
            assert len(set(names)) == len(names)
            ways: list[Callable[[str], str]] = [str, lambda name: f" {name}\n"]
            ways += [str.upper, str.lower] if self.either_case else []
            for way in ways:
                assert [self.text.parse(state, way(name)) for name in names] == actions

    def test_played_games_read_back(self, tested: Game) -> None:
        """Fields, keys, masks and observations are those of the position; play goes on alike, to the same ends."""
        many = count(40, 4) if small(tested) else count(6, 1)
        batch = replayed(tested, self.histories(tested, many))
        states = np.concatenate([self.read(self.text.diagram(state)) for state in batch.states])
        self.check_read(states, batch.states)
        assert keys(tested, states) == keys(tested, batch.states)
        assert [self.text.diagram(state) for state in states] == [self.text.diagram(state) for state in batch.states]
        twin = batch.clone()
        twin.states = states
        assert np.array_equal(twin.mask, batch.mask)
        for encoder in tested.spec.encoders:
            for seat in range(tested.seats):
                assert np.array_equal(seen(tested, states, encoder, seat), seen(tested, batch.states, encoder, seat))
        for _ in range(count(tested.longest, 20)):
            rows = np.flatnonzero(batch.to_move >= 0)
            if not rows.size:
                break
            actions = batch.sample()[rows]
            answers = batch.step(actions, rows), twin.step(actions, rows)
            assert all(np.array_equal(a, b) for a, b in zip(*answers, strict=True))

    def test_a_forfeited_game_reads_back(self) -> None:
        """Nobody has won by the rules, and the diagram says that the game has ended."""
        batch = Batch(self.game, 1, seed=0, illegal="forfeit")
        batch.step(batch.sample())
        before = batch.states
        batch.step([-1])
        diagram = self.text.diagram(batch.states[0])
        assert diagram.split("\n")[1:] == self.text.diagram(before[0]).split("\n")[1:]
        assert diagram.split("\n")[0].endswith("  ended")
        self.check_read(self.read(diagram), batch.states)


class StoneTests(Tables):
    """Seats take turns to put a stone on an empty point, `placed` by name; `ended` are whole games, by their moves."""

    placed: ClassVar[str]
    ended: ClassVar[Iterable[tuple[str, str]]]

    def test_start(self, tested: Game) -> None:
        """The board is empty, seat 0 moves first, nothing is hidden and there is no chance."""
        batch = Batch(tested, 1, seed=0)
        state = batch.states[0]
        assert not state["board"].any()
        assert (state["to_move"], state["ply"], state["last"], state["winner"]) == (0, 0, -1, -1)
        assert (tested.spec.hidden, tested.chance_outcomes, tested.seats) == (False, 0, 2)
        assert batch.mask[0].sum() == tested.params["board_size"] ** 2

    def test_placing(self) -> None:
        """A stone of the mover's own goes on an empty point; no other changes, and the other seat is to move."""
        batch, stones = self.played(self.game), dict[int, int]()
        for ply, word in enumerate(self.placed.split()):
            a = self.text.parse(batch.states[0], word)
            assert batch.mask[0, a] == 1
            batch.step([a])
            stones[a] = ply % 2 + 1
            board = batch.states["board"][0]
            assert {int(i): int(board[i]) for i in np.flatnonzero(board)} == stones
            assert batch.to_move[0] == 1 - ply % 2
            assert np.flatnonzero(batch.mask[0] == 0).tolist() == sorted(stones)

    def test_the_game_ends_at_once(self, ended: tuple[str, str]) -> None:
        """No action is left, and playing one raises."""
        batch = self.played(*ended)
        assert batch.to_move[0] == OVER
        assert not batch.mask.any()
        with pytest.raises(IllegalAction, match="ended"):
            batch.step([0])


class KeyTests(Tables):
    """Equal positions have equal keys, and others different ones; `identity` says which are equal."""

    def identity(self, state: np.void) -> Hashable:
        """Return what makes a position: here its stones and its mover."""
        return state["board"].tobytes(), int(state["to_move"])

    def test_keys(self, tested: Game) -> None:
        """In positions of random games, of which some are met twice where games are short."""
        many = count(1000, 60) if tested.actions < 40 else count(100, 6)
        states = replayed(tested, random_histories(tested, many)).states
        described = [self.identity(state) for state in states]
        found = dict(zip(described, keys(tested, states), strict=True))
        assert [found[position] for position in described] == keys(tested, states)
        assert len(set(found.values())) == len(found)
        assert len(found) < len(states) or tested.longest >= 40  # otherwise it says little


class PerftTests(Tables):
    """The number of sequences of actions, by depth, and all rolls between them; a game that has ended counts once.

    `counted` has them by game, or by game and the actions played before, as in ``"hex:board_size=3 a1 b1"``. They are
    the oracle's, which counts them again up to `most` sequences; `merged` says which positions are one.
    """

    counted: ClassVar[Mapping[str, list[int]]]
    most: ClassVar[int] = 60_000

    def merged(self, oracle: Any) -> Hashable:
        """Name the position of an oracle's game, without how it came about."""
        raise NotImplementedError

    def begin(self, line: str) -> tuple[Batch, Any]:
        """Set up what a line of the table says, in both."""
        game, _, moves = line.partition(" ")
        batch, oracle = self.played(game), self.oracle(**find(game).params)
        for word in moves.split():
            a = self.text.parse(batch.states[0], word)
            batch.step([a])
            oracle.play(a)
        return batch, oracle

    def test_perft(self, counted: tuple[str, list[int]]) -> None:
        """The kernels count what the oracle counted."""
        batch, _ = self.begin(counted[0])
        game = batch.game
        for depth, expected in enumerate(counted[1]):
            if expected <= count(10**9, 10_000):
                stack, masks = np.repeat(batch.states, depth + 1), np.zeros((depth + 1, game.actions), np.int8)
                found = bind(kernels.perft, game)(stack, depth, masks, np.zeros(max(1, game.chance_outcomes)))
                assert int(found) == expected

    if not config.DISABLE_JIT:

        def test_perft_table(self, counted: tuple[str, list[int]]) -> None:
            """The oracle still counts the numbers of the table, positions that are reached in several ways merged."""
            wanted = [number for number in counted[1] if number <= self.most]
            assert count_by_depth(self.begin(counted[0])[1], len(wanted) - 1, self.merged) == wanted


def count_by_depth(start: Any, depth: int, merged: Callable[[Any], Hashable]) -> list[int]:
    """Count an oracle's sequences of actions for every depth up to `depth`."""
    level, ended, counts = {merged(start): (start, 1)}, 0, [1]
    for plies in range(1, depth + 1):
        # The last actions are counted, and not played.
        counts.append(ended + sum(ways * len(game.legal()) for game, ways in level.values()))
        following: dict[Hashable, tuple[Any, int]] = {}
        for game, ways in level.values() if plies < depth else ():
            for a in game.legal():
                after = copy.deepcopy(game)
                after.play(a)
                if after.mover() is None:
                    ended += ways
                else:
                    position = merged(after)
                    following[position] = after, ways + following.get(position, (after, 0))[1]
        level = following
    return counts


def tally(states, tries, rng, mask, p, r, counts):  # type: ignore[no-untyped-def]
    """Generic kernel: finish ``states[0]`` at random `tries` times in ``states[1]``; count seat 0's wins and losses.

    The rest of `counts` are the plies that this took, summed, and their squares.
    """
    for _ in range(tries):
        states[1] = states[0]
        playout(states[1], rng, mask, p)
        returns(states[1], r)
        counts[0] += r[0] > 0
        counts[1] += r[0] < 0
        plies = states[1].ply - states[0].ply
        counts[2] += plies
        counts[3] += plies * plies


def finished(game: Game, state: NDArray[np.void], tries: int, **choices: object) -> NDArray[np.int64]:
    """Tally random playouts from a record, shape (1,)."""
    rng, mask, counts = np.array([2026, 0], np.uint64), np.zeros(game.actions, np.int8), np.zeros(4, np.int64)
    scratch = np.zeros(max(1, game.chance_outcomes)), np.zeros(game.seats, np.float32), counts
    bind(tally, game, **choices)(np.repeat(state, 2), tries, rng, mask, *scratch)
    return counts


WAYS: Mapping[str, dict[str, Any]] = {"own": {}, "generic": {"playout": kernels.random_playout}}


class PlayoutTests(Tables):
    """The game's own quick way to play at random is the generic one, and both come to each end as often as they should.

    `late` are games by their strings, of which positions near the end are enumerated; `starts` those whose whole games
    are compared, with their lengths unless `cut_short`: where the winner is known the game's may stop or go on.
    """

    late: ClassVar[tuple[str, ...]]
    cut_short: ClassVar[bool] = False
    starts: ClassVar[tuple[str, ...]]
    ways = WAYS

    def near_the_end(self, string: str) -> Iterator[tuple[Game, NDArray[np.void], NDArray[np.float64]]]:
        """Yield positions of random games with the chances that seat 0 wins and loses, where few can follow."""
        game = find(string)
        for k, history in enumerate(random_histories(game, count(24, 8), seed=3)):
            oracle = self.oracle(**game.params)
            # The first half of the games are looked at where they have been cut, the others a little before their end.
            cut = history if k % 2 else history[: max(0, len(history) - 1 - k % 4)]
            for a in cut:
                oracle.play(a)
            chances = exact_chances(oracle)
            if chances is not None:
                yield game, replayed(game, [cut]).states, chances

    def test_playouts_from_late_positions(self, late: str, way: tuple[str, dict[str, Any]]) -> None:
        """They end as often as enumerating all continuations says."""
        # Without JIT it is the game's own playout that may be broken.
        tries, met = count(20_000, 20 if way[1] else 500), 0
        for game, state, chances in self.near_the_end(late):
            bounds = SIGMAS * np.sqrt(tries * chances * (1 - chances)) + 1e-6
            assert (abs(finished(game, state, tries, **way[1])[:2] - tries * chances) <= bounds).all()
            met += 0 < chances[0] < 1
        assert met or config.DISABLE_JIT

    if not config.DISABLE_JIT:

        def test_playouts_from_the_start(self, start: str) -> None:
            """Both ways win and lose equally often, and take as many plies."""
            game, tries = find(start), 10_000
            for history in [], *random_histories(game, 3):
                state = replayed(game, [history[:3]]).states
                own, generic = (finished(game, state, tries, **way) for way in self.ways.values())
                assert (abs(own[:2] - generic[:2]) <= SIGMAS * (2 * tries * 0.25) ** 0.5).all()
                variance = max(0.0, generic[3] - generic[2] ** 2 / tries)
                likely = abs(own[2] - generic[2]) <= SIGMAS * (2 * variance) ** 0.5 + 1e-6
                assert likely or self.cut_short


def exact_chances(oracle: Any) -> NDArray[np.float64] | None:
    """Return the probabilities that seat 0 wins and loses when all play at random; None where too much can follow."""
    left = ENOUGH

    def chances(game: Any) -> NDArray[np.float64]:
        nonlocal left
        left -= 1
        if left < 0 or game.mover() is None:
            value = game.returns()[0]
            return np.array([value > 0, value < 0], np.float64)
        after = []
        for a in sorted(game.legal()):
            twin = copy.deepcopy(game)
            twin.play(a)
            after.append(chances(twin))
        return np.array(np.mean(after, axis=0))

    found = chances(oracle)
    return found if left >= 0 else None


class GameTests(KeyTests, TextTests, OracleTests):
    """What every game on a board is asked."""
