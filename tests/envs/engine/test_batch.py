"""The engine: rows and seeds, threads, autoreset, what may be asked of it and what is refused."""

import copy
import multiprocessing
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from engines import SOON
from numpy.typing import ArrayLike

from boyi.baselines import make_agent
from boyi.envs import Batch, BoyiError, IllegalAction
from boyi.envs.engine import batch

pytestmark = pytest.mark.kernels


def stepped(n: int, steps: int, **options) -> Batch:
    made = Batch("hex:board_size=5", n, seed=3, **options)
    for _ in range(steps):
        made.step(made.sample())
    return made


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
@pytest.mark.parametrize("encoder", ["planes", None])
def test_play_random_is_a_loop_of_sampling_and_stepping(autoreset: str, encoder: str | None) -> None:
    one, other = (Batch("hex:board_size=3", 50, seed=1, autoreset=autoreset, encoder=encoder) for _ in range(2))
    scores, ended = one.play_random(40)
    total, count = np.zeros((50, 2)), np.zeros(50, np.int64)
    for _ in range(40):
        rewards, over, cut = other.step(other.sample())
        total += rewards
        count += over | cut
    assert ended.min() > 1
    assert (one.states == other.states).all() and (one.mask == other.mask).all()
    assert (scores == total).all() and (ended == count).all()


def test_play_random_stops_at_the_end_without_autoreset() -> None:
    made = Batch("hex:board_size=3", 20, seed=0)
    scores, ended = made.play_random(100)
    assert (ended == 1).all() and (made.to_move == -2).all() and (np.abs(scores) == 1).all()


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = stepped(101, 60, autoreset="same_step", threads=1)
    monkeypatch.setattr(batch, "THREADS_PAY", 0.0)
    threaded = stepped(101, 60, autoreset="same_step", threads=3)
    assert threaded._pool is not None and plain._pool is None
    assert (plain.states == threaded.states).all()
    assert (plain.observation == threaded.observation).all()


def test_batches_in_several_threads_at_once() -> None:
    alone = [stepped(40, 30, autoreset="same_step").states for _ in range(1)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: stepped(40, 30, autoreset="same_step").states, range(8)))
    assert all((states == alone[0]).all() for states in together)


def _child(made: Batch, queue) -> None:
    made.play_random(50)
    queue.put(made.states)


