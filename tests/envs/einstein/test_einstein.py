"""EinStein against its page: oracle, OpenSpiel, perft, worked positions; without JIT fewer games, as in test_hex.py."""

import random
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from einstein_oracle import Cell, EinStein, Stone
from einstein_positions import (
    CASES,
    TESTED,
    Record,
    arranged,
    by_hand,
    described,
    different,
    every_set,
    exchanged,
    placed,
    record,
)
from histories import count, seen
from numba import config
from numpy.typing import NDArray
from openspiels import spiel
from sizes import COMPILES, marked

from boyi.baselines.command.perft import perft
from boyi.envs import Batch, BoyiError, Game, IllegalAction, find
from boyi.envs.einstein import SPEC
from boyi.envs.engine.protocol import CHANCE, OVER

pytestmark = pytest.mark.kernels


def after(batch: Batch, state: Record, actions: list[int]) -> tuple[Record, NDArray[np.float32]]:
    """Play each of the actions in a position of its own: the records and the rewards that follow."""
    rows = np.arange(len(actions))
    batch.set_states(np.repeat(state, len(actions)), rows)
    rewards, _, _ = batch.step(np.array(actions), rows)
    return batch.states[rows], rewards


def check_observations(game: Game, state: Record, oracle: EinStein) -> None:
    for encoder in SPEC.encoders:
        for seat in (0, 1):
            expected = np.array(getattr(oracle, f"observe_{encoder}")(seat), np.float32)
            assert np.array_equal(seen(game, state, encoder, seat)[0], expected), (encoder, seat)


@every_set
def test_every_move_agrees_with_the_oracle(game: Game) -> None:
    """§1, §5, §6, §7, §8: masks, and what each legal action leads to, in positions that random play seldom meets."""
    rng, batch = random.Random(str(game)), by_hand(game, game.actions)
    for _ in range(count(600, 15)):
        oracle = arranged(game, rng)
        state, actions = record(game, oracle), sorted(oracle.legal())
        batch.set_states(state, [0])
        assert np.flatnonzero(batch.mask[0]).tolist() == actions
        states, rewards = after(batch, state, actions)
        for a, following, reward in zip(actions, states, rewards, strict=True):
            moved = oracle.copy()
            moved.play(a)
            assert not different(np.array([following]), record(game, moved))
            assert list(reward) == moved.returns()


# OpenSpiel. Its player 0 is our seat 0 and its board ours, but player 1 has the first turn.

FILLED = (  # the squares that its permutations of each seat's stones fill, in order
    [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)],
    [(2, 4), (3, 3), (3, 4), (4, 2), (4, 3), (4, 4)],
)
PERMUTATIONS = {order: number for number, order in enumerate(permutations(range(1, 7)))}
STEPS = (((0, 1), (1, 0), (1, 1)), ((0, -1), (-1, 0), (-1, -1)))  # what each action of each seat adds to (r, c)
THEIR_STEPS = ((2, 1, 0), (5, 3, 4))  # and how OpenSpiel numbers them


