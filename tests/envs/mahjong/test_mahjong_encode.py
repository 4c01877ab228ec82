"""What a seat of mahjong knows: information sets, what `redeal` draws, encoders, symmetries."""

import random
from collections import Counter
from itertools import permutations

import mahjong_oracle as oracle
import numpy as np
import pytest
from histories import seen
from mahjong_positions import (
    FORMS,
    GAME,
    NAMES,
    SEATS,
    WAITING,
    Record,
    by_name,
    count,
    every_set,
    items_of_win,
    likely,
    played,
    redealt,
    table,
)

from boyi.envs import Batch, BoyiError, Game
from boyi.envs.engine import kernels
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import CHANCE, OVER
from boyi.envs.mahjong import SPEC, constants, encode, text, tiles
from boyi.envs.mahjong import state as record
from boyi.envs.mahjong.melds import CHOW, CONCEALED

pytestmark = pytest.mark.kernels


each_position = pytest.mark.parametrize("name", NAMES)


def permuted(state: Record, seat: int, rng: random.Random) -> Record:
    """Exchange at random what a seat cannot see: others' tiles, the wall, hidden kongs, answers, who else is asked."""
    s = state.copy()
    hidden = [(q, j) for q in SEATS for j in range(s["melds"][0, q]) if hides(s, seat, q, j)]
    offered = int(s["offer"][0]) if s["phase"][0] == constants.ROB and s["turn"][0] != seat else -1
    pool = [k for q in SEATS if q != seat for k in range(34) for _ in range(s["hand"][0, q, k])]
    pool += [k for k in range(34) for _ in range(s["wall"][0, k])]
    pool += [int(s["kind"][0, q, j]) for q, j in hidden for _ in range(4)]
    if offered >= 0:
        pool.remove(offered)
    for q, j in hidden:
        kind = rng.choice([k for k in range(34) if pool.count(k) == 4])
        s["kind"][0, q, j] = kind
        pool = [k for k in pool if k != kind]
    rng.shuffle(pool)
    for q in SEATS:
        if q != seat:
            fixed = [offered] if offered >= 0 and q == s["turn"][0] else []
            many = int(s["hand"][0, q].sum()) - len(fixed)
            s["hand"][0, q] = np.bincount([*fixed, *pool[:many]], minlength=34)
            pool = pool[many:]
    s["wall"][0] = np.bincount(pool, minlength=34)
    if s["turn"][0] != seat and s["last"][0] >= 0:
        s["last"][0] = rng.choice(np.flatnonzero(s["hand"][0, s["turn"][0]]).tolist())
    others = [q for q in SEATS if q != seat]
    s["missed"][0, others] = [rng.randrange(2) for _ in others]
    s["ply"] += rng.randrange(9)
    if s["phase"][0] != constants.TURN:
        s["answer"][0, others] = [rng.randrange(8) for _ in others]
        if s["to_move"][0] != seat:
            s["to_move"] = rng.choice([q for q in others if q != s["turn"][0]])
    return s


def hides(s: Record, seat: int, q: int, j: int) -> bool:
    return bool(q != seat and s["form"][0, q, j] == CONCEALED and s["hide_concealed_kong"][0])


def check_same_for(seat: int, here: Record, there: Record) -> None:
    """Demand that a seat sees no difference, nor may do anything else."""
    for encoder in SPEC.encoders:
        assert np.array_equal(seen(GAME, here, encoder, seat), seen(GAME, there, encoder, seat)), encoder
    assert text.diagram(here[0], seat) == text.diagram(there[0], seat)
    if here["to_move"][0] == seat:
        assert np.array_equal(open_to_mover(here), open_to_mover(there))


def open_to_mover(state: Record) -> np.ndarray:
    """Mark what the seat to move may do, in a record that need not be a position."""
    mask = np.zeros((1, GAME.actions), np.int8)
    bind(kernels.mask_rows, GAME)(0, 1, state, np.zeros(1, np.int64), mask)
    return mask


# Information sets


@each_position
def test_what_is_hidden_does_not_show(name: str) -> None:
    """§9, §18: observation, picture in text and own mask stay the same, bit for bit, whatever a seat cannot know."""
    state, rng = by_name(name), random.Random(3)
    for seat in SEATS:
        for _ in range(count(20, 2)):
            check_same_for(seat, state, permuted(state, seat, rng))


