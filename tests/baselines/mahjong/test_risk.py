"""What others win on in mahjong: safe tiles, the numbers of a chance in positions set up by hand, and hands played."""

from functools import cache

import numpy as np
import pytest
from mahjong_positions import SEATS, Record, count, redealt, table
from numba import config

from boyi.baselines.mahjong import risk as danger
from boyi.baselines.mahjong.risk import DANGERS, Danger, Dangers, fit, greedy_dangers, main
from boyi.baselines.mahjong.risk_kernels import CELLS, TERMS, WON, find_cells, mark_ages
from boyi.baselines.mahjong.search import Hands
from boyi.baselines.players.greedy import Greedy
from boyi.envs import Batch, find
from boyi.envs.engine.bind import bind
from boyi.envs.mahjong import constants, tiles
from boyi.envs.mahjong.complete import complete

pytestmark = pytest.mark.kernels

GAME = find("mahjong")
HAND = "19m24568p357s1234667z"
NAMES = ("stage", "spot", "age", "side", "side", "pairs", "pairs", "gap", "own", "near")
compiled_only = pytest.mark.skipif(config.DISABLE_JIT, reason="says something only with many hands")


def cells_of(states, o, k, unseen, ages, cells):  # type: ignore[no-untyped-def]
    """Find the numbers of a chance in record 0."""
    mark_ages(states[0], o, ages)
    find_cells(states[0], o, k, unseen, ages, cells)


def told(state: Record, o: int, tile: str) -> dict[str, list[int]]:
    """Say by the name of each term which of its numbers seat 0 counts for opponent `o` and a tile."""
    s, ages, cells = state[0], np.zeros(34, np.int64), np.zeros(CELLS, np.int64)
    unseen = (s["wall"] + s["hand"][1:].sum(axis=0)).astype(np.int64)
    bind(cells_of, GAME)(state, o, tiles.kind_of(tile), unseen, ages, cells)
    starts = dict(zip(TERMS, np.cumsum([0, *TERMS.values()]), strict=False))
    found: dict[str, list[int]] = {}
    for name, cell in zip(NAMES, cells, strict=True):
        assert 0 <= cell - starts[name] < TERMS[name]
        found.setdefault(name, []).append(int(cell - starts[name]))
    return found


def ages_of(states, o, ages):  # type: ignore[no-untyped-def]
    """Mark the ages of record 0."""
    mark_ages(states[0], o, ages)


def age(state: Record, o: int, tile: str) -> int:
    """Count the own discards of an opponent since it let a tile pass."""
    ages = np.zeros(34, np.int64)
    bind(ages_of, GAME)(state, o, ages)
    return int(ages[tiles.kind_of(tile)])


def chances(state: Record, dangers: Dangers | None = None) -> np.ndarray:
    """Weigh the discards of the seat whose turn it is."""
    seat = int(state["turn"][0])
    hand = state["hand"][0, seat : seat + 1]
    return Danger(GAME, dangers).risk(Hands(state, seat, 5, 7, hand, hand))[0]


def safe(state: Record) -> set[str]:
    """Name the tiles that nobody wins on."""
    return {tiles.name_of(int(k)) for k in np.flatnonzero(chances(state) == 0)}


@cache
def seen(hands: int = 1500, seed: int = 9) -> tuple[np.ndarray, float]:
    """Play hands that the numbers were not fitted to."""
    return greedy_dangers(hands, seed)


@pytest.mark.parametrize(
    ("thrown", "expected"),
    [
        ("", set()),
        ("1:5p 2:9s 3:1m", {"1m"}),
        ("1:5p 2:5p 3:5p", {"5p"}),
        ("0:2m 1:9s 2:5p 3:9s", {"9s"}),
        ("1:2p 2:3p 3:1z", {"1z"}),
    ],
)
def test_a_tile_is_safe_that_all_have_let_pass_since_their_last_discard(thrown: str, expected: set[str]) -> None:
    """Seat 3 has discarded last, so that only its tile was let pass by all; or they discarded the same."""
    assert safe(table(HAND, thrown=thrown)) == expected


