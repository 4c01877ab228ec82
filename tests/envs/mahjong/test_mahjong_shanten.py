"""Distance, acceptance and discards of mahjong hands against their definition, counted out; and tiles in text.

The definition is followed literally: every set of melds and every pair is laid beside a hand, one group at a time.
"""

import json
import os
import subprocess
import sys
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config

from boyi.envs import BoyiError, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.rng import below
from boyi.envs.mahjong import acceptance, shanten, tiles
from boyi.envs.mahjong.distance import FAR, accepted, distance, distance_tables, weigh_discards

pytestmark = pytest.mark.kernels

GAME = find("mahjong")
CASES = json.loads((Path(__file__).parent / "shanten.json").read_text(encoding="utf-8"))
GROUPS = ((0, 9), (9, 18), (18, 27), (27, 34))  # first kind, and the first of the next
MELDS = 5
NEVER = 99  # tiles lacking for what no tiles make

Row = tuple[int, ...]


def test_the_cases() -> None:
    """§2: shanten, accepted tiles and best discards of worked hands; the counts leave out this hand's own copies."""
    kinds_of_answers = set()
    for case in CASES:
        hand, melds = case["hand"], MELDS - case["melds_needed"]
        assert shanten(hand, melds) == case["shanten"] == case["dist"] - 1, hand
        assert len(tiles.parse_list(hand)) == case["n"]
        if "accept_kinds" in case:
            found = acceptance(hand, melds)
            assert list(found) == case["accept_kinds"], hand
            assert sum(found.values()) == case["accept_tiles"], hand
            assert all(found[name] == 4 - tiles.parse(hand)[tiles.kind_of(name)] for name in found)
        if "best_discards" in case:
            distances, _ = weighed(tiles.parse(hand), case["melds_needed"])
            best = np.flatnonzero(distances == distances.min())
            assert [tiles.name_of(kind) for kind in best] == case["best_discards"], hand
        kinds_of_answers |= case.keys()
    assert kinds_of_answers >= {"accept_kinds", "accept_tiles", "best_discards"} and len(CASES) == 27


# The definition