def their_action(state: np.void, a: int) -> int:
    """Number our action as OpenSpiel does: by square, direction, and whether a stone is captured."""
    seat, d = int(state["turn"]), a % 3
    r, c = divmod(int(state["square"][6 * seat + a // 3]), 5)
    dr, dc = STEPS[seat][d]
    captures = state["board"][5 * (r + dr) + c + dc] != 0
    return ((5 * r + c) * 6 + THEIR_STEPS[seat][d]) * 2 + int(captures)


def test_every_ply_agrees_with_openspiel() -> None:
    """§5 to §9: dice, legal moves, mover and winner in 2,000 random games."""
    peer = spiel("einstein")
    many, rng = count(2000, 6), np.random.default_rng(5)
    batch = by_hand("einstein", many, seed=2)
    states, theirs = batch.states, [peer.new_initial_state() for _ in range(many)]
    states["turn"] = states["ply"] = 1
    batch.states = states
    for state, game in zip(states, theirs, strict=True):
        for seat in (0, 1):
            order = tuple(int(state["board"][5 * r + c]) - 6 * seat for r, c in FILLED[seat])
            game.apply_action(PERMUTATIONS[order])
    live = np.arange(many)
    while live.size:
        dice = rng.integers(6, size=live.size)
        batch.resolve(dice, live)
        states, masks, actions = batch.states, batch.mask, batch.sample()
        for i, die in zip(live, dice, strict=True):
            theirs[i].apply_action(int(die))
            assert theirs[i].current_player() == states["to_move"][i]
            legal = [their_action(states[i], int(a)) for a in np.flatnonzero(masks[i])]
            assert theirs[i].legal_actions() == sorted(legal)
        rewards, over, _ = batch.step(actions[live], live)
        for i, r, ended in zip(live, rewards, over, strict=True):
            theirs[i].apply_action(their_action(states[i], int(actions[i])))
            assert theirs[i].is_terminal() == ended
            assert theirs[i].returns() == list(r)
            assert theirs[i].is_chance_node() != ended
        live = live[~over]


# Perft from `fixed` starts: sequences of actions with all the rolls between, before and after them; a game that has
# ended counts once. The oracle's numbers, printed by
# `python -c "from test_einstein import *; print(oracle_perft(5, {'placement': 'fixed'}))"` in its folder.

PERFT = {
    "einstein:placement=fixed": [6, 108, 1944, 36972, 704214, 13968733],
    "einstein:placement=fixed,substitution=nearest": [6, 108, 1944, 36972, 704034],
    "einstein:board_size=2,stones=1": [1, 3, 7, 7, 7],
    "einstein:board_size=3,placement=fixed": [6, 108, 2016, 26659, 352760, 3509484],
    "einstein:board_size=4,columns=6,stones=3,placement=fixed,substitution=nearest": [3, 27, 243, 2268, 21177, 201759],
    "einstein:board_size=2,columns=1,placement=fixed": [6, 6, 6],
}


def oracle_perft(depth: int, params: dict[str, Any]) -> list[int]:
    """Count with the oracle for every depth up to `depth`, positions that are reached in several ways merged."""
    level = {"": (EinStein(**params), 1)}
    ended, counts = 0, []
    for _ in range(depth + 1):
        following: dict[str, tuple[EinStein, int]] = {}
        rolled = 0
        for game, ways in level.values():
            for die in range(1, game.k + 1):
                here = game.copy()
                here.roll(die)
                rolled += ways
                for a in here.legal():
                    moved = here.copy()
                    moved.play(a)
                    position = f"{sorted(moved.stones.items())} {moved.turn} {moved.over()}"
                    _, others = following.get(position, (moved, 0))
                    following[position] = (moved, others + ways)
        counts.append(ended + rolled)
        ended += sum(ways for game, ways in following.values() if game.over())
        level = {position: found for position, found in following.items() if not found[0].over()}
    return counts


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=COMPILES) if "board_size" in name else name for name in PERFT]
)
def test_perft(name: str) -> None:
    """§4 to §8: the kernels count what the oracle counted."""
    expected = [number for number in PERFT[name] if number <= count(10**8, 3000)]
    assert [sequences for _, sequences, _ in perft(find(name), len(expected) - 1)] == expected