@pytest.mark.parametrize("method", [pytest.param("fork", marks=pytest.mark.posix), "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_batch_with_threads_survives_its_way_into_another_process(method: str, monkeypatch) -> None:
    monkeypatch.setattr(batch, "THREADS_PAY", 0.0)
    made = stepped(64, 10, autoreset="same_step", threads=2)
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_child, args=(made, queue))
    process.start()
    states = queue.get(timeout=SOON)
    process.join()
    made.play_random(50)
    assert (states == made.states).all()


def test_what_is_drawn_once_a_game_hangs_on_its_seed_and_episode_alone() -> None:
    batch = Batch("hex", 6, seed=4)
    first = batch.game_keys()
    batch.reset(rows=[2])
    keys = batch.game_keys()
    assert np.flatnonzero(keys != first).tolist() == [2]
    singles = [Batch("hex", 1, seed=4 + k) for k in range(6)]
    singles[2].reset()
    assert keys.tolist() == [int(single.game_keys()[0]) for single in singles]
    assert batch.game_keys([1, 4]).tolist() == keys[[1, 4]].tolist()
    assert len({*keys.tolist(), *batch.game_keys(purpose=1).tolist()}) == 12


def test_row_i_is_the_single_game_of_seed_plus_i() -> None:
    many = Batch("hex:board_size=3", 5, seed=10, autoreset="next_step")
    singles = [Batch("hex:board_size=3", 1, seed=10 + i, autoreset="next_step") for i in range(5)]
    for _ in range(50):
        many.step(many.sample())
        for single in singles:
            single.step(single.sample())
    assert (many.states == np.concatenate([single.states for single in singles])).all()


def test_seeds_may_be_listed_and_episodes_differ() -> None:
    listed = Batch("hex:board_size=3", 3, seed=[5, 9, 5])
    first = listed.sample()
    assert first[0] == first[2]
    draws = []
    for _ in range(20):
        draws.append(int(listed.sample()[0]))
        listed.reset()
    assert len(set(draws)) > 5
    listed.reset([5, 9, 5])
    assert (listed.sample() == first).all()


def test_copies_go_separate_ways_and_keep_everything() -> None:
    made = stepped(6, 5, history=True)
    for twin in (made.clone(), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert (twin.states == made.states).all()
        before = made.states
        actions = made.sample()
        assert (twin.sample() == actions).all()
        twin.step(actions)
        assert (made.states == before).all() and not (twin.states == before).any()
        assert twin.view().history[0] == [*made.view().history[0], actions[0]]


def test_a_batch_from_memory_that_nobody_may_write_is_played_in_its_own() -> None:
    """As of a pickle whose arrays stand beside it, which several processes may read at once."""
    made, beside = stepped(6, 5), []
    pickled = pickle.dumps(made, protocol=5, buffer_callback=beside.append)
    shared = [bytes(each.raw()) for each in beside]
    before = list(map(bytearray, shared))
    assert len(shared) > 5
    for _ in range(2):
        twin = pickle.loads(pickled, buffers=shared)
        assert (twin.states == made.states).all() and (twin.sample() == made.sample()).all()
        twin.step(twin.sample())
        assert twin.states.tobytes() != made.states.tobytes()
    assert shared == before


def test_what_is_handed_out_is_the_callers() -> None:
    made = Batch("hex:board_size=3", 4, seed=0)
    view = made.view()
    for array in (made.mask, made.observe(0), made.states, made.to_move, view.mask, view.states):
        array[:] = np.zeros_like(array)
    assert made.mask.all() and made.observe(0)[:, 2].any() and (made.to_move == 0).all()
    made.mask[:] = 1
    made.step([0, 0, 0, 0])
    with pytest.raises(IllegalAction):
        made.step([0, 0, 0, 0])


def test_what_a_step_has_shown_is_there_until_the_next() -> None:
    """It is one array, which nothing is written to again, and which whoever writes to spoils for nobody but readers."""
    made, other = stepped(4, 3), stepped(4, 3)
    shown = made.observation
    assert made.observation is shown and (shown == made.observe(made.to_move)).all()
    before = shown.copy()
    for each in (made, other):
        each.step(each.sample())
    assert made.observation is not shown and (shown == before).all()
    shown[:] = 7
    assert (made.observation == other.observation).all()
    for change in (lambda: made.reset(), lambda: made.set_states(other.states)):
        shown = made.observation
        change()
        assert made.observation is not shown and (made.observation == made.observe(made.to_move)).all()


def test_rows_are_stepped_alone() -> None:
    made = Batch("hex:board_size=3", 6, seed=0)
    before = made.states
    made.step([3, 4], rows=[1, 4])
    changed = (made.states != before).nonzero()[0]
    assert changed.tolist() == [1, 4]
    made.step([5], rows=np.arange(6) == 2)
    assert made.states["ply"].tolist() == [0, 1, 1, 0, 1, 0]
    assert made.view([2]).row.tolist() == [2]


def test_equal_histories_give_equal_bytes() -> None:
    assert stepped(1, 0).game.dtype.itemsize > 11 + 25 + 50  # there is padding to leave undefined
    one, other = stepped(7, 4), stepped(7, 4)
    assert one.states.tobytes() == other.states.tobytes() == one.clone().states.tobytes()
    assert one.view().states.tobytes() == one.states.tobytes()


def test_states_go_in_and_out() -> None:
    made = stepped(5, 4)
    other = Batch("hex:board_size=5", 5, seed=99, history=True)
    other.states = made.states
    assert (other.mask == made.mask).all() and (other.observation == made.observation).all()
    other.set_states(made.states[:1], rows=[3])
    assert (other.states[3] == made.states[0]) and other.view([3]).history == [[]]


def test_a_position_put_into_a_row_has_none_of_its_history() -> None:
    made, other = (stepped(5, moves, history=True) for moves in (4, 2))
    told = [made.history(row) for row in range(5)]
    made.set_states(other.states[:2], rows=[1, 3])
    assert [made.history(row) for row in range(5)] == [told[0], [], told[2], [], told[4]]
    assert made.view().history == [told[0], [], told[2], [], told[4]]
    made.step(made.mask.argmax(1))
    assert [len(made.history(row)) for row in range(5)] == [5, 1, 5, 1, 5]
    made.states = other.states
    assert made.view().history == [[]] * 5


def test_a_clone_deals_the_same_bytes() -> None:
    """The padding between a record's fields, too, which NumPy's copies leave undefined."""
    made = Batch("einstein:board_size=3,stones=2", 50, seed=1)
    for _ in range(20):
        for _ in range(64):  # leave something in the memory that is used next
            np.full(made.states.dtype.itemsize, 0xA5, np.uint8)
        twin = made.clone()
        made.reset()
        twin.reset()
        assert twin.states.tobytes() == made.states.tobytes()


@pytest.mark.posix
@pytest.mark.posix
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_starts_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool it inherits is full of threads that it has not: whoever waits for them waits for ever."""
    monkeypatch.setattr(batch, "THREADS_PAY", -1.0)
    made = stepped(8, 3, threads=2)
    twin, all_busy = made.clone(), threading.Barrier(2)
    list(made._threads().map(lambda _: all_busy.wait(), range(2)))
    child = multiprocessing.get_context("fork").Process(target=made.step, args=(made.sample(),))
    child.start()
    child.join(60)  # far longer than a step takes, however busy the machine is
    ended = child.exitcode
    child.kill()
    child.join()
    assert ended == 0
    made.step(made.sample())
    twin.step(twin.sample())
    assert made.states.tobytes() == twin.states.tobytes()


def test_forfeit_loses_for_the_offender_alone() -> None:
    made = Batch("hex:board_size=3", 3, seed=0, illegal="forfeit")
    made.step([4, 4, 4])
    rewards, over, _ = made.step([4, 0, -7])
    assert over.tolist() == [True, False, True]
    assert rewards.tolist() == [[0.0, -1.0], [0.0, 0.0], [0.0, -1.0]]
    assert made.to_move.tolist() == [-2, 0, -2] and not made.mask[0].any()


@pytest.mark.parametrize(
    "form",
    [
        np.ndarray.tolist,
        lambda a: a.astype(np.uint8),
        lambda a: a.astype(">i8"),
        lambda a: np.repeat(a, 2)[::2],
        lambda a: a[::-1].copy()[::-1],
        lambda a: np.broadcast_to(a, a.shape),
        lambda a: np.frombuffer(b"." + a.tobytes(), np.int64, offset=1),
    ],
    ids=["list", "uint8", "big-endian", "strided", "reversed", "read-only", "unaligned"],
)
@pytest.mark.parametrize("first", [True, False])
def test_actions_may_lie_in_memory_in_any_way(form: Callable[[np.ndarray], ArrayLike], first: bool) -> None:
    """Kernels are entered for the types of the first call, whatever comes then."""
    plain, other = (Batch("hex:board_size=5", 9, seed=3, autoreset="same_step") for _ in range(2))
    for t in range(60):
        actions = plain.sample()
        told = plain.step(actions)
        again = other.step(form(actions) if t or first else actions)
        assert all((one == two).all() for one, two in zip(told, again, strict=True))
    assert plain.states.tobytes() == other.states.tobytes()


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        (
            [4, 0],
            "row 0: action 4 \\(b2\\) is not legal, 8 of the actions 0 to 8 are\nhex 3x3  ply 1  last b2  O to move",
        ),
        ([0, 9], "row 1: action 9 is not legal"),
        ([0, -1], "row 1: action -1 is not legal"),
        ([0, 2**40], "row 1: action 1099511627776 is not legal"),
    ],
)
def test_an_illegal_action_is_named_and_nothing_is_touched(actions: list[int], says: str) -> None:
    made = Batch("hex:board_size=3", 2, seed=0)
    made.step([4, 4])
    before = made.states.tobytes()
    with pytest.raises(IllegalAction, match=says):
        made.step(actions)
    assert made.states.tobytes() == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n": 0}, "at least 1, not 0"),
        ({"n": True}, "at least 1, not True"),
        ({"n": 2.5}, "at least 1, not 2.5"),
        ({"board_size": 0}, "board_size must be a whole number from 1 to 26, not 0"),
        ({"board_size": -1}, "from 1 to 26, not -1"),
        ({"board_size": 27}, "from 1 to 26, not 27"),
        ({"board_size": "a"}, "from 1 to 26, not 'a'"),
        ({"board_size": 3.0}, "from 1 to 26, not 3.0"),
        ({"swap": "perhaps"}, "swap must be true or false, not 'perhaps'"),
        ({"bord_size": 5}, "hex got an unexpected keyword argument 'bord_size': did you mean 'board_size'"),
        ({"encoder": "plane"}, "unknown encoder of hex 'plane': did you mean 'planes'"),
        ({"autoreset": "never"}, "unknown autoreset mode 'never'"),
        ({"illegal": "ignore"}, "unknown way to treat illegal actions"),
        ({"threads": 0}, "threads must be a whole number, at least 1, not 0"),
        ({"seed": -1}, "a seed is a whole number, at least 0"),
        ({"seed": [1, 2, 3]}, "a list of 1 of them"),
        ({"seed": "x"}, "a seed is a whole number"),
    ],
)
def test_bad_options_are_refused_with_one_sentence(options: dict, says: str) -> None:
    with pytest.raises(BoyiError, match=says) as caught:
        Batch("hex", **options)
    assert "\n" not in str(caught.value)


def test_unknown_games_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(BoyiError, match="unknown game 'hx': did you mean 'hex'"):
        Batch("hx")
    with pytest.raises(BoyiError, match="a game is a name, a Spec or a Game, not int"):
        Batch(5)
    with pytest.raises(BoyiError, match="cannot read"):
        Batch("hex:board_size=")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda b: b.step([0]), "actions must be 2 whole numbers"),
        (lambda b: b.step([0.0, 1.0]), "actions must be 2 whole numbers, one a row, not float64"),
        (lambda b: b.step(np.zeros((2, 1), int)), "of shape \\(2, 1\\)"),
        (lambda b: b.step([0], rows=[2]), "rows must be increasing row numbers from 0 to 1"),
        (lambda b: b.step([0, 1], rows=[1, 1]), "rows must be increasing"),
        (lambda b: b.step([0], rows=[True]), "rows must be increasing"),
        (lambda b: b.observe(2), "seats are 0 to 1"),
        (lambda b: b.set_states(np.zeros(2)), "2 records of this game's dtype"),
        (lambda b: b.set_states(Batch("hex:board_size=4", 2).states), "2 records of this game's dtype"),
        (lambda b: b.set_states(b.states, rows=[0]), "1 records of this game's dtype"),
        (lambda b: b.reset([1]), "a list of 2 of them"),
    ],
)
def test_bad_calls_are_refused_with_one_sentence(call, says: str) -> None:
    made = Batch("hex:board_size=3", 2, seed=0)
    before = made.states.tobytes()
    with pytest.raises(BoyiError, match=says):
        call(made)
    assert made.states.tobytes() == before


def test_chance_by_hand_plays_the_same_rules() -> None:
    """Follow a batch that resolves chance inside: only one outcome leads to each of its positions."""
    from toy import SPEC

    inside, outside = Batch(SPEC, 1, seed=5), Batch(SPEC, 1, seed=5, chance="by_hand")
    events, over = 0, np.zeros(1, bool)
    while not over[0]:
        while outside.to_move[0] == -1:
            odds = outside.chances()[0]
            assert odds.sum() == pytest.approx(1)
            assert not outside.mask.any()
            fitting = []
            for outcome in np.flatnonzero(odds):
                trial = outside.clone()
                trial.resolve([outcome])
                if (trial.states == inside.states).all():
                    fitting.append(outcome)
            assert len(fitting) == 1
            outside.resolve(fitting)
            events += 1
        assert (outside.states == inside.states).all()
        assert (outside.mask == inside.mask).all()
        action = inside.sample()
        rewards, over, _ = inside.step(action)
        same, ended, _ = outside.step(action)
        assert (rewards == same).all()
        assert over == ended
    assert events > 3


def test_chance_by_hand_refuses_what_does_not_fit() -> None:
    from toy import SPEC

    made = Batch(SPEC, 2, seed=0, chance="by_hand")
    before = made.states.tobytes()
    with pytest.raises(IllegalAction, match="row 0: a chance event comes next; resolve it"):
        made.step([0, 0])
    with pytest.raises(BoyiError, match="row 1: outcome 2 is not possible; possible: 0, 1"):
        made.resolve([0, 2])
    with pytest.raises(BoyiError, match="outcomes must be 2 whole numbers"):
        made.resolve([0.5, 0.5])
    with pytest.raises(BoyiError, match='make the batch with chance="inside"'):
        made.play_random(1)
    assert made.states.tobytes() == before
    assert made.sample().tolist() == [-1, -1]
    made.resolve([0], rows=[1])
    with pytest.raises(BoyiError, match="row 1 waits for no chance event"):
        made.chances()
    with pytest.raises(BoyiError, match='needs autoreset="off"'):
        Batch(SPEC, 2, chance="by_hand", autoreset="same_step")
    with pytest.raises(BoyiError, match="unknown way to resolve chance 'dice'"):
        Batch(SPEC, 2, chance="dice")


@pytest.mark.parametrize("agent", ["random", "mcts:sims=5", lambda observation, mask: mask.argmax()])
def test_a_view_with_a_mask_of_the_wrong_shape_is_refused(agent) -> None:
    view = Batch("hex:board_size=3", 2, seed=0).view()
    for mask in (view.mask[:1], view.mask[:, :5], view.mask.astype(bool), np.repeat(view.mask, 2, axis=0)):
        with pytest.raises(BoyiError, match=r"the mask of 2 games must be int8 of shape \(2, 9\), not"):
            make_agent(agent).act(view._replace(mask=mask))
    with pytest.raises(BoyiError, match="a view of 2 games holds 2 of its records"):
        make_agent(agent).act(view._replace(rng=view.rng[:1]))


def test_a_finished_game_is_not_stepped() -> None:
    made = Batch("hex:board_size=3", 2, seed=0)
    for action in (0, 1, 3, 4, 6):
        made.step([action, action])
    with pytest.raises(IllegalAction, match="row 0: the game has ended"):
        made.step([0, 0])
    with pytest.raises(BoyiError, match="row 1 has ended: nobody is to move"):
        made.view([1])
    assert made.view().row.size == 0 and made.sample().tolist() == [-1, -1]
    single = Batch("hex:board_size=3", 1, seed=0)
    assert [single.play(action) for action in (0, 1, 3, 4, 6)][-1] == -2 and single.scores == [1.0, -1.0]
    with pytest.raises(IllegalAction, match="the game has ended"):
        single.play(0)


def test_a_batch_without_an_encoder_has_no_observations() -> None:
    with pytest.raises(BoyiError, match="encoder=None"):
        _ = Batch("hex:board_size=3", 2, encoder=None).observation


def test_a_single_game_without_observations_is_the_same_game() -> None:
    shown, blind = (Batch("hex:board_size=3", 1, seed=4, encoder=encoder) for encoder in ("planes", None))
    while shown.to_move[0] >= 0:
        action = int(shown.sample()[0])
        assert shown.play(action) == blind.play(action)
        assert (shown.states == blind.states).all()


def test_a_single_game_shows_the_next_seat_what_it_sees() -> None:
    made = Batch("hex:board_size=3", 1, seed=4)
    assert made.seen is None
    for action in (4, 0, 8):
        before, seat = made.seen, made.play(action)
        assert made.seen is not None and made.seen is not before
        assert (made.seen == made.observe(seat)[0]).all() and made.seen[:2].sum() == made.states["ply"][0]
    for change in (lambda: made.step([2]), lambda: made.reset(), lambda: made.set_states(made.states)):
        change()
        assert made.seen is None
        made.play(1 if made.mask[0, 1] else 3)