@each_position
def test_redealing_keeps_what_a_seat_knows(name: str) -> None:
    """§18, §23: no tile is lost, hands keep their sizes, and what the seat knows stays."""
    state = by_name(name)
    for seat in SEATS:
        for k in range(count(20, 2)):
            again = redealt(state, seat, k)
            check_same_for(seat, state, again)
            assert again["hand"].sum(axis=2).tolist() == state["hand"].sum(axis=2).tolist()
            assert int(again["wall"].min()) >= 0
            if state["phase"][0] == constants.ROB:
                assert again["hand"][0, state["turn"][0], state["offer"][0]] > 0
            assert int(again["wall"].sum()) == int(again["left"][0]) == int(state["left"][0])
            try:
                text.read(text.diagram(again[0]))  # which counts four copies of every kind
            except BoyiError as error:
                pytest.fail(str(error))
            kept = [
                "ply",
                "to_move",
                "turn",
                "phase",
                "start",
                "offer",
                "melds",
                "form",
                "taken",
                "giver",
                "discard",
                "by",
                "kongs",
            ]
            assert all(np.array_equal(again[field], state[field]) for field in kept)
            for field in ("hand", "kind", "answer", "missed"):
                assert np.array_equal(again[field][0, seat], state[field][0, seat])
            played(again)


@each_position
def test_redealing_hides_everything_else(name: str) -> None:
    """§23: others' hands, hidden kongs, tiles drawn last, answers and missed wins are drawn anew."""
    state = by_name(name)
    for seat in SEATS:
        found = np.concatenate([redealt(state, seat, k) for k in range(count(60, 9))])
        for q in SEATS:
            if q != seat:
                assert len({hand.tobytes() for hand in found["hand"][:, q]}) > count(50, 7)
                assert not found["missed"][:, q].any()
                for j in range(state["melds"][0, q]):
                    varies = len(set(found["kind"][:, q, j].tolist())) > 3
                    assert varies == hides(state, seat, q, j)
        if state["last"][0] >= 0:
            assert (len(set(found["last"].tolist())) > 3) == (state["turn"][0] != seat)


def test_a_hand_that_is_over_is_not_redealt() -> None:
    """§23: nothing is hidden that could still matter."""
    state = played(table("5m", WAITING, far="5m"), "5m, win").states
    assert state["to_move"][0] == OVER
    assert redealt(state, 2, 0).tobytes() == state.tobytes()


# What is drawn


def spread(found: list[int], expected: dict[int, float]) -> bool:
    """Say whether nothing comes up but what is expected, and that about as often, up to a factor."""
    counts = Counter(found)
    assert set(counts) <= set(expected)
    return likely([counts[k] for k in expected], list(expected.values()))


def test_redealt_hands_are_uniform() -> None:
    """§23: every unseen tile is as likely in one place as in another; so is what another drew last among its tiles."""
    state, many = by_name("turn of another"), count(4000, 80)
    unseen = state["wall"][0] + state["hand"][0, [1, 2, 3]].sum(axis=0)
    for kind in state["kind"][0, [1, 2, 3], 0]:
        unseen[kind] += 4
    found = np.concatenate([redealt(state, 0, k) for k in range(many)])
    four = [k for k in range(34) if unseen[k] == 4]
    for q in (1, 2, 3):
        assert spread(found["kind"][:, q, 0].tolist(), dict.fromkeys(four, 1.0))
    free = {k: float(unseen[k]) * (1 - 3 / len(four) * (unseen[k] == 4)) for k in range(34) if unseen[k]}
    for q in (1, 2, 3):
        assert spread([k for hand in found["hand"][:, q] for k in np.repeat(np.arange(34), hand)], free)
    assert spread([k for wall in found["wall"] for k in np.repeat(np.arange(34), wall)], free)
    assert spread(found["last"].tolist(), free)
    assert all(hand[k] > 0 for hand, k in zip(found["hand"][:, 2], found["last"], strict=True))
    together = Counter(zip(*found["kind"][:, [1, 3], 0].T.tolist(), strict=True))
    assert all(a != b for a, b in together)