@pytest.mark.skipif(config.DISABLE_JIT, reason="plays no kernel")
@pytest.mark.parametrize("most", [10**4, pytest.param(10**5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PERFT)
def test_perft_table(name: str, most: int) -> None:
    """The oracle still counts the numbers of the table, as far as that takes no time."""
    expected = [number for number in PERFT[name] if number <= most]
    assert oracle_perft(len(expected) - 1, find(name).params) == expected


# Worked positions


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_worked_positions(case: dict[str, Any], turned: bool) -> None:
    """§2, §5 to §8: what may move, where to, and who has won then; the same half around, with the seats exchanged."""
    oracle, batch = described(case), by_hand("einstein", 18)
    game, seat = batch.game, case["to_move"]
    if turned:
        oracle.set_up(exchanged(oracle.stones, oracle), 1 - seat, case["die"])
    state = record(game, oracle)
    batch.set_states(state, [0])
    assert np.flatnonzero(batch.mask[0]).tolist() == case["legal"]
    assert sorted({a // 3 + 1 for a in case["legal"]}) == case["movable"] == oracle.movable()
    states, rewards = after(batch, state, case["legal"])
    for following, reward, row in zip(states, rewards, case["after"], strict=True):
        stones = exchanged(placed(row), oracle) if turned else placed(row)
        winner = row["winner"] if row["winner"] is None else row["winner"] ^ turned
        expected = EinStein()
        expected.set_up(stones, oracle.turn if winner is not None else 1 - oracle.turn, None)
        expected.won_by, expected.actions = winner, [row["action"]]
        assert not different(np.array([following]), record(game, expected))
        assert list(reward) == expected.returns()


SUBSTITUTIONS = [  # stones left, die, movable, movable with `nearest`
    ({1, 2, 6}, 5, {2, 6}, {6}),
    ({1, 2, 6}, 4, {2, 6}, {2, 6}),
    ({1, 4, 6}, 3, {1, 4}, {4}),
    ({1, 4, 6}, 5, {4, 6}, {4, 6}),
    ({1, 4, 6}, 2, {1, 4}, {1}),
    ({2, 5, 6}, 3, {2, 5}, {2}),
    ({2, 5, 6}, 1, {2}, {2}),
    ({2, 5, 6}, 4, {2, 5}, {5}),
]
ROOMY = [(r, c) for r in (0, 1, 2) for c in (0, 1)]  # where six stones of seat 0 have three moves each


def movable(substitution: str, left: list[set[int]]) -> dict[tuple[int, int, int], set[int]]:
    """Ask the kernels which stones move, by seat, place of the stones that are left in the list, and die."""
    game = find(SPEC, substitution=substitution)
    asked = list(product(range(2), range(len(left)), range(1, 7)))
    states = np.repeat(game.blank, len(asked))
    for row, (seat, k, die) in enumerate(asked):
        oracle = EinStein(**game.params)
        stones: dict[Stone, Cell] = {(0, i): ROOMY[i - 1] for i in left[k]} | {(1, 1): (4, 4)}
        oracle.set_up(exchanged(stones, oracle) if seat else stones, seat, die)
        states[row] = record(game, oracle)[0]
    batch = by_hand(game, len(asked))
    batch.states = states
    return {key: set((np.flatnonzero(mask) // 3 + 1).tolist()) for key, mask in zip(asked, batch.mask, strict=True)}


@pytest.mark.parametrize("substitution", ["adjacent", "nearest"])
def test_substitution_examples(substitution: str) -> None:
    """§5: the inventor's example among others."""
    found = movable(substitution, [left for left, *_ in SUBSTITUTIONS])
    for seat, (k, (_, die, adjacent, nearest)) in product(range(2), enumerate(SUBSTITUTIONS)):
        assert found[seat, k, die] == (adjacent if substitution == "adjacent" else nearest)


@pytest.mark.parametrize("substitution", ["adjacent", "nearest"])
def test_substitution_of_every_set_of_stones(substitution: str) -> None:
    """§5: for all 63 sets of stones and all dice; adjacent, the faces between its neighbours' numbers move a stone."""
    left = [{i for i in range(1, 7) if bits >> (i - 1) & 1} for bits in range(1, 64)]
    found = movable(substitution, left)
    for (seat, k, die), stones in found.items():
        least = min(abs(i - die) for i in left[k])
        nearest = {i for i in left[k] if abs(i - die) == least}
        assert stones == nearest if substitution == "nearest" else nearest <= stones <= left[k]
        if die in left[k] and substitution == "adjacent":
            lower, higher = max({0, *left[k]} & {*range(die)}), min({7, *left[k]} & {*range(die + 1, 8)})
            faces = {face for face in range(1, 7) if die in found[seat, k, face]}
            assert faces == {*range(lower + 1, higher)}


def test_the_longest_game() -> None:
    """§9: the page's 79."""
    assert find("einstein").longest == 79
    for game in TESTED:
        assert game.longest == EinStein(**game.params).longest()


@marked(COMPILES)
def test_a_longest_game() -> None:
    """§9: on the smallest board one takes every step but one."""
    batch = by_hand("einstein", board_size=2, stones=1)
    for ply, a in enumerate((0, 0, 1)):
        assert batch.states["to_move"][0] == CHANCE
        batch.resolve(np.array([0]))
        rewards, over, cut = batch.step(np.array([a]))
        assert (bool(over[0]), bool(cut[0])) == (ply == 2, False)
    assert rewards.tolist() == [[1, -1]]
    assert batch.states["ply"][0] == batch.game.longest == 3


def test_nothing_follows_the_end() -> None:
    """§8: neither an action nor a roll."""
    batch, oracle = by_hand("einstein"), EinStein()
    oracle.set_up({(0, 3): (3, 3), (1, 1): (0, 1)}, turn=0, die=3)
    batch.states = record(batch.game, oracle)
    batch.step(np.array([8]))
    assert (batch.to_move[0], batch.states["winner"][0], batch.states["turn"][0]) == (OVER, 0, 0)
    assert not batch.mask.any()
    with pytest.raises(IllegalAction, match="ended"):
        batch.step(np.array([6]))
    with pytest.raises(BoyiError, match="no chance event"):
        batch.resolve(np.array([0]))


@pytest.mark.parametrize("action", [-1, 0, 3, 8, 18, 2**40])
@pytest.mark.parametrize("seat", [0, 1])
def test_illegal_actions(action: int, seat: int) -> None:
    """§10: they raise and leave the position untouched, or cost the offender the game: -1, and 0 for the other."""
    oracle, strict = EinStein(), by_hand("einstein")
    stones: dict[Stone, Cell] = {(0, 1): (0, 0), (0, 3): (3, 4), (0, 5): (2, 2), (1, 2): (4, 4)}
    oracle.set_up(exchanged(stones, oracle) if seat else stones, seat, 3)
    assert oracle.legal() == {7}  # 0 and 3 would move stones that may not, 8 one that may off the board
    strict.states = record(strict.game, oracle)
    before = strict.states.tobytes()
    with pytest.raises(IllegalAction):
        strict.step(np.array([action]))
    assert strict.states.tobytes() == before
    lenient = Batch(strict.game, 1, seed=0, illegal="forfeit")
    lenient.states = strict.states
    oracle.play(action)
    rewards, over, _ = lenient.step(np.array([action]))
    assert rewards[0].tolist() == oracle.returns()
    assert over[0]
    assert not lenient.mask.any()
    check_observations(strict.game, lenient.states, oracle)
