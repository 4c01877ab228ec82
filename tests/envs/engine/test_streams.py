"""Random streams: SipHash as published, streams that know nothing of each other, and an adversary who tries to go on.

The adversary inverts whatever an agent is handed, by everything the source says, and may guess a little; dice and tiles
stay as unforeseeable to it as to anybody. The same adversary does see through a generator that leaks.
"""

import json
import re
from collections.abc import Callable
from itertools import product
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from boyi.baselines.arena.matches import Match, pair_seed
from boyi.baselines.engines import external
from boyi.baselines.search import mcts
from boyi.envs import Batch, find
from boyi.envs.engine import kernels, rng
from boyi.envs.engine.batch import random_seed
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import (
    CHANCE_KEY,
    DECISION_KEY,
    GAME_KEY,
    OWN_KEY,
    REDEAL_KEY,
    SEAT_KEY,
    derive,
    reset_one,
)
from boyi.envs.engine.rng import GOLDEN, hash64, random64, siphash

pytestmark = pytest.mark.kernels

Words = np.ndarray
u64 = np.uint64
SURE = 1e-9  # no p-value below this comes up by chance: seeds are fixed
PURPOSES = (CHANCE_KEY, DECISION_KEY, REDEAL_KEY, SEAT_KEY, GAME_KEY, OWN_KEY)


# SipHash