@pytest.mark.parametrize("name", ["second answer", "third answer", "all win", "rob, asked twice"])
def test_redealt_answers(name: str) -> None:
    """§9, §23: who was asked earlier answers anew, as its hand allows, no win where that would have ended it all."""
    state, chosen = by_name(name), Counter[tuple[int, int]]()
    turn, mover = int(state["turn"][0]), int(state["to_move"][0])
    earlier = [q % 4 for q in range(turn + 1, turn + 4)]
    earlier = earlier[: earlier.index(mover)]
    for seat in SEATS:
        for k in range(count(300, 8)):
            again = redealt(state, seat, k)
            for q in SEATS:
                answer = int(again["answer"][0, q])
                if q not in earlier or q == seat:
                    assert answer == state["answer"][0, q]
                    continue
                asked = again.copy()
                asked["to_move"], asked["answer"] = q, 0
                allowed = np.flatnonzero(open_to_mover(asked)).tolist()
                if allowed == [record.PASS] and not state["ask_all"][0]:
                    assert answer == 0
                    continue
                if state["multi_win"][0] == 0:
                    allowed = [a for a in allowed if a != record.WIN]
                assert answer + record.ANSWER in allowed
                chosen[len(allowed), allowed.index(answer + record.ANSWER)] += 1
    for size in {size for size, _ in chosen}:
        assert likely([chosen[size, i] for i in range(size)], [1.0] * size)
    assert name in ("all win", "rob, asked twice") or max(size for size, _ in chosen) > 1


def test_redealt_answers_are_equally_likely() -> None:
    """§9, §23: who holds 4m and 6m claims the chow of 5m or passes; it has not won, or nobody would be asked."""
    melds = {1: "111p<0 222p<0 333p<0 444p<0"}
    state = played(table("5m", "46m", "55m", far="5m", melds=melds, reserve=0), "5m, pass").states
    state["melds"][0, [0, 3]] = 5  # one concealed tile each, and unseen are four 4m and four 6m
    state["hand"][0, [0, 1, 3]], state["wall"], state["left"] = 0, 0, 2
    state["hand"][0, 0, 3], state["hand"][0, 3, 5], state["hand"][0, 1, [3, 5]], state["wall"][0, [3, 5]] = 1, 1, 2, 1
    found = Counter[int]()
    for k in range(count(600, 60)):
        again = redealt(state, 2, k)
        if again["hand"][0, 1, [3, 5]].all():
            found[int(again["answer"][0, 1]) + record.ANSWER] += 1
    assert found.keys() <= {record.TAKE_MIDDLE, record.PASS}
    assert likely([found[record.TAKE_MIDDLE], found[record.PASS]], [1.0, 1.0])


def test_what_is_redealt_can_discard() -> None:
    """§6, §23: with `swap_call_ban` a seat that has claimed a tile has one that it may discard."""
    melds = {1: "111p<0 222p<0 333p<0 444p<0"}
    state = played(table("5m", "67m9s", far="5m", melds=melds, swap_call_ban=True), "5m, chow 567m").states
    state["melds"][0, [0, 2, 3]] = 5  # one concealed tile each, and unseen are two 5m, four 8m and a 9s
    state["hand"], state["wall"] = 0, 0
    state["hand"][0, 0, 0], state["hand"][0, [2, 3], 4], state["hand"][0, 1, [7, 26]] = 1, 1, 1
    state["wall"][0, 7], state["left"] = 3, 3
    for k in range(count(200, 30)):
        again = redealt(state, 0, k)
        assert again["hand"].sum(axis=2).tolist() == [[1, 2, 1, 1]]
        assert again["hand"][0, 1, 26] == 1


# Encoders


def as_oracle(state: Record, **params: object) -> oracle.Mahjong:
    """Tell the oracle what can be observed of a position."""
    s, game = state[0], oracle.Mahjong.__new__(oracle.Mahjong)
    game.p = oracle.Parameters(**params)
    game.hands = [Counter({k: int(n) for k, n in enumerate(hand) if n}) for hand in s["hand"]]
    game.melds = [[] for _ in SEATS]
    for q in SEATS:
        for j in range(s["melds"][q]):
            game.melds[q].append(
                (FORMS[s["form"][q, j]], int(s["kind"][q, j]), int(s["taken"][q, j]), int(s["giver"][q, j]))
            )
    thrown = zip(s["discard"], s["by"], s["claimed"], strict=True)
    game.discards = [(int(k), int(q), None if to < 0 else int(to)) for k, q, to in list(thrown)[: s["discards"]]]
    game.phase, game.turn = ("turn", "claim", "rob")[s["phase"]], int(s["turn"])
    game.offer = None if s["offer"] < 0 else int(s["offer"])
    game.last_drawn = None if s["last"] < 0 else int(s["last"])
    return game