@pytest.mark.parametrize("seat", SEATS)
def test_every_seat_looks_at_the_other_three(seat: int) -> None:
    """What it has discarded itself, or has let pass, is none of its own concern."""
    after = [(seat + i) % 4 for i in range(1, 4)]
    thrown = f"{seat}:9p {after[0]}:5p {after[1]}:9s {after[2]}:1m"
    state = table(*[HAND if q == seat else "" for q in SEATS], turn=seat, thrown=thrown)
    assert safe(state) == {"1m"}
    assert safe(table(*[HAND if q == seat else "" for q in SEATS], turn=seat, thrown=f"{seat}:9p")) == {"9p"}


def test_a_claim_ends_what_was_let_pass_before() -> None:
    """Seat 3 claims 9s and discards 1z: seats 1 and 2 have let both pass, seat 3 may wait for 9s now."""
    thrown = "1:2p 2:3p 3:4p 0:9s>3 3:1z"
    state = table(HAND, melds={3: "999s<0"}, thrown=thrown)
    expected = {"2p": [0, 1, 2], "3p": [0, 0, 2], "4p": [0, 0, 1], "9s": [0, 0, 1], "1z": [0, 0, 0], "5s": [99] * 3}
    assert {tile: [age(state, o, tile) for o in (1, 2, 3)] for tile in expected} == expected
    assert safe(state) == {"1z"}


def test_no_hand_is_complete_with_a_tile_that_is_called_safe() -> None:
    """In hands that are played, by everybody against everybody at every discard."""
    batch, rule, found = Batch(GAME, count(60, 2), seed=4, encoder=None), Greedy(), 0
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        for row in rows[batch.states["phase"][rows] == constants.TURN]:
            state = batch.states[row : row + 1]
            seat = int(state["turn"][0])
            for k in np.flatnonzero((chances(state) == 0) & (state["hand"][0, seat] > 0)):
                found += 1
                others = [q for q in SEATS if q != seat]
                assert not any(bind(complete, GAME)(state["hand"][0, q], k, -1) for q in others)
        batch.step(rule.act(batch.view(rows)), rows)
    assert found > count(500, 3)