def reference(key: bytes, message: bytes) -> int:
    """Compute SipHash-2-4 as its paper describes it, byte by byte and in whole numbers."""

    def rotated(x: int, by: int) -> int:
        return (x << by | x >> (64 - by)) % 2**64

    def mix(v: list[int]) -> None:
        for a, b, c, d, by, turn in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
            v[a] = (v[a] + v[b]) % 2**64
            v[c] = (v[c] + v[d]) % 2**64
            v[b], v[d] = rotated(v[b], by) ^ v[a], rotated(v[d], turn) ^ v[c]
            v[a] = rotated(v[a], 32)

    halves = [int.from_bytes(key[at : at + 8], "little") for at in (0, 8)] * 2
    v = [
        half ^ word
        for half, word in zip(halves, np.frombuffer(b"somepseudorandomlygeneratedbytes", ">u8").tolist(), strict=True)
    ]
    padded = message + bytes(-(len(message) + 1) % 8) + bytes([len(message) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        mix(v)
        mix(v)
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        mix(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def words(data: bytes) -> list[np.uint64]:
    return [u64(word) for word in np.frombuffer(data, "<u8").tolist()]


PUBLISHED = {0: 0x726FDB47DD0E0E31, 8: 0x93F5F5799A932462, 15: 0xA129CA6149BE45E5, 16: 0x3F2ACC7F57C29BDB}
"""Of the authors' test vectors, by length: the key is 00 01 … 0f, the message 00 01 …; 15 is the paper's example."""


def test_siphash_gives_the_published_vectors() -> None:
    key = bytes(range(16))
    assert {n: reference(key, bytes(range(n))) for n in PUBLISHED} == PUBLISHED
    assert int(siphash(*words(key), *words(bytes(range(16))))) == PUBLISHED[16]


def test_siphash_is_the_reference_for_any_key_and_message() -> None:
    lots = np.random.default_rng(0)
    for _ in range(200):
        key, message = lots.bytes(16), lots.bytes(16)
        assert int(siphash(*words(key), *words(message))) == reference(key, message)


def test_keys_and_chance_are_siphash_of_the_seed() -> None:
    seed, episode, which, ply = 2**63 - 5, 3, 2, 77
    message = (
        episode.to_bytes(8, "little") + bytes([REDEAL_KEY]) + which.to_bytes(3, "little") + ply.to_bytes(4, "little")
    )
    key = seed.to_bytes(8, "little") + b"boyi" + bytes(4)
    assert int(derive(u64(seed), episode, REDEAL_KEY, which, ply)) == reference(key, message)
    halves = np.array([[3, 0, 5]], np.uint64)
    drawn = [int(random64(halves)) for _ in range(3)]
    key = (3).to_bytes(8, "little") + (5).to_bytes(8, "little")
    assert drawn == [reference(key, i.to_bytes(16, "little")) for i in (1, 2, 3)]
    assert halves.tolist() == [[3, 3, 5]]


# Independence


def sealed(seed: int, episode: int) -> Words:
    key = [derive(u64(seed), episode, CHANCE_KEY, half, 0) for half in (0, 1)]
    return np.array([[key[0], 0, key[1]]], np.uint64)


def decided(seed: int, episode: int = 0, seat: int = 0, ply: int = 0) -> Words:
    own_key = u64(derive(u64(seed), episode, DECISION_KEY, seat, 0))
    return np.array([kernels.decision(own_key, ply), 0], np.uint64)


def redealt(seed: int, episode: int = 0, seat: int = 0, ply: int = 0) -> Words:
    return np.array([derive(u64(seed), episode, REDEAL_KEY, seat, ply), 0], np.uint64)


NEIGHBOURS: dict[str, Callable[[int], tuple[Words, Words]]] = {
    "dice of two seeds": lambda i: (sealed(i, 0), sealed(i + 1, 0)),
    "dice of two episodes": lambda i: (sealed(5, i), sealed(5, i + 1)),
    "a seed's next episode and the next seed": lambda i: (sealed(i, 1), sealed(i + 1, 0)),
    "decisions of two seeds": lambda i: (decided(i), decided(i + 1)),
    "decisions of two episodes": lambda i: (decided(5, i), decided(5, i + 1)),
    "decisions of two seats": lambda i: (decided(i, seat=0), decided(i, seat=1)),
    "decisions of two plies": lambda i: (decided(5, ply=i), decided(5, ply=i + 1)),
    "decisions of a seat": lambda i: (decided(i, ply=4), decided(i, ply=6)),
    "dice and decisions": lambda i: (sealed(i, 0), decided(i)),
    "hands dealt anew and decisions": lambda i: (redealt(i), decided(i)),
    "hands dealt anew, two plies": lambda i: (redealt(5, ply=i), redealt(5, ply=i + 1)),
    "two pairs of a run": lambda i: (sealed(pair_seed(0, i), 0), sealed(pair_seed(0, i + 1), 0)),
    "two runs": lambda i: (sealed(pair_seed(i, 0), 0), sealed(pair_seed(i + 1, 0), 0)),
    "two trees of a search": lambda i: tuple(forked(decided(i), number) for number in (0, 1)),
    "a tree and the choice behind it": lambda i: tuple(forked(decided(i), number) for number in (0, 2)),
}


def forked(stream: Words, number: int) -> Words:
    """Open one of the streams that a search draws from."""
    view = Batch("hex:board_size=3", 1, seed=0, encoder=None).view()
    return mcts._stream(view._replace(rng=stream[None]), 0, number)


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_streams_of_neighbours_know_nothing_of_each_other(name: str) -> None:
    """No number of one is met in the other, bits agree as often as not, and dice fall as pairs of dice do."""
    drawn = np.array([[[random64(s) for _ in range(12)] for s in NEIGHBOURS[name](i)] for i in range(600)], np.uint64)
    assert len(np.unique(drawn[::2])) == drawn[::2].size
    a, b = drawn[:, 0].ravel(), drawn[:, 1].ravel()
    bits = np.unpackbits((a ^ b).view(np.uint8)).astype(float)
    assert abs(bits.mean() - 0.5) < 6 * 0.5 / np.sqrt(bits.size)
    faces = [((x >> u64(32)) * u64(6) >> u64(32)).astype(int) for x in (a, b)]
    table = np.zeros((6, 6))
    np.add.at(table, tuple(faces), 1)
    assert chi2_contingency(table).pvalue > SURE
    shifted = [
        np.corrcoef((a >> u64(11)).astype(float)[: a.size - k], (b >> u64(11)).astype(float)[k:])[0, 1]
        for k in range(4)
    ]
    assert max(map(abs, shifted)) < 6 / np.sqrt(a.size)


def test_every_purpose_seat_and_ply_has_a_key_of_its_own() -> None:
    keys = [derive(u64(1), 0, *each) for each in product(PURPOSES, range(4), range(50))]
    assert len(set(map(int, keys))) == len(keys)


# Seeds


def test_seeds_have_too_many_bits_to_be_tried_out() -> None:
    seeds = [random_seed() for _ in range(50)] + [pair_seed(0, i) for i in range(50)]
    assert all(0 <= seed < 2**63 for seed in seeds) and sum(seed >= 2**62 for seed in seeds) > 25
    assert len(set(seeds)) == 100


@pytest.mark.parametrize(("game", "draws"), [("hex:board_size=3", False), ("einstein", True), ("mahjong", True)])
def test_a_run_without_a_seed_draws_one_where_chance_takes_part(game, draws, monkeypatch, capsys) -> None:
    from boyi.baselines.command.main import app

    monkeypatch.setattr("boyi.baselines.arena.matches.random_seed", lambda: 123456789)
    app(["arena", game, "random", "random", "--games", "2"], standalone_mode=False)
    assert ("seed 123456789," if draws else "seed 0,") in capsys.readouterr().out


def test_a_run_that_drew_its_seed_goes_on_with_it(tmp_path) -> None:
    from boyi.baselines.arena.matches import compete

    whole, part = tmp_path / "whole", tmp_path / "part"
    first = compete(Match("einstein", ["random", "random"], games=6, seed=None), whole)
    lines = whole.read_text().splitlines(keepends=True)
    part.write_text("".join(lines[:3]))
    again = compete(Match("einstein", ["random", "random"], games=6, seed=None), part, resume=True)
    # How many games are played side by side, and so in which order they end, depends on how busy the machine is.
    untimed = [
        sorted(re.sub(r'"(seconds|decisions)": \{.*?\}', "", line) for line in path.read_text().splitlines())
        for path in (whole, part)
    ]
    assert again.seed == first.seed and untimed[0] == untimed[1]


def test_seats_are_drawn_evenly_from_the_seed_alone() -> None:
    batch = Batch("hex:board_size=3", 400, seed=7)
    seats = batch.draw_seats()
    assert 150 < seats.sum() < 250 and set(seats) == {0, 1}
    assert (batch.draw_seats([3, 5]) == seats[[3, 5]]).all()
    assert (Batch("hex:board_size=3", 390, seed=17).draw_seats() == seats[10:]).all()
    batch.reset()
    assert (batch.draw_seats() != seats).any()


def test_games_of_a_pair_share_their_chance_unless_each_has_its_own() -> None:
    for fresh in (False, True):
        match = Match("einstein:board_size=3,stones=2", ["random", "mcts:sims=2"], games=4, seed=1, fresh_chance=fresh)
        seeds = [match.fixture(0, index).seed for index in range(4)]
        assert len(set(seeds)) == (4 if fresh else 2)
        says = str(match.result(list(match.play())))
        assert ("every game on a seed of its own" if fresh else "every seed played from both sides") in says


# The adversary


def unmixed(x: Words) -> Words:
    """Invert `hash64`."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        folded = x
        while (folded >> u64(shift)).any():
            folded = folded >> u64(shift)
            x = x ^ folded
        x = x * u64(pow(factor, -1, 2**64))
    return x


def mixed(x: Words) -> Words:
    return hash64.py_func(x)


def constants() -> list[np.uint64]:
    """List what the source holds in large numbers, and what an older source held."""
    found = {0xD1CE, 0x5EA7, 0x6A3E, 0xD6E8FEB86659FD93}
    for module in (rng, kernels):
        found |= {int(value) for value in vars(module).values() if isinstance(value, np.uint64) and value > 255}
    return [u64(number) for number in sorted(found)]


Move = Callable[[Words, Words], Words]


def moves() -> list[Move]:
    """List ways to get from a number that an agent is handed at a ply to one that it might have come from."""
    found: list[Move] = [lambda x, ply: x, lambda x, ply: unmixed(x), lambda x, ply: mixed(x)]
    for c in constants():
        found += [
            lambda x, ply, c=c: x ^ c,
            lambda x, ply, c=c: x - c,
            lambda x, ply, c=c: x + c,
            lambda x, ply, c=c: x - ply * c,
            lambda x, ply, c=c: unmixed(unmixed(x) ^ (ply * c)) - c,
        ]
        found += [lambda x, ply, c=c, b=b: unmixed(unmixed(x) ^ (u64(b) * c)) - c for b in range(2)]
    return found


def guesses(handed: Words, plies: Words) -> Words:
    """Guess chance's key from numbers (decisions, m) handed at plies (decisions,): (ways, decisions, m)."""
    ply = plies[:, None].astype(np.uint64)
    with np.errstate(over="ignore"):
        once = [move(handed, ply) for move in moves()]
        return np.array([move(x, ply) for x in once for move in moves()])


plain_siphash = FunctionType(siphash.py_func.__code__, {**vars(rng), "_sip_round": rng._sip_round.py_func})
"""SipHash of whole arrays."""


def chance_of(seeds: Words) -> list[Words]:
    """Derive both halves of chance's key from seeds, in their first episode."""
    return [plain_siphash(seeds, kernels._TAG, u64(0), u64(CHANCE_KEY | half << 8)) for half in (0, 1)]


def unfold(found: Words, counters: Words) -> list[tuple[str, Words]]:
    """Foretell chance's next number after so many, if what was guessed is its key or the seed it came from."""
    at = (counters[:, None] + 1).astype(np.uint64)
    zero = np.zeros_like(at)
    with np.errstate(over="ignore"):
        return [
            ("open", mixed(found + at * GOLDEN)),
            ("sealed", plain_siphash(found, found, at, zero)),
            ("half sealed", plain_siphash(found, zero, at, zero)),
            ("seed", plain_siphash(*chance_of(found), at, zero)),
            ("handed both halves", plain_siphash(found, np.roll(found, 1, axis=2), at, zero)),
        ]


def foreseen(handed: Words, plies: Words, counters: Words, dice: Words) -> int:
    """Count the dice (decisions,) that the adversary's best way of all foretells."""
    best = 0
    for part in np.array_split(guesses(handed, plies), 20):
        for _, numbers in unfold(part, counters):
            faces = ((numbers >> u64(32)) * u64(6) >> u64(32)).astype(int)
            best = max(best, int((faces == dice[None, :, None]).sum(axis=1).max()))
    return best


def rolled(seed: int, decisions: int = 60) -> tuple[Words, Words, Words, Words]:
    """Play EinStein: what each decision was handed, its ply, the chance events so far, and the die that came next.

    Row, episode and counter are 0 all the time, and a program is handed the same numbers as an agent.
    """
    batch, found = Batch("einstein:placement=fixed", 1, seed=seed, encoder=None), []
    while len(found) < decisions:
        view, ply = batch.view(), int(batch.states["ply"][0])
        assert external.stream(view, 0) == [*view.rng[0].tolist(), int(view.game_key[0])]
        assert not (view.row[0] or view.episode[0] or view.rng[0, 1])
        numbers = [view.rng[0, 0], view.game_key[0]]
        batch.step(batch.sample())
        if batch.to_move[0] >= 0:
            found.append((numbers, ply, ply + 1, int(batch.states["die"][0]) - 1))
        else:
            batch.reset(seed + len(found))
    handed, plies, counters, dice = zip(*found, strict=True)
    return np.array(handed, np.uint64), np.array(plies), np.array(counters), np.array(dice)


LUCK = 36  # of 60 dice; one way foretells so many by chance once in 10**14


def test_nobody_foretells_dice_from_what_an_agent_is_handed() -> None:
    assert foreseen(*rolled(2**62 + 12345)) < LUCK


@pytest.mark.parametrize("leak", ["as it was", "the key itself", "the seed"])
def test_the_adversary_sees_through_a_generator_that_leaks(leak: str) -> None:
    """Dice come from an open stream whose key is handed out in the disguise of before, or the seed is."""
    _, plies, counters, _ = rolled(7)
    keys, counted = (
        np.random.default_rng(0).integers(2**64, size=(60, 1), dtype=np.uint64),
        counters[:, None].astype(np.uint64),
    )
    with np.errstate(over="ignore"):
        numbers = mixed(keys + (counted + u64(1)) * GOLDEN)
        handed = keys
        if leak == "as it was":
            handed = (keys ^ u64(0xD1CE)) + plies[:, None].astype(np.uint64) * u64(0xD6E8FEB86659FD93)
        elif leak == "the seed":
            numbers = plain_siphash(*chance_of(keys), counted + u64(1), counted * u64(0))
    dice = ((numbers >> u64(32)) * u64(6) >> u64(32)).astype(int)[:, 0]
    assert foreseen(handed, plies, counters, dice) == 60


def dealt_by(keys: Words, game) -> Words:
    """Deal hands (keys, tiles) of the first seat from open streams and sealed ones."""
    deal, found = bind(reset_one, game), []
    for key in keys.tolist():
        for stream in (np.array([key, 0], np.uint64), np.array([[key, 0, key]], np.uint64), sealed(key, 0)):
            states = game.blank.copy()
            deal(states, stream)
            found.append(states["hand"][0].tobytes())
    return found


def test_nobody_deals_the_hands_again_from_what_an_agent_is_handed() -> None:
    game = find("mahjong")
    batch = Batch(game, 1, seed=2**62 + 99, encoder=None)
    view = batch.view()
    handed = np.array([[*view.rng[0], view.game_key[0], *external.stream(view, 0)]], np.uint64)
    keys = np.unique(guesses(handed, np.array([0])))
    assert len(keys) > 5000
    assert batch.states["hand"][0].tobytes() not in dealt_by(keys[::3], game)
    assert batch.states["hand"][0].tobytes() in dealt_by(np.array([2**62 + 99], np.uint64), game)


QUESTIONS = {"jsonl": "einstein", "gtp": "hex:board_size=3", "gomocup": "gomoku:board_size=5"}


@pytest.mark.posix
@pytest.mark.parametrize("protocol", QUESTIONS)
def test_no_message_to_a_program_holds_a_number_that_is_not_its_own(protocol: str, monkeypatch) -> None:
    """Numbers of more than 20 bits in any message are those of its own decision's stream, which foretell nothing."""
    from engines import command

    from boyi.baselines.engines.program import Program

    sent, own = [], set()
    send, seen = Program.send, external.stream

    def heard(self: Program, line: str) -> None:
        sent.append(line)
        send(self, line)

    def noted(view: Any, k: int) -> list[int]:
        own.update(seen(view, k))
        return seen(view, k)

    monkeypatch.setattr(Program, "send", heard)
    for module in ("external", "jsonl", "gomocup"):
        monkeypatch.setattr(f"boyi.baselines.engines.{module}.stream", noted, raising=False)
    match = Match(QUESTIONS[protocol], [f'{protocol}:cmd="{command(protocol)}"', "random"], games=2, seed=5)
    records = list(match.play())
    match.players[0].close()
    assert {record.ended for record in records} <= {"over", "cut"}
    said = [json.dumps({**json.loads(line), "record": ""}) if protocol == "jsonl" else line for line in sent]
    large = {int(number) for line in said for number in re.findall(r"-?\d+", line) if abs(int(number)) >> 20}
    assert large <= own
    assert not large & {pair_seed(5, 0), 5}
    secret = {int(half) for half in sealed(pair_seed(5, 0), 0).ravel()} - {0}
    assert not secret & (large | own)
