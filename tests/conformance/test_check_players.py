"""What `check_game` tells of broken evaluations, players and rollouts, and of a game that differs from its oracle."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hex_oracle import Hex

from boyi.envs import find
from boyi.envs.conformance.check import GameError, Probe, check_game, evaluations, policies, proofs, rollouts
from boyi.envs.conformance.oracle import compare
from boyi.envs.engine.rng import kernel

pytestmark = pytest.mark.kernels


@kernel
def lopsided(s, e, seat):
    return 5


@kernel
def huge(s, e, seat):
    return 1_000_000 - 2_000_000 * seat


@kernel
def forgetful(before, s, e, a):
    pass


@kernel
def nothing(s, e, moves, ranks):
    return 0


@kernel
def twice(s, e, moves, ranks):
    for a in range(s.board.size):
        if s.board[a] == 0:
            moves[:2] = a
    return 2


@kernel
def everywhere(s, e, moves, ranks):
    for a in range(s.board.size):
        moves[a] = a
    return s.board.size


@kernel
def meddling(s, e, seat):
    s.ply += 1
    return 0


@kernel
def sure(s, e, moves, ranks):
    for a in range(s.board.size):
        if s.board[a] == 0:
            moves[0] = a
    return -1


@kernel
def hopeless(s, e, moves, ranks):
    return 0


@kernel
def meddling_proof(s, e):
    s.ply += 1


@kernel
def all_alike(s, e):
    return 0


@kernel
def first(s, notes, rng):
    return 0


@kernel
def moody(s, notes, rng):
    notes[0] += 1
    return 0 if notes[0] % 2 else 1


@kernel
def idle(s, notes, rng, mask, p, used):
    pass


HEX = "hex:board_size=3"
BROKEN = {
    "one-sided": (HEX, "evaluate", "evaluate", lopsided, evaluations, "evaluate says [5 5] to two seats"),
    "too much": (HEX, "evaluate", "evaluate", huge, evaluations, "not within a million either way"),
    "not followed": (HEX, "evaluate", "follow", forgetful, evaluations, "what is followed says something else here"),
    "no candidates": (HEX, "evaluate", "candidates", nothing, evaluations, "candidates lists 0 actions"),
    "a candidate twice": (HEX, "evaluate", "candidates", twice, evaluations, "candidates lists an action twice"),
    "illegal candidates": (HEX, "evaluate", "candidates", everywhere, evaluations, "candidates lists what is not"),
    "illegal tactics": (HEX, "evaluate", "tactics", everywhere, evaluations, "tactics lists what is not legal"),
    "changes": (HEX, "evaluate", "evaluate", meddling, evaluations, "evaluation changes the record"),
    "wins all": (HEX, "proof", "relevant", sure, proofs, "proofs say that seat 0 wins this, and that it loses"),
    "loses all": (HEX, "proof", "relevant", hopeless, proofs, "proofs say that seat 1 wins this, and that it loses"),
    "relevant twice": (HEX, "proof", "relevant", twice, proofs, "relevant in its proof.py lists an action twice"),
    "relevant illegal": (HEX, "proof", "relevant", everywhere, proofs, "relevant in its proof.py lists what is not"),
    "proof changes": (HEX, "proof", "examine", meddling_proof, proofs, "a proof changes the record"),
    "alike": (HEX, "proof", "alike", all_alike, proofs, "hashes a lost position as one that is won"),
    "illegal choice": ("jiu:board_size=6", "greedy", "policy", first, policies, "chooses 0, which is not legal"),
    "no end": (HEX, "rollout", "rollout", idle, rollouts, "rollout stops before the end"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_players_are_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, part, attribute, broken, item, says = BROKEN[name]
    probe = Probe(find(game), games=3)
    item(probe)
    monkeypatch.setattr(probe.game.module(part), attribute, broken, raising=False)
    with pytest.raises(GameError, match=re.escape(says)):
        item(probe)


def test_a_choice_that_changes_with_the_mood_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe(find("jiu:board_size=6"), games=1)
    module = probe.game.module("greedy")
    monkeypatch.setattr(module, "notes", lambda game: np.zeros(1, np.int64))
    monkeypatch.setattr(module, "policy", moody)
    probe.positions = [p for p in probe.positions if p.to_move >= 0 and p.mask[:2].all()][:1]
    with pytest.raises(GameError, match="chooses differently by the same numbers"):
        policies(probe)


# Oracles


def differing(attribute: str, change: Callable[[Any, Any], Any]) -> type[Hex]:
    """Make an oracle of which one method says something else."""
    return type(
        "Differing", (Hex,), {attribute: lambda self, *args: change(getattr(Hex, attribute)(self, *args), self)}
    )


DIFFERENT = {
    "mover": (lambda said, self: None if said is None else 1 - said, "the oracle says that 1 moves, not 0"),
    "legal": (lambda said, self: said - {4}, "the oracle sees actions [4] differently"),
    "returns": (lambda said, self: said[::-1], "the oracle says that the returns are"),
    "name": (lambda said, self: said.upper(), "the oracle calls action 0 'A1', not 'a1'"),
    "observe_planes": (lambda said, self: said[::-1], "the oracle sees another observe_planes for seat 0"),
}


@pytest.mark.parametrize("attribute", DIFFERENT)
def test_a_game_that_differs_from_its_oracle_is_told(attribute: str) -> None:
    change, says = DIFFERENT[attribute]
    with pytest.raises(GameError, match=re.escape(says)):
        compare(Probe(find(HEX), games=2), differing(attribute, change))


def test_a_diagram_that_loses_something_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it is whose turn it is; the diagram of an empty board is all that `read` gives back."""
    probe = Probe(find(HEX), games=2)
    text = probe.game.module("text")
    empty = text.diagram(probe.start(0)[0])
    monkeypatch.setattr(text, "diagram", lambda state: empty)
    with pytest.raises(GameError, match="of the record read from its diagram"):
        compare(probe, Hex)


def test_check_game_takes_an_oracle_and_tells_what_it_does() -> None:
    told: list[str] = []
    check_game(HEX, games=2, oracle=Hex, report=lambda game, promise: told.append(promise))
    assert told[0] == "starts" and told[-1] == "oracle" and {"evaluations", "policies", "rollouts"} <= set(told)
    with pytest.raises(GameError, match="the oracle"):
        check_game(HEX, games=2, oracle=differing("legal", DIFFERENT["legal"][0]))
