"""Files that are damaged or somebody else's: one sentence, or the very thing that was written; never anything between.

A file is taken apart, one thing in it is changed, and it is put together again. What then loads must be equal to what
loaded before, or say what the file says now.
"""

import copy
import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec import to_builtins
from runs import TINY_ALPHAZERO
from safetensors import safe_open
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_tensors

from boyi.baselines.arena.decisions import Decision, Inquiry, inquire
from boyi.baselines.arena.ladder import benchmark, read_standing
from boyi.baselines.learning.alphazero_agent import read_network
from boyi.baselines.learning.checkpoint import write_file
from boyi.baselines.learning.model_agent import read_model
from boyi.baselines.training.config import read_config
from boyi.baselines.training.dqn_trainer import make_training_env
from boyi.baselines.training.run import Limits, Run
from boyi.envs import BoyiError, find
from boyi.envs.engine import bind
from boyi.envs.engine.schema import read
from boyi.envs.faces.gym import GameVectorEnv
from boyi.envs.records.game_record import FORMAT, GameRecord, positions, read_line

pytestmark = [
    pytest.mark.filterwarnings("ignore:The number of environments used is greater:UserWarning"),
    pytest.mark.usefixtures("no_notice"),
]

HEX = "hex:board_size=3"
TINY = """
game = "hex:board_size=3"
policy = "MlpPolicy"
choices = { hidden = [4] }
envs = 4
steps = 100
learning_starts = 20
buffer_size = 50
target = "own_next"
evaluation_games = 2
"""
DEEP = json.loads("[" * 900 + "]" * 900)
VALUES = [
    None, True, False, -1, 0, 1, 7, 2**31, 2**63, 2**64, 10**40, 10**500, -0.5, 0.5, 1e300, "", "x", "-" * 50, [], [[]],
    [None], ["x"], [2**70], {}, {"x": {"x": []}}, DEEP,
]  # fmt: skip
"""What everything in a file is replaced by."""


def spoilt(content):
    """Yield a JSON document with each of its parts left out, doubled in a list, or replaced, with words for the change.

    Of a list only the first entry is looked at.
    """
    if isinstance(content, dict):
        for key in content:
            yield f"without {key}", {k: v for k, v in content.items() if k != key}
            for what, part in spoilt(content[key]):
                yield f"{key}: {what}", {**content, key: part}
        yield "with more", {**content, "more": 1}
    elif isinstance(content, list) and content:
        yield "shorter", content[:-1]
        yield "longer", [*content, content[-1]]
        for what, part in spoilt(content[0]):
            yield f"0: {what}", [part, *content[1:]]
    for value in VALUES:
        yield f"is {str(value)[:20]}", copy.copy(value)


def text(content):
    """Write JSON; the deepest of lists are beyond the reach of the standard library."""
    return json.dumps(content, ensure_ascii=False).encode()


def flipped(content, count):
    """Yield the bytes of a file with one of them changed, `count` times."""
    lots = np.random.default_rng(0)
    for at in lots.choice(len(content), min(count, len(content)), replace=False):
        yield content[:at] + bytes([content[at] ^ 1 << int(lots.integers(8))]) + content[at + 1 :]


def holds(load, *, equal):
    """Check that loading raises `BoyiError`, a sentence, or that what it loads is right; return whether it loaded."""
    try:
        found, said = load(), ""
    except BoyiError as error:
        found, said = None, str(error)
    assert equal(found) if not said else "\n" not in said and len(said) < 5000, (found, said)
    return not said


# Lines and documents


def record(**changes):
    facts = {
        "game": HEX, "game_version": 0, "agents": ["a", "b"], "run_seed": 3, "pairing": 0, "index": 1, "seed": 5,
        "seats": ["b", "a"], "actions": [0, 1, 2], "names": ["a1", "b1", "a2"], "ended": "over", "returns": [1.0, -1.0],
        "statistics": {"luck": [0.5, 0.5]}, "plies": 3, "seconds": {"a": 0.5, "b": 0.25}, "decisions": {"a": 1, "b": 2},
        "clock": 10.0,
    }  # fmt: skip
    return GameRecord(**{**facts, **changes})


