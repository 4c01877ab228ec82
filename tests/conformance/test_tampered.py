"""Records with changed bytes: what `flaw` takes for a position, every kernel there is can work on.

`check_game` has this attack for the kernels that all games have. Here are those which only some have and, under
NUMBA_BOUNDSCHECK=1, every byte of many more positions.
"""

import numba
import numpy as np
import pytest
import strip
import toy
from sizes import every_set, small_game

from boyi.baselines.search.evaluation import WIN, evaluation
from boyi.baselines.search.rollouts import find_rollout, rollout_notes
from boyi.envs import Game, Spec, find, games
from boyi.envs.conformance import tampering as tamper
from boyi.envs.conformance.random_games import Probe, open_stream
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import settle
from boyi.envs.engine.protocol import (
    candidates,
    evaluate,
    follow,
    legal,
    policy,
    returns,
    rollout,
    step,
    survey,
    tactics,
    transposition,
)
from boyi.envs.engine.rng import choose

pytestmark = pytest.mark.kernels

LISTED = [*(find(name).spec for name in games()), toy.SPEC]
SPECS = [*LISTED, strip.SPEC]


def lawful(moves, n, mask):
    """Whether the first `n` moves are legal."""
    for i in range(n):
        if moves[i] < 0 or moves[i] >= mask.shape[0] or mask[moves[i]] == 0:
            return False
    return True


def weigh_rows(states, notes, mask, moves, ranks, seats, rng):
    """Ask a game's evaluation all that searches ask; return the first record where its answer is none, or -1."""
    for k in range(states.shape[0] - 1):
        s, after = states[k], states[states.shape[0] - 1]
        legal(s, mask)
        survey(s, notes[0])
        transposition(s, notes[0])
        n = candidates(s, notes[0], moves, ranks)
        if n < 1 or not lawful(moves, n, mask) or not lawful(moves, tactics(s, notes[0], moves, ranks), mask):
            return k
        for seat in range(seats):
            if abs(evaluate(s, notes[0], seat)) >= WIN:
                return k
        states[states.shape[0] - 1] = states[k]
        a = choose(mask, rng)
        step(after, a)
        if after.to_move >= 0:
            follow(s, after, notes[0], a)
            evaluate(after, notes[0], 0)
    return -1


def policy_rows(states, notes, mask, rng):
    """Return the first record in which the game's simple player does not choose a legal action, or -1."""
    for k in range(states.shape[0]):
        legal(states[k], mask)
        a = policy(states[k], notes, rng)
        if a < 0 or a >= mask.shape[0] or mask[a] == 0:
            return k
    return -1


def rollout_rows(states, notes, mask, p, used, r, low, high, rng):
    """Return the first record from which a rollout does not reach an end with returns in range, or -1."""
    for k in range(states.shape[0]):
        s = states[k]
        settle(s, rng, p)
        rollout(s, notes, rng, mask, p, used)
        returns(s, r)
        if s.to_move >= 0:
            return k
        for seat in range(r.shape[0]):
            if not low <= r[seat] <= high:
                return k
    return -1


def taken(game: Game) -> np.ndarray:
    """Change bytes in positions of random games; return the decisions (m,) taken for positions, after the real ones."""
    probe, lots = Probe(game, games=6), np.random.default_rng(5)
    positions = [position for position in probe.positions if position.to_move >= 0]
    chosen = [positions[k] for k in lots.permutation(len(positions))[: tamper.POSITIONS]]
    states = np.concatenate([position.states for position in chosen])
    made = [tamper.accepted(probe, position, lots) for position in chosen]
    found = np.concatenate([states, *made])
    return found[found["to_move"] >= 0]


@every_set(SPECS, large=False)
def test_players_of_one_game_can_play_on_from_what_is_taken_for_a_position(game: Game) -> None:
    states, mask, rng = taken(game), np.zeros(game.actions, np.int8), open_stream(3)
    if game.has("greedy"):
        rule = game.module("greedy")
        assert bind(policy_rows, game, policy=rule.policy)(states.copy(), rule.notes(game), mask, rng) == -1
    if game.has("rollout"):
        kernel = find_rollout(game, True, True)
        p, used = np.zeros(max(1, game.chance_outcomes)), np.zeros((game.seats, game.actions), np.int8)
        room = mask, p, used, np.zeros(game.seats, np.float32), game.low, game.high
        assert bind(rollout_rows, game, rollout=kernel)(states.copy(), rollout_notes(game, kernel), *room, rng) == -1
    if game.has("evaluate"):
        found = evaluation(game, "test")
        moves, ranks = np.zeros((2, game.actions), np.int32)
        room = found.notes, mask, moves, ranks, game.seats
        assert bind(weigh_rows, game, **found.kernels)(np.concatenate([states, states[:1]]), *room, rng) == -1


def sizes_apart(spec: Spec) -> list[Game]:
    """Choose the tested sets with the smallest records, the largest, and those of the small game, or as large."""
    games = [Game.bind(spec, params) for params in spec.tested]
    sizes = [game.dtype.itemsize for game in games]
    kept = {min(sizes), max(sizes), small_game(spec).dtype.itemsize}
    return [game for game in games if game.dtype.itemsize in kept]


@pytest.mark.skipif(not numba.config.BOUNDSCHECK, reason="looks at every index: NUMBA_BOUNDSCHECK=1")
@pytest.mark.parametrize("game", [game for spec in LISTED for game in sizes_apart(spec)], ids=str)
def test_every_byte_of_many_positions(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, many in (("POSITIONS", 40), ("CHANGES", 1 << 20), ("PLAYED", 400)):
        monkeypatch.setattr(tamper, name, many)
    tamper.tampering(Probe(game, games=8, seed=100))