def params_of(name: str) -> dict[str, object]:
    """Say which parameters a position has that are not the default."""
    options = by_name(name)
    found: dict[str, object] = {"hide_concealed_kong": bool(options["hide_concealed_kong"][0])}
    return found | {key: int(options[key][0]) for key in ("dealer", "streak", "round_wind")}


@each_position
def test_observations_agree_with_the_oracle(name: str) -> None:
    """Every number of every encoder, for every seat, as the page has it."""
    game = as_oracle(by_name(name), **params_of(name))
    for encoder in SPEC.encoders:
        for seat in SEATS:
            expected = np.array(game.observation(seat, encoder), np.float32)
            assert np.allclose(seen(GAME, by_name(name), encoder, seat)[0], expected, atol=1e-6), (encoder, seat)


@pytest.mark.parametrize("encoder", SPEC.encoders)
def test_the_seat_to_move_is_shown(encoder: str) -> None:
    """What a step returns is what that seat observes, at the deal and on."""
    batch = Batch("mahjong", 1, seed=4, encoder=encoder)
    for _ in range(count(60, 12)):
        assert np.array_equal(batch.observation, batch.observe(batch.to_move))
        batch.step(batch.sample())


def test_planes_spelled_out() -> None:
    """§18: what the seats see of one position, by the page's table."""
    melds = {1: "5555p! 123m<0:2m", 2: "777s<1"}
    state = table("112m9s7z", melds=melds, far="5m", thrown="0:2m>1 3:9s 0:3m 1:4p 2:7s 3:1z", turn=0, last="9s",
                  round_wind=2, dealer=3, streak=2)  # fmt: skip
    mine, theirs = (seen(GAME, state, "planes", seat)[0].reshape(28, 36) for seat in (0, 3))

    def marked(plane: int, x: np.ndarray = mine) -> dict[str, float]:
        return {tiles.name_of(k): round(float(x[plane, k]), 2) for k in np.flatnonzero(x[plane])}

    assert {"1m", "2m", "9s", "7z"} <= marked(0).keys() and "1m" in marked(1) and "1m" not in marked(2)
    assert [marked(plane) for plane in (4, 5, 6, 7)] == [{}, {"1m": 0.25, "2m": 0.25, "3m": 0.25}, {"7s": 0.75}, {}]
    assert [marked(plane) for plane in (8, 9, 10, 11)] == [
        {"3m": 0.25},
        {"4p": 0.25},
        {"7s": 0.25},
        {"9s": 0.25, "1z": 0.25},
    ]
    assert [marked(plane) for plane in (12, 13, 14, 15)] == [{"3m": 1}, {"4p": 1}, {"7s": 1}, {"1z": 1}]
    own = tiles.parse(text.diagram(state[0]).splitlines()[2].split()[2])
    for tile in ("3s", "5p", "3m"):  # 5p: the hidden kong
        known = own[tiles.kind_of(tile)] + 2 * (tile == "3m")
        assert marked(16).get(tile, 0) == 1 - known / 4
    assert [marked(plane) for plane in (17, 18, 19, 20)] == [{}, {"9s": 1}, {"2z": 1}, {"3z": 1}]
    assert (mine[21:] == mine[21:, :1]).all()
    assert mine[[21, 22, *range(24, 28)], 35].tolist() == pytest.approx([0, 0, 0.5, 0.2, 0, 0])
    assert [marked(plane, theirs) for plane in (5, 6, 7)] == [{}, {"1m": 0.25, "2m": 0.25, "3m": 0.25}, {"7s": 0.75}]
    assert [marked(plane, theirs) for plane in (8, 9)] == [{"9s": 0.25, "1z": 0.25}, {"3m": 0.25}]
    assert [marked(plane, theirs) for plane in (18, 19)] == [{}, {"1z": 1}]


# Symmetries


