"""Transcripts: every event of a game as a line, which replays without our random numbers."""

import numpy as np
import pytest

from boyi.envs import Batch, BoyiError, find, games
from boyi.envs.records.transcript import read, write

pytestmark = pytest.mark.kernels

GAMES = [find(name) for name in games()]


def played(game, seed=3, episode=0):
    batch = Batch(game, 1, seed=seed, history=True)
    for _ in range(episode):
        batch.reset()
    positions = [batch.states.tobytes()]
    while batch.to_move[0] >= 0:
        batch.step(batch.sample())
        positions.append(batch.states.tobytes())
    return batch.history(0), positions


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("episode", [0, 2])
def test_a_transcript_plays_the_same_positions(game, episode):
    actions, positions = played(game, episode=episode)
    text = write(game, 3, actions, episode)
    replayed = [state.tobytes() for state in read(text)]
    assert [position for position in replayed if position in set(positions)] == positions
    assert replayed[-1] == positions[-1]


def test_a_transcript_is_a_line_for_every_event():
    game = "einstein:board_size=3,stones=2,placement=fixed"
    head, *rest = write(game, 0, played(game, 0)[0]).splitlines()
    assert head == game
    events = [line for line in rest if line[:2] in ("* ", "0:", "1:")]
    assert events[0] in ("* 1", "* 2") and events[1].startswith(f"0: {events[0][2]}-")
    assert [line[0] for line in events[:4]] == ["*", "0", "*", "1"]


def test_a_game_may_be_written_before_its_end():
    text = write("hex:board_size=3", 0, [0, 1])
    assert text.splitlines()[-2:] == ["0: a1", "1: b1"]
    *_, last = read(text)
    assert last["ply"][0] == 2


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("0: a1", "1: a1", "line 7: it is '0:' that comes next, not '1:'"),
        ("1: b1", "1: a1", "line 8: "),
        ("1: b1", "1: zz", "line 8: no action 'zz'"),
        ("hex:board_size=3", "hx:board_size=3", "unknown game 'hx'"),
        ("hex 3x3", "hex 3x4", "diagram"),
    ],
)
def test_what_cannot_be_is_one_sentence(old, new, sentence):
    text = write("hex:board_size=3", 0, [0, 1]).replace(old, new, 1)
    with pytest.raises(BoyiError, match=sentence.replace("(", r"\(")):
        list(read(text))


def test_chance_brings_what_it_can():
    text = write("einstein", 0, played("einstein", 0)[0])
    with pytest.raises(BoyiError, match="chance cannot bring '7'; possible: 1, 2, 3, 4, 5, 6"):
        list(read(text.replace("* ", "* 7\n* ", 1)))
    with pytest.raises(BoyiError, match="the game was over 1 actions before the last"):
        write("einstein", 0, [*played("einstein", 0)[0], 0])


def test_outcomes_are_drawn_as_inside():
    inside, outside = (Batch("einstein", 50, seed=9, chance=chance) for chance in ("inside", "by_hand"))
    outside.resolve(outside.draw_outcomes())
    assert np.array_equal(inside.states["die"], outside.states["die"])
    with pytest.raises(BoyiError, match="waits for no chance event"):
        outside.draw_outcomes()