def test_what_is_counted_of_an_opponent_and_a_tile() -> None:
    """Seat 0 asks what seat 2, who has a meld, wins on."""
    thrown = "1:4m 2:7p 3:8m 0:2m 1:9s 2:5m 3:1z 0:7m 1:6p 2:9p 3:4z"
    state = table("5577m1234p5666s2233z"[:-2] + "3z", melds={2: "555z<1"}, thrown=thrown, far="5m")
    live = int(state["left"][0]) - 16
    unseen = state["wall"][0] + state["hand"][0, 1:].sum(axis=0)
    for tile in ("5m", "6m", "1p", "2z"):
        k, found = tiles.kind_of(tile), told(state, 2, tile)
        assert found["stage"] == [14 + min(live // 4, 13)]
        spot = {"5m": 3, "6m": 3, "1p": 1, "2z": 0}[tile]
        assert found["spot"] == [4 * spot + min(unseen[k], 3)]
        if tile != "2z":
            low = unseen[k - 1] if tile != "1p" else 0
            far = unseen[k - 2] if tile != "1p" else 0
            ways = [low * far, unseen[k + 1] * unseen[k + 2]]
            assert found["pairs"] == [int(np.searchsorted((1, 4, 9), n, "right")) for n in ways]
            assert found["gap"] == [int(np.searchsorted((1, 4, 9), low * unseen[k + 1], "right"))]
        else:
            assert found["pairs"] == [0, 0] and found["gap"] == [0]
    # It let 5m pass one own discard ago, 2m and 8m two, and has never been shown 3m, 6m, 9m or 4p.
    assert (told(state, 2, "5m")["age"], told(state, 2, "6m")["age"]) == ([0], [5])
    assert told(state, 2, "5m")["side"] == [3, 3]
    assert told(state, 2, "6m")["side"] == [6, 6]
    assert told(state, 2, "1p")["side"] == [0, 6]
    assert told(state, 2, "2z")["side"] == [0, 0]
    assert (told(state, 2, "5m")["own"], told(state, 2, "6m")["own"]) == ([1], [0])
    assert [told(state, 2, tile)["near"] for tile in ("6m", "1p", "8p", "6p", "2z")] == [[1], [0], [2], [2], [0]]


def test_chances_add_the_numbers_up_and_opponents_multiply() -> None:
    state = table(HAND, melds={1: "123m<0:1m", 3: "555z<1 999s<0"}, live=30, thrown="1:5p 2:9s 3:1m")
    lots = np.random.default_rng(2)
    terms = {name: lots.normal(size=size) - 0.4 for name, size in TERMS.items()}
    shaped = {"stage": terms["stage"].reshape(6, 14), "spot": terms["spot"].reshape(4, 4)}
    dangers = Dangers(**{**terms, **shaped}, lost=1.0)  # type: ignore[arg-type]
    given = chances(state, dangers)
    for k in range(34):
        none = 1.0
        for o in (1, 2, 3):
            tile = tiles.name_of(k)
            if age(state, o, tile) > 0:
                logit = sum(terms[name][cell] for name, cells in told(state, o, tile).items() for cell in cells)
                none *= 1 - 1 / (1 + np.exp(-logit))
        assert given[k] == pytest.approx(1 - none)


def test_what_is_hidden_changes_nothing() -> None:
    state = table(HAND, melds={2: "8888s!", 1: "123m<0:1m"}, thrown="1:5p 2:9s 3:1z", live=20)
    for k in range(count(5, 2)):
        again = redealt(state, 0, k)
        assert (again != state).any()
        np.testing.assert_array_equal(chances(again), chances(state))


def test_the_numbers_say_what_players_know() -> None:
    """Of an opponent: more melds and fewer draws are worse, long ago is worse than lately, many ways than few."""
    stage = np.array(DANGERS.stage)
    assert (np.diff(stage[:5], axis=0)[:, :9] > 0).all() and (stage[:3, 2] > stage[:3, 10]).all()
    assert list(DANGERS.age) == sorted(DANGERS.age)
    assert DANGERS.side[1] < DANGERS.side[6] and DANGERS.pairs[0] < DANGERS.pairs[3] and DANGERS.gap[0] < DANGERS.gap[3]
    assert DANGERS.own[1] < DANGERS.own[0] and list(DANGERS.near) == sorted(DANGERS.near, reverse=True)
    shapes = [np.size(term) for term in DANGERS[:-1]]
    assert shapes == list(TERMS.values())


def foretold(rows: np.ndarray, dangers: Dangers = DANGERS) -> np.ndarray:
    """Say how likely rows won, by the numbers."""
    numbers = np.concatenate([np.ravel(term) for term in dangers[:-1]])
    return np.asarray(1 / (1 + np.exp(-numbers[rows[:, :WON].astype(int)].sum(axis=1))))


@compiled_only
def test_the_numbers_foretell_hands_they_were_not_fitted_to() -> None:
    """By tenths of the chances that they give; and the most dangerous of them really are many times as dangerous."""
    rows, lost = seen()
    given, won = foretold(rows), rows[:, WON]
    parts = np.array_split(np.argsort(given), 10)
    for part in parts:
        assert given[part].mean() == pytest.approx(won[part].mean(), rel=0.15, abs=0.001)
    assert won[parts[-1]].mean() > 5 * won.mean()
    assert lost == pytest.approx(DANGERS.lost, rel=0.05)


@pytest.mark.slow
@compiled_only
def test_the_numbers_can_be_fitted_again() -> None:
    """From fewer hands they foretell the others about as well."""
    rows, lost = seen()
    again = fit(rows[:300_000], lost)
    rest, won = rows[300_000:], rows[300_000:, WON]
    surprise = [-np.log(np.where(won, given, 1 - given)).mean() for given in (foretold(rest), foretold(rest, again))]
    assert surprise[0] < surprise[1] < 1.05 * surprise[0]
    assert surprise[1] < 0.9 * -(won.mean() * np.log(won.mean()) + (1 - won.mean()) * np.log(1 - won.mean()))


def test_the_fit_is_printed_as_it_stands_in_the_module(capsys: pytest.CaptureFixture[str]) -> None:
    main(count(20, 1))
    scope = dict(vars(danger))
    exec(capsys.readouterr().out, scope)
    assert isinstance(scope["DANGERS"], Dangers)
    assert [np.size(term) for term in scope["DANGERS"][:-1]] == list(TERMS.values())