def kinds_of_image(suits: tuple[int, ...], reverse: bool) -> list[int]:
    """Say which kind each becomes."""
    return [9 * suits[k // 9] + (8 - k % 9 if reverse else k % 9) if k < 27 else k for k in range(34)]


def image(state: Record, kinds: list[int], reverse: bool) -> Record:
    """Give every tile of a position another kind; the answers are changed with them."""
    s, to = state.copy(), np.array([*kinds, -1])
    for field in ("hand", "river"):
        s[field][..., kinds] = state[field]
    s["wall"][:, kinds] = state["wall"]
    for field in ("last", "offer", "taken"):
        s[field] = to[state[field]]
    s["discard"] = to[state["discard"]] * (np.arange(state["discard"].shape[1]) < state["discards"][0])
    for q in SEATS:
        for j in range(state["melds"][0, q]):
            k = state["kind"][0, q, j]
            low = k + 2 if reverse and state["form"][0, q, j] == CHOW else k
            s["kind"][0, q, j] = kinds[low]
    if reverse:
        answers = state["answer"]
        exchanged = {record.TAKE_LOW - record.ANSWER: record.TAKE_HIGH - record.ANSWER}
        exchanged |= {high: low for low, high in exchanged.items()}
        s["answer"] = [[exchanged.get(int(a), int(a)) for a in row] for row in answers]
    return s


@pytest.mark.parametrize("encoder", SPEC.encoders)
@each_position
def test_symmetries(name: str, encoder: str) -> None:
    """§22: images have the masks and observations that the permutations say, and wins the same tai."""
    numbers, actions = encode.symmetries(encoder)
    state, size = by_name(name), int(np.prod(GAME.shape(encoder)))
    order = [(suits, reverse) for suits in permutations(range(3)) for reverse in (False, True)]
    assert numbers.shape == (12, size) and actions.shape == (12, 75)
    assert np.array_equal(np.sort(numbers), np.tile(np.arange(size), (12, 1)))
    assert np.array_equal(np.sort(actions), np.tile(np.arange(75), (12, 1)))
    assert numbers[0].tolist() == list(range(size)) and actions[0].tolist() == list(range(75))
    mover = max(int(state["to_move"][0]), 0)
    x, mask = seen(GAME, state, encoder, mover).reshape(size), played(state).mask[0]
    for k, (suits, reverse) in list(enumerate(order))[:: count(1, 5)]:
        kinds = kinds_of_image(suits, reverse)
        there = image(state, kinds, reverse)
        assert np.array_equal(seen(GAME, there, encoder, mover).reshape(size)[numbers[k]], x)
        assert np.array_equal(played(there).mask[0][actions[k]], mask)
        if mask[record.WIN]:
            assert bind(items_of_win, GAME)(there, mover) == bind(items_of_win, GAME)(state, mover)
        if state["to_move"][0] == CHANCE:
            assert np.array_equal(played(there).chances()[0][kinds], played(state).chances()[0])


def test_symmetries_of_claims() -> None:
    """§22: reversing the ranks exchanges the lowest and the highest tile of a chow."""
    _, actions = encode.symmetries("planes")
    for k in range(12):
        assert actions[k, 68:75].tolist() == ([68, 69, 70, 73, 72, 71, 74] if k % 2 else list(range(68, 75)))
    assert actions[1, [0, 8, 9, 17, 27, 33, 34, 67]].tolist() == [8, 0, 17, 9, 27, 33, 42, 67]
    assert actions[2, [0, 9, 18, 4]].tolist() == [0, 18, 9, 4]


@every_set
def test_observations_of_played_hands(game: Game) -> None:
    """§18, §22, §23: positions of hands in which nearly everything is claimed, for the seat to move and another."""
    lots, rng = np.random.default_rng(8), random.Random(8)
    batch = Batch(game, count(8, 1), seed=40, encoder=None)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        masks, states = batch.mask[rows], batch.states
        for i in rows:
            seat = int(states["to_move"][i]) if lots.random() < 0.5 else int(lots.integers(4))
            if lots.random() < count(10, 4) / 100:
                check_same_for(seat, states[i : i + 1], permuted(states[i : i + 1], seat, rng))
                check_same_for(seat, states[i : i + 1], redealt(states[i : i + 1], seat, int(i)))
        masks[:, record.WIN] &= lots.random(len(rows)) < 0.3
        claims = np.where(
            lots.random((len(rows), 1)) < 0.8,
            masks * (np.arange(75) >= record.DECLARE) * (np.arange(75) < record.PASS),
            0,
        )
        likely = np.where(claims.any(axis=1, keepdims=True), claims, masks)
        batch.step((likely * lots.random(likely.shape)).argmax(axis=1), rows)
