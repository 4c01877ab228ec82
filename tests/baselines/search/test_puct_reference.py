"""Guided search does as a slow reference of both published rules does, visit by visit."""

import numpy as np
import pytest
from tree_searches import MODES, Hashed, mode_name

from boyi.baselines.search.puct import PUCT
from boyi.envs import Batch, Game
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import chance_rows, mask_rows, pick, resolve_rows, score, step_one
from boyi.envs.engine.protocol import CHANCE, OVER


class Node:
    """A node of the reference: `side` is the seat that `value` speaks for."""

    def __init__(self, state: np.ndarray, side: int, value: float | None = None, prior: float = 0.0) -> None:
        self.state, self.side, self.prior = state, side, prior
        self.visits, self.value, self.own = 0, value, 0.0
        self.children: dict[int, Node] = {}

    def value_for(self, seat: int, fpu: float) -> float:
        value = fpu if self.value is None else self.value
        return value if seat == self.side or self.value is None else -value


class Reference:
    """Both published rules in plain Python, one object a node."""

    def __init__(self, game: Game, c: float, fpu: float, backup: str, chance: str) -> None:
        self.game, self.c, self.fpu = game, c, fpu
        self.children_valued, self.averaged = backup == "children", chance == "expected"
        self.judge = Hashed(game)

    def node(self, state: np.ndarray, mover: int, *, valued: bool, prior: float) -> Node:
        to_move = int(state["to_move"][0])
        side = to_move if to_move >= 0 else mover
        if to_move <= OVER:
            r = np.zeros(2, np.float32)
            bind(score, self.game)(state, r)
            return Node(state, side, float(r[side]) if valued else None, prior)
        return Node(state, side, float(self.judge.values(state, np.array([side]))[0]) if valued else None, prior)

    def after(self, state: np.ndarray, a: int) -> np.ndarray:
        state = state.copy()
        bind(step_one, self.game)(state, a)
        return state

    def odds(self, state: np.ndarray) -> np.ndarray:
        p = np.zeros((1, self.game.chance_outcomes))
        bind(chance_rows, self.game)(state, np.arange(1), p)
        return p[0]

    def resolved(self, state: np.ndarray, o: int) -> np.ndarray:
        state = state.copy()
        masks = np.zeros((1, self.game.actions), np.int8)
        flags = np.zeros(1, bool)
        r = np.zeros((1, 2), np.float32)
        bind(resolve_rows, self.game)(state, np.arange(1), np.array([o]), masks, r, flags, flags.copy())
        return state

    def simulate(self, root: Node, rng: np.ndarray) -> None:
        path = [root]
        while True:
            node = path[-1]
            to_move = int(node.state["to_move"][0])
            if to_move == CHANCE:
                p = self.odds(node.state)
                if self.averaged and not node.children:
                    for o in np.flatnonzero(p):
                        new = self.resolved(node.state, o)
                        node.children[int(o)] = self.node(new, 0, valued=True, prior=float(p[o]))
                o = int(pick(p, p.size, rng))
                if o not in node.children:
                    node.children[o] = self.node(self.resolved(node.state, o), 0, valued=False, prior=0.0)
                path.append(node.children[o])
            elif to_move >= 0 and node.children:
                path.append(max(node.children.values(), key=lambda child: self.bound(node, child, to_move)))
            else:
                break
        leaf = path[-1]
        value = leaf.own = self.expand(leaf)
        side = leaf.side
        for node in reversed(path):
            if self.averaged:
                self.recompute(node)
            else:
                mine = value if node.side == side else -value
                old = node.value if node.value is not None and node.visits else 0.0
                node.value = (old * node.visits + mine) / (node.visits + 1)
            node.visits += 1

    def recompute(self, node: Node) -> None:
        """Average the dice below a chance node; for others the first value counts once, moves by their visits."""
        children = node.children.values()
        if int(node.state["to_move"][0]) == CHANCE:
            node.value = sum(child.prior * child.value_for(node.side, 0.0) for child in children)
        elif node.children:
            total = node.own + sum(child.visits * child.value_for(node.side, 0.0) for child in children)
            node.value = total / (1 + sum(child.visits for child in children))
        else:
            node.value = node.own

    def bound(self, parent: Node, child: Node, seat: int) -> float:
        q = child.value_for(seat, self.fpu)
        return q + self.c * child.prior * np.sqrt(parent.visits) / (1 + child.visits)

    def expand(self, leaf: Node) -> float:
        to_move = int(leaf.state["to_move"][0])
        if to_move <= OVER:
            r = np.zeros(2, np.float32)
            bind(score, self.game)(leaf.state, r)
            return float(r[leaf.side])
        priors, values = self.judge.evaluate(leaf.state, np.array([to_move]))
        mask = np.zeros((1, self.game.actions), np.int8)
        bind(mask_rows, self.game)(0, 1, leaf.state, np.arange(1), mask)
        legal = np.flatnonzero(mask[0])
        weight = float(priors[0, legal].astype(np.float64).sum())
        for a in legal:
            new, prior = self.after(leaf.state, int(a)), float(priors[0, a]) / weight
            leaf.children[int(a)] = self.node(new, to_move, valued=self.children_valued, prior=prior)
        return float(values[0])


def late(name: str, plies: int, seed: int = 0) -> Batch:
    """Play at random for so many plies."""
    batch = Batch(name, 1, seed=seed)
    for _ in range(plies):
        batch.step(batch.sample())
    assert batch.to_move[0] >= 0
    return batch


@pytest.mark.parametrize("mode", MODES, ids=mode_name)
@pytest.mark.parametrize(
    ("name", "plies"),
    [("hex:board_size=3", 0), ("hex:board_size=3", 3), ("einstein:board_size=3,stones=2", 0), ("jiu:board_size=6", 40)],
)
def test_both_rules_agree_with_a_slow_reference(name: str, plies: int, mode: dict[str, str]) -> None:
    """In Jiu the same seat moves again: every position here is in the middle of the battle."""
    batch = late(name, plies)
    game, view = batch.game, batch.view()
    c, fpu, sims = 2.0, -0.3, 120
    reference, rng = Reference(game, c, fpu, **mode), view.rng[0].copy()
    root = reference.node(view.states.copy(), 0, valued=False, prior=1.0)
    for _ in range(sims):
        reference.simulate(root, rng)
    found = PUCT(evaluator=Hashed(game), sims=sims, c=c, fpu=fpu, **mode).search(view)
    visits = {a: child.visits for a, child in root.children.items()}
    assert {a: int(found.visits[0, a]) for a in visits} == visits
    assert sum(visits.values()) == found.visits.sum() == sims - 1
    assert found.value[0] == pytest.approx(root.value, abs=1e-5)
    for a, child in root.children.items():
        worth = child.value_for(root.side, 0.0) if child.visits else np.nan
        assert found.worth[0, a] == pytest.approx(worth, abs=1e-5, nan_ok=True)


def test_the_reference_meets_a_seat_that_moves_again() -> None:
    batch, again = late("jiu:board_size=6", 40), 0
    view = batch.view()
    for a in np.flatnonzero(view.mask[0]):
        after = view.states.copy()
        bind(step_one, batch.game)(after, int(a))
        again += after["to_move"][0] == view.seat[0]
    assert again > 0