def same_numbers(one, other):
    """Whether two JSON documents say the same: 1 and 1.0 do, 1 and true do not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_numbers(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_numbers, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def test_a_spoilt_record_is_refused_or_read_as_it_is():
    loaded = 0
    for _, content in spoilt(json.loads(record().line())):
        loaded += holds(
            lambda content=content: read_line(text(content), "here"),
            equal=lambda found, content=content: same_numbers(json.loads(found.line()), content),
        )
    assert loaded > 20


def test_a_spoilt_record_is_shown_or_refused():
    whole = json.loads(record().line())
    for _, content in spoilt(whole):
        try:
            found = read_line(text(content), "here")
        except BoyiError:
            continue
        holds(lambda found=found: positions(found, "here"), equal=lambda shown: len(shown[1]) == 4)


def test_bytes_of_a_record_that_are_flipped_are_refused_or_read_as_they_are():
    line = record().line().encode()
    for content in flipped(line, 1000):
        holds(
            lambda content=content: read_line(content, "here"),
            equal=lambda found, content=content: same_numbers(json.loads(found.line()), json.loads(content)),
        )


SINCE_3 = ("opening", "aliases")


def test_earlier_records_are_read():
    content = json.loads(record(clock=None).line())
    for format, missing in (("boyi-game-2", SINCE_3), ("boyi-game-1", ("clock", "reason", *SINCE_3))):
        earlier = {k: v for k, v in content.items() if k not in missing} | {"format": format}
        assert read_line(text(earlier), "here") == record(clock=None)
    assert read_line(text(content), "here").format == FORMAT


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"plies": 4}, "plies, actions and names differ in number"),
        ({"names": ["a1"]}, "plies, actions and names differ in number"),
        ({"returns": None}, "an unfinished game, and no other, has no returns"),
        ({"ended": "unfinished"}, "an unfinished game, and no other, has no returns"),
        ({"returns": [1.0]}, "returns and statistics are not one for each seat"),
        ({"returns": []}, "returns and statistics are not one for each seat"),
        ({"statistics": {"luck": [1.0]}}, "returns and statistics are not one for each seat"),
        ({"seconds": {"a": 1.0}}, "seconds or decisions of a seat are missing"),
        ({"decisions": {"a": 1}}, "seconds or decisions of a seat are missing"),
        ({"seed": 2**64}, "a seed has 64 bits"),
        ({"seed": -1}, "a seed has 64 bits"),
        ({"ended": "lost"}, "invalid enum value 'lost' - at `$.ended`, allowed: over, cut, resigned, forfeit, time,"),
        ({"actions": [0, -1, 2]}, "expected `int` >= 0 - at `$.actions[1]`"),
        ({"seed": True}, "expected `int`, got `bool` - at `$.seed`"),
    ],
)
def test_what_does_not_fit_together_is_said(changes, sentence):
    content = {**json.loads(record().line()), **changes}
    with pytest.raises(BoyiError) as caught:
        read_line(text(content), "games.jsonl, line 1,")
    assert str(caught.value).startswith(f"games.jsonl, line 1, is damaged: {sentence}")


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000, b"NaN", b"1e999", b"", b"\xff"])
def test_json_that_nobody_writes_is_refused(content, tmp_path):
    path = tmp_path / "it.json"
    path.write_bytes(content)
    for load in (lambda: read_line(content, "here"), lambda: read_standing(path)):
        with pytest.raises(BoyiError, match=" is not "):
            load()


def test_a_spoilt_decision_is_refused_or_read_as_it_is(tmp_path):
    path = tmp_path / "decisions.jsonl"
    inquiry = Inquiry(find(HEX), ["random"], positions=1, judge="exact")
    inquire(inquiry, path)
    line = path.read_bytes()
    for _, content in spoilt(json.loads(line)):
        holds(
            lambda content=content: read(text(content), Decision, where="here", what="it", format="boyi-decision-1"),
            equal=lambda found, content=content: same_numbers(json.loads(found.line()), content),
        )
    for other, sentence in (
        (line + line, "line 2, repeats what random did in position 0"),
        (text({**json.loads(line), "action": 9}) + b"\n", "line 1, is damaged: hex:board_size=3 has no action 9"),
        (text({**json.loads(line), "regret": None}) + b"\n", "line 1, is damaged: there is a regret where"),
    ):
        path.write_bytes(other)
        with pytest.raises(BoyiError, match=sentence):
            inquire(inquiry, path, resume=True)


def test_a_spoilt_standing_is_refused_or_read_as_it_is(tmp_path):
    path = tmp_path / "it.json"
    benchmark("random", HEX, out=path)
    for _, content in spoilt(json.loads(path.read_text())):
        path.write_bytes(text(content))
        holds(
            lambda: read_standing(path),
            equal=lambda found, content=content: same_numbers(json.loads(found.text()), content) and str(found),
        )


# Configs


def test_a_spoilt_config_is_refused_or_read_as_it_is(tmp_path):
    path = tmp_path / "tiny.toml"
    fields = [line.partition(" = ") for line in TINY.split("\n") if line]
    values = [
        "[]",
        "{}",
        "-1",
        "0",
        "1e400",
        "nan",
        "inf",
        '""',
        '"x"',
        "[[1]]",
        "2020-01-01",
        "true",
        "0x" + "f" * 5000,
    ]
    values += ["9" * 5000, "[" * 5000 + "]" * 5000, "{a=" * 5000 + "1" + "}" * 5000, "18446744073709551616", "[1, 'a']"]
    for name, _, value in fields:
        for other in values:
            path.write_text(TINY.replace(f"{name} = {value}", f"{name} = {other}"))
            holds(lambda: read_config(str(path)), equal=lambda found, name=name: name in found.facts)
    for content in flipped(TINY.encode(), 200):
        path.write_bytes(content)
        holds(lambda: read_config(str(path)), equal=lambda found: found.facts)


def test_a_config_is_nested_no_deeper_than_a_choice_of_a_network(tmp_path):
    path = tmp_path / "tiny.toml"
    for deep, said in ((3, "choices"), (30, "is nested too deeply"), (30_000, "is nested too deeply")):
        path.write_text(TINY.replace("{ hidden = [4] }", "[" * deep + "]" * deep))
        with pytest.raises(BoyiError, match=said):
            read_config(str(path))


# Checkpoints and models


def trained(folder, config):
    """Train a tiny run; return its folder."""
    (folder / "tiny.toml").write_text(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bind, "_say_once", lambda sentence: None)
        Run(read_config(str(folder / "tiny.toml")), folder / "run", device="cpu").train()
    return folder / "run"


@pytest.fixture(scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def dqn(tmp_path_factory, one_thread):
    """Train DQN once."""
    return trained(tmp_path_factory.mktemp("dqn"), TINY)


@pytest.fixture(scope="module")
def alphazero(tmp_path_factory, one_thread):
    """Train AlphaZero once."""
    return trained(tmp_path_factory.mktemp("alphazero"), TINY_ALPHAZERO)


@pytest.fixture(params=["dqn", "alphazero"])
def run(request):
    """Either of the two runs."""
    return request.getfixturevalue(request.param)


def parts(file):
    with safe_open(file, "np") as kept:
        return {name: kept.get_tensor(name) for name in kept.keys()}, json.loads(kept.metadata()["boyi"])  # noqa: SIM118


def resume(folder):
    """Read a run; return all of it."""
    found = Run(read_config(str(folder.parent / "tiny.toml")), folder, resume=True, device="cpu")
    return *found.trainer.pack(), found.lines


def same_run(one, other):
    arrays, others = one[0], other[0]
    return (
        one[1:] == other[1:]
        and arrays.keys() == others.keys()
        and all(
            arrays[name].dtype == others[name].dtype and arrays[name].tobytes() == others[name].tobytes()
            for name in arrays
        )
    )


@pytest.fixture
def put(run):
    """Write a checkpoint with other parts; afterwards the old one is there again."""
    file = run / "checkpoint.safetensors"
    content = file.read_bytes()
    yield lambda arrays, facts: write_file(file, arrays, facts)
    file.write_bytes(content)


def worse(array):
    """Yield an array made wrong: in its form or by numbers that are not finite."""
    others = [array[:-1], array[:1], array.reshape(-1)[:1].reshape(()), array.T, array[None], array[..., None]]
    others.append(np.concatenate([array, array[-1:]]) if array.size else np.zeros((1, *array.shape[1:]), array.dtype))
    with np.errstate(all="ignore"):
        others += [array.astype(kind) for kind in (np.float64, np.float32, np.float16, np.int64, np.uint8, np.bool_)]
    for value in (np.nan, np.inf, -np.inf) if array.dtype.kind == "f" else ():
        others.append(array.copy())
        others[-1].flat[-1:] = value
    yield from (
        np.ascontiguousarray(other)
        for other in others
        if other.ndim and ((other.shape, other.dtype) != (array.shape, array.dtype) or not np.isfinite(other).all())
    )


def test_a_checkpoint_is_read_as_it_was_written(run):
    arrays, facts, lines = resume(run)
    kept, said = parts(run / "checkpoint.safetensors")
    assert same_run((kept, facts, lines), (arrays, said["learner"], lines))
    assert {"turns/observations/observation", "play/1/open/states"} & arrays.keys()
    assert any(name.startswith("optimizer/") for name in arrays)


def test_an_array_of_a_checkpoint_that_is_wrong_is_refused(run, put):
    arrays, facts = parts(run / "checkpoint.safetensors")
    for name, array in arrays.items():
        for other in worse(array):
            if other.dtype == np.float32 and array.dtype == np.uint8 and other.shape == array.shape:
                continue  # a memory that has been widened
            put({**arrays, name: other}, facts)
            with pytest.raises(BoyiError, match=r"checkpoint\.safetensors is damaged: "):
                resume(run)
        put({key: kept for key, kept in arrays.items() if key != name}, facts)
        with pytest.raises(BoyiError, match=f"there is no array {name}"):
            resume(run)
    put({**arrays, "net/more": np.zeros(3)}, facts)
    with pytest.raises(BoyiError, match="there is an array net/more"):
        resume(run)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        *(("dqn", *each) for each in (
        ("replay/actions", 9), ("replay/actions", -1), ("turns/actions", 99), ("replay/dones", 2.0),
        ("replay/factors", -3.0), ("replay/observations/action_mask", 2), ("replay/next_observations/action_mask", -1),
        ("replay/observations/observation", 9), ("last/action_mask", 3), ("last/observation", 1.5), ("env/seats", 2),
        ("env/seats", -1), ("env/lengths", -1), ("moves", -1), ("optimizer/0/exp_avg_sq", -1.0),
        )),
        *(("alphazero", *each) for each in (
        ("window/0/policy", 1.5), ("window/0/value", -2.0), ("window/0/outcome", 3.0), ("play/0/open/policy", -1.0),
        ("window/0/states", 255), ("play/1/open/states", 255), ("play/0/count", -1), ("play/0/count", 10**6),
        ("play/1/plies", -1), ("play/0/batch/states", 255), ("moves", -1), ("optimizer/0/exp_avg_sq", -1.0),
        )),
    ],
)  # fmt: skip
def test_a_number_of_a_checkpoint_that_points_nowhere_is_refused(request, kind, name, value):
    run = request.getfixturevalue(kind)
    file = run / "checkpoint.safetensors"
    content = file.read_bytes()
    try:
        _points_nowhere(run, lambda arrays, facts: write_file(file, arrays, facts), name, value)
    finally:
        file.write_bytes(content)


def _points_nowhere(run, put, name, value):
    arrays, facts = parts(run / "checkpoint.safetensors")
    other = arrays[name].copy()
    if name.endswith("states"):
        other[-1] = value  # all bytes of a record: one alone may be none of its fields, or make another position
    else:
        other.flat[-1] = value
    put({**arrays, name: other}, facts)
    with pytest.raises(BoyiError, match=r"checkpoint\.safetensors is damaged: "):
        resume(run)


def test_a_truth_of_a_checkpoint_that_is_neither_is_refused(dqn):
    file = dqn / "checkpoint.safetensors"
    content = file.read_bytes()
    arrays, facts = parts(file)
    write_file(file, {**arrays, "turns/open": np.full(arrays["turns/open"].shape, 2, np.uint8).view(np.bool_)}, facts)
    with pytest.raises(BoyiError, match="numbers of turns/open are not from 0 to 1"):
        resume(dqn)
    file.write_bytes(content)


@pytest.mark.slow
def test_facts_of_a_checkpoint_that_are_wrong_are_refused(run, put):
    arrays, facts = parts(run / "checkpoint.safetensors")
    whole = resume(run)
    for _, content in spoilt(facts):
        put(arrays, content)
        holds(
            lambda: resume(run),
            equal=lambda found, content=content: (
                same_run((found[0], {}, []), (whole[0], {}, []))
                and same_numbers(found[1], content["learner"])
                and found[2] == whole[2][: content["lines"]]
            ),
        )


def test_bytes_of_a_checkpoint_that_are_flipped_are_refused(run, put):
    file = run / "checkpoint.safetensors"
    content, whole = file.read_bytes(), resume(run)
    for other in flipped(content, 200):
        file.write_bytes(other)
        holds(lambda: resume(run), equal=lambda found: same_run(found, whole))


def foreign(file):
    """Yield writers of files that are no checkpoint of this run."""
    yield lambda: file.write_bytes(b"")
    yield lambda: file.write_bytes(b"\x00" * 100)
    yield lambda: file.write_bytes(b"PK\x03\x04" * 30)
    yield lambda: file.write_text(TINY)
    yield lambda: save_file({"weights": np.zeros(3)}, file)
    yield lambda: save_file({"weights": np.zeros(3)}, file, {"format": "pt"})
    yield lambda: save_file({"weights": np.zeros(3)}, file, {"boyi": "[" * 100_000})
    yield lambda: save_file({"weights": np.zeros(3)}, file, {"boyi": "null"})
    yield lambda: save_file({"weights": np.zeros(3)}, file, {"boyi": "{}", "more": ""})
    yield lambda: file.write_bytes(file.with_name("model.safetensors").read_bytes())


def test_foreign_files_are_refused(run, put):
    for write in foreign(run / "checkpoint.safetensors"):
        write()
        with pytest.raises(BoyiError, match=r"^\S*checkpoint\.safetensors "):
            resume(run)
    arrays, facts = parts(run / "model.safetensors")
    for dtype in (torch.bfloat16, torch.float8_e4m3fn):
        tensors = {name: torch.from_numpy(array).to(dtype) for name, array in arrays.items()}
        save_tensors(tensors, run / "checkpoint.safetensors", {"boyi": json.dumps({**facts})})
        with pytest.raises(BoyiError, match="is damaged: NumPy has no dtype"):
            (read_network if "search" in facts else read_model)(run / "checkpoint.safetensors")


def test_a_checkpoint_without_a_digest_is_read(run, put):
    """As they were written before there was one."""
    arrays, facts = parts(run / "checkpoint.safetensors")
    whole = resume(run)
    save_file(arrays, run / "checkpoint.safetensors", {"boyi": json.dumps(facts)})
    assert same_run(resume(run), whole)


def test_a_log_that_is_not_that_of_the_run_is_refused(run):
    log = run / "log.jsonl"
    content, whole = log.read_bytes(), resume(run)
    first, *rest = content.splitlines(keepends=True)
    try:
        log.write_bytes(b"".join(rest))
        with pytest.raises(BoyiError, match=r"log\.jsonl is damaged: it holds \d+ lines, its run had logged \d+"):
            resume(run)
        for what, figures in spoilt(json.loads(first)):
            log.write_bytes(b"".join([text(figures) + b"\n", *rest]))
            right = holds(
                lambda: resume(run),
                equal=lambda found, figures=figures: same_numbers(
                    {name: None if math.isnan(value) else value for name, value in found[2][0].items()}, figures
                ),
            )
            assert not right or what != "without steps"
        log.write_bytes(content + b"what was logged after the checkpoint is not read")
        assert same_run(resume(run), whole)
    finally:
        log.write_bytes(content)


def test_a_log_that_is_taken_away_stops_its_run(tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    run = Run(read_config(str(tmp_path / "tiny.toml"), log_interval=8), tmp_path / "run")
    with pytest.raises(BoyiError, match=r"log\.jsonl is gone"):
        run.train(Limits(), lambda steps, figures: (tmp_path / "run" / "log.jsonl").unlink())


def test_a_model_that_is_wrong_is_refused(dqn, tmp_path):
    """Half precision is right: what is given away has it."""
    arrays, facts = parts(dqn / "model.safetensors")
    file = tmp_path / "model.safetensors"
    for name, array in arrays.items():
        changed = [{**arrays, name: other} for other in worse(array) if other.dtype != np.float16]
        for others in [*changed, {key: kept for key, kept in arrays.items() if key != name}, {**arrays, "more": array}]:
            write_file(file, others, facts)
            with pytest.raises(BoyiError, match=r"model\.safetensors is damaged: "):
                read_model(file)


def test_a_card_that_is_wrong_is_refused(dqn, tmp_path):
    arrays, facts = parts(dqn / "model.safetensors")
    file = tmp_path / "model.safetensors"
    facts_of_huge = {**facts, "choices": {"hidden": [65536] * 8}}
    for content in [facts_of_huge, *(content for _, content in spoilt(facts))]:
        write_file(file, arrays, content)
        holds(
            lambda: read_model(tmp_path),
            equal=lambda found, content=content: same_numbers(to_builtins(found[0]), content),
        )
    for content in flipped((dqn / "model.safetensors").read_bytes(), 300):
        file.write_bytes(content)
        holds(
            lambda: read_model(file),
            equal=lambda found: all(
                np.array_equal(tensor.numpy(), arrays[key]) for key, tensor in found[1].state_dict().items()
            ),
        )


# Snapshots of environments


@pytest.mark.parametrize("name", ["ended", "seats", "lengths", "earned"])
def test_a_snapshot_that_is_wrong_changes_nothing(name):
    env = make_training_env(read_config_of(TINY))
    env.reset()
    whole = {key: array.copy() for key, array in env.snapshot().items()}
    for other in worse(whole[name]):
        with pytest.raises(BoyiError, match="the snapshot is damaged"):
            env.restore({**whole, name: other})
        with pytest.raises(BoyiError, match=f"there is no array {name}"):
            env.restore({key: array for key, array in whole.items() if key != name})
        after = env.snapshot()
        assert all(after[key].tobytes() == whole[key].tobytes() for key in whole)


def read_config_of(toml):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.toml"
        path.write_text(toml)
        return read_config(str(path))


def test_a_seat_of_a_snapshot_that_there_is_not_is_refused():
    env = GameVectorEnv(HEX, 3)
    env.reset(seed=0)
    for seat in (-1, 2):
        with pytest.raises(BoyiError, match="numbers of seats are not from 0 to 1"):
            env.restore({**env.snapshot(), "seats": np.array([0, 0, seat])})