@cache
def targets(suited: bool, melds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts (n, kinds) of all sets of so many melds of one group, without and with a pair."""
    kinds = 9 if suited else 7
    unit = np.eye(kinds, dtype=np.int8)
    chows = [unit[i] + unit[i + 1] + unit[i + 2] for i in range(kinds - 2)] if suited else []
    all_melds = np.array([*(3 * unit), *chows])
    plain = np.array(
        [all_melds[list(which)].sum(axis=0) for which in combinations_with_replacement(range(len(all_melds)), melds)]
    )
    plain = np.unique(plain.reshape(-1, kinds), axis=0)
    paired = np.unique((plain[:, None] + 2 * unit).reshape(-1, kinds), axis=0)
    return plain[(plain <= 4).all(axis=1)], paired[(paired <= 4).all(axis=1)]


@cache
def group_lacks(counts: Row, most: int) -> tuple[list[int], list[int]]:
    """Return what a group's tiles lack for 0 to `most` melds, without and with a pair."""
    held = np.array(counts, np.int8)
    rows: tuple[list[int], list[int]] = ([], [])
    for melds in range(most + 1):
        for row, sets in zip(rows, targets(len(counts) == 9, melds), strict=True):
            row.append(int(np.maximum(sets - held, 0).sum(axis=1).min()))
    return rows


def lacks(hand: np.ndarray, need: int) -> int:
    """Return the distance by its definition: the best way to share melds and the pair among the groups."""
    rows = [group_lacks(tuple(hand[first:end].tolist()), need) for first, end in GROUPS]
    best = NEVER
    for paired in range(4):
        parts = [row[place == paired] for place, row in enumerate(rows)]
        for shared in shares(need):
            best = min(best, sum(part[melds] for part, melds in zip(parts, shared, strict=True)))
    return best


@cache
def shares(need: int) -> list[Row]:
    return [shared for shared in product(range(need + 1), repeat=4) if sum(shared) == need]


def random_hands(n: int, size: int, seed: int) -> np.ndarray:
    """Deal n hands of so many tiles: (n, 34) int8. Half of them have one group or two, as few hands do."""
    rng = np.random.default_rng(seed)
    hands = np.zeros((n, 34), np.int8)
    for i in range(n):
        kinds = np.arange(34)
        if i % 2:
            kinds = np.concatenate([np.arange(*GROUPS[j]) for j in rng.choice(4, 1 + i % 4 // 3, replace=False)])
        dealt = rng.choice(np.repeat(kinds, 4), size, replace=False)
        hands[i] = np.bincount(dealt, minlength=34)
    return hands


# The kernels


def every_distance(hands: np.ndarray, need: int, tables: Any, found: np.ndarray) -> None:
    for i in range(hands.shape[0]):
        found[i] = distance(hands[i], need, tables)


def distances_of(hands: np.ndarray, need: int) -> np.ndarray:
    found = np.zeros(len(hands), np.int64)
    bind(every_distance, GAME)(hands, need, distance_tables(), found)
    return found


def weigh(hand, need, unseen, tables, distances, numbers):
    """Weigh discards, and count what is accepted after each."""
    weigh_discards(hand, need, tables, distances)
    for k in range(34):
        numbers[k] = accepted(hand, k, need, unseen, tables)[1] if hand[k] else 0


def weighed(hand: np.ndarray, need: int, unseen: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return what is written over entries that were something else."""
    distances, numbers = np.full(34, -7, np.int8), np.full(34, -7, np.int16)
    unseen = (4 - hand).astype(np.int8) if unseen is None else unseen
    bind(weigh, GAME)(hand, need, unseen, distance_tables(), distances, numbers)
    return distances, numbers


@pytest.mark.parametrize("need", range(MELDS + 1))
@pytest.mark.parametrize("drawn", [0, 1])
def test_distances_follow_the_definition(need: int, drawn: int) -> None:
    """§2: 5,040 hands."""
    hands = random_hands(420, 3 * need + 1 + drawn, seed=10 * need + drawn)
    expected = [lacks(hand, need) for hand in hands]
    assert distances_of(hands, need).tolist() == expected
    assert len(set(expected)) > need  # far and near


@pytest.mark.parametrize(("need", "hands"), [(0, 40), (1, 60), (2, 40), (3, 30), (4, 10), (5, 3)])
def test_acceptance_follows_the_definition(need: int, hands: int) -> None:
    """§2: a kind is accepted if the hand that has it lacks less; copies are those that the hand does not hold."""
    for hand in random_hands(hands, 3 * need + 1, seed=need):
        now = lacks(hand, need)
        more = {kind: hand + np.eye(34, dtype=np.int8)[kind] for kind in range(34) if hand[kind] < 4}
        expected = {tiles.name_of(kind): 4 - int(hand[kind]) for kind in more if lacks(more[kind], need) < now}
        found = acceptance(tiles.write(hand), MELDS - need)
        assert found == expected and list(found) == list(expected)
        assert all(type(copies) is int for copies in found.values())


@pytest.mark.parametrize("need", range(MELDS + 1))
def test_discards_are_weighed_as_one_by_one(need: int) -> None:
    """The distance after each discard, and the unseen tiles that lower it, among them none that would be a fifth."""
    rng = np.random.default_rng(need)
    unit = np.eye(34, dtype=np.int8)
    fours = 0
    for hand in random_hands(6 if config.DISABLE_JIT else 100, 3 * need + 2, seed=need):
        unseen = rng.integers(0, 5, 34).astype(np.int8)
        before = hand.copy()
        distances, numbers = weighed(hand, need, unseen)
        assert (hand == before).all()
        held = np.flatnonzero(hand)
        assert (distances[hand == 0] == FAR).all() and (numbers[hand == 0] == 0).all()
        kept = hand - unit[held]
        fours += int((kept == 4).any())
        assert distances[held].tolist() == distances_of(kept, need).tolist()
        for kind, rest in zip(held, kept, strict=True):
            drawn = np.flatnonzero(rest < 4)
            lower = distances_of(rest + unit[drawn], need) < distances[kind]
            assert numbers[kind] == unseen[drawn[lower]].sum()
    assert fours or need < 2 or config.DISABLE_JIT


def test_a_fifth_copy_is_never_accepted() -> None:
    """§1: of any kind; the tables have no place for it."""
    for kind in range(34):
        others = [other for other in range(34) if other != kind][::2][:12]
        found = acceptance(tiles.write_list([kind] * 4 + others))
        assert found and tiles.name_of(kind) not in found


def test_accepted_counts_what_it_is_given() -> None:
    """The sum is of the given values: more than a byte holds, and nothing for kinds that count nothing."""
    hand = tiles.parse("147m147p147s1234567z")
    for values, total in ((np.full(34, 100, np.int8), 3400), (np.zeros(34, np.int8), 0)):
        assert bind(accepted, GAME)(hand, -1, MELDS, values, distance_tables()) == (11, total)
    assert bind(accepted, GAME)(hand, 33, MELDS, np.ones(34, np.int8), distance_tables()) == (11, 33)


def test_classes_are_joined_like_groups() -> None:
    """Joining depends on no order, an empty group changes nothing, and of 198 and 328 classes none is missing."""
    classes, joined, lacking = distance_tables()
    assert joined.shape == (328, 328) and lacking.shape == (328, MELDS + 1)
    assert np.unique(classes).size == 198 and np.unique(joined).size == 328
    assert (joined == joined.T).all() and (joined[classes[0]] == np.arange(328)).all()
    assert all((joined[joined[x]] == joined[x][joined]).all() for x in range(328))


# §13's table of random hands: per cent of each shanten, and the mean
SHARES = {
    16: (
        {0: 0.002, 1: 0.18, 2: 3.493, 3: 19.827, 4: 38.541, 5: 27.677, 6: 8.982, 7: 1.235, 8: 0.062, 9: 0.001},
        4.2224,
    ),
    17: (
        {-1: 0.0001, 0: 0.021, 1: 0.835, 2: 8.882, 3: 31.207, 4: 38.37, 5: 16.816, 6: 3.55, 7: 0.309, 8: 0.01},
        3.7332,
    ),
}


def sampled(
    n: int, size: int, tables: Any, rng: np.ndarray, wall: np.ndarray, hand: np.ndarray, found: np.ndarray
) -> None:
    """Count the distances of n hands; `wall` has every tile and stays mixed."""
    for _ in range(n):
        hand[:] = 0
        for j in range(size):
            k = j + below(rng, wall.size - j)
            wall[j], wall[k] = wall[k], wall[j]
            hand[wall[j] // 4] += 1
        found[distance(hand, 5, tables)] += 1


@pytest.mark.skipif(config.DISABLE_JIT, reason="says something only with many hands")
@pytest.mark.parametrize("size", SHARES)
def test_random_hands_are_as_far_as_known(size: int) -> None:
    """Two million hands against five million of another program (C++, its own tables)."""
    n = 2_000_000
    found = np.zeros(20, np.int64)
    rng = np.array([2024, 0], np.uint64)
    bind(sampled, GAME)(n, size, distance_tables(), rng, np.arange(136), np.zeros(34, np.int8), found)
    shares, mean = SHARES[size]
    assert found.sum() == n
    assert (found @ np.arange(20)) / n - 1 == pytest.approx(mean, abs=0.003)
    for i, share in enumerate(found / n * 100):
        assert share == pytest.approx(shares.get(i - 1, 0), abs=0.1)


def test_plain_python_finds_the_same() -> None:
    """Kernels without JIT: what they read are bytes there, which must not wrap around."""
    hands = [case["hand"] for case in CASES if case["n"] == 17]
    assert len(hands) > 3
    code = (
        "import sys\nsys.path.insert(0, sys.argv[1])\nfrom test_mahjong_shanten import *\n"
        "assert config.DISABLE_JIT\n"
        "print([[row.tolist() for row in weighed(tiles.parse(hand), MELDS)] for hand in sys.argv[2:]])\n"
        "print([shanten(hand) for hand in sys.argv[2:]])"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(Path(__file__).parent), *hands]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    expected = [[row.tolist() for row in weighed(tiles.parse(hand), MELDS)] for hand in hands]
    assert done.stdout.splitlines() == [str(expected), str([shanten(hand) for hand in hands])]


# Text, and what is refused


def test_names_of_kinds() -> None:
    """§1."""
    names = [f"{rank}m" for rank in range(1, 10)] + [f"{rank}p" for rank in range(1, 10)]
    names += [f"{rank}s" for rank in range(1, 10)] + ["1z", "2z", "3z", "4z", "5z", "6z", "7z"]
    assert [tiles.name_of(kind) for kind in range(34)] == names
    assert [tiles.kind_of(name) for name in names] == list(range(34))
    assert tiles.kind_of(" 7Z\n") == 33


def test_tiles_in_their_order() -> None:
    assert tiles.parse_list("19m1p2m 77z1Z") == [0, 8, 9, 1, 33, 33, 27]
    assert tiles.write_list([0, 8, 9, 1, 33, 33, 27]) == "19m1p2m771z"
    assert tiles.parse_list("") == [] and tiles.write_list([]) == ""
    assert tiles.write_list(np.array([3], np.int8)) == "4m"


def test_counts_read_back() -> None:
    assert tiles.write(tiles.parse("7z321m 1m9s1p")) == "1123m1p9s7z"
    for hand in random_hands(200, 17, seed=1):
        text = tiles.write(hand)
        found = tiles.parse(text)
        assert (found == hand).all() and found.dtype == np.int8 and found.shape == (34,)
        assert tiles.parse_list(text) == np.repeat(np.arange(34), hand).tolist()
    assert not tiles.parse("").any() and tiles.write(np.zeros(34, np.int8)) == ""


UNREADABLE = [
    "1",
    "m",
    "12",
    "0m",
    "8z",
    "9z",
    "1m2",
    "1x",
    "m1",
    "1-m",
    "-1m",
    "1m,2m",
    "１m",
    "東",
    "5mz",
    None,
    12,
    b"1m",
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable_tiles(text: Any) -> None:
    for read in (tiles.parse_list, tiles.parse, tiles.kind_of, shanten, acceptance):
        with pytest.raises(
            BoyiError, match=r"^cannot read tiles .*: write ranks and then their suit, as in 123m456p789s"
        ):
            read(text)


@pytest.mark.parametrize("text", ["", "12m", "1m1m"])
def test_a_name_is_of_one_tile(text: str) -> None:
    with pytest.raises(BoyiError, match=rf"^cannot read tile '{text}': write one rank"):
        tiles.kind_of(text)


REFUSED = [
    ("11111m234p345789s11z", 0, r"^'11111m234p345789s11z' has 5 tiles 1m, of which there are 4$"),
    ("1111m1m234p34578s777777z", 0, "has 6 tiles 7z"),
    ("", 0, "^'' has 0 tiles: with 0 melds declared it must have 16, or 17 before a discard$"),
    ("123456m234p345789s", 0, "has 15 tiles: .* 0 melds declared it must have 16, or 17 "),
    ("123456m234p345789s123z", 0, "has 18 tiles"),
    ("123456m234p345789s1z", 1, "has 16 tiles: .* 1 melds? declared it must have 13, or 14 "),
    ("1z", 4, "it must have 4, or 5 "),
    ("123z", 5, "has 3 tiles: .* 5 melds declared it must have 1, or 2 "),
    ("", 5, "has 0 tiles"),
    ("1z", 6, "^a hand has 0 to 5 melds, not 6$"),
    ("123456m234p345789s1234z", -1, "^a hand has 0 to 5 melds, not -1$"),
    ("1z", 5.0, r"not 5\.0$"),
    ("1z", "5", "not '5'$"),
    ("1z", None, "not None$"),
]


@pytest.mark.parametrize(("text", "melds", "sentence"), REFUSED)
def test_refused_hands(text: str, melds: Any, sentence: str) -> None:
    for ask in (shanten, acceptance):
        with pytest.raises(BoyiError, match=sentence):
            ask(text, melds)


def test_a_hand_that_must_discard_accepts_nothing() -> None:
    for text, melds in (("123456m234p345789s11z", 0), ("12z", 5)):
        assert shanten(text, melds) <= 0
        with pytest.raises(BoyiError, match=r"has (17|2) tiles: one must be discarded before"):
            acceptance(text, melds)


def test_numbers_of_any_kind_and_loose_text() -> None:
    assert shanten("456M 234P 345789S 1Z", melds=np.int8(1)) == 0
    assert acceptance("1z 789s345s234p456m", np.int64(1)) == {"1z": 3}
    assert type(shanten("2z", 5)) is int
