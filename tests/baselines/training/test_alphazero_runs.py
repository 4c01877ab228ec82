"""Runs of AlphaZero: they leave everything behind, go on from anywhere as if nothing had been, and play as agents."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from mortals import lives
from msgspec import to_builtins
from msgspec.structs import replace
from places import ROOT
from runs import LEFT, TINY_ALPHAZERO, left_by
from safetensors.numpy import load_file
from typer.testing import CliRunner, Result

from boyi.baselines import make_agent
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.command import main as cli
from boyi.baselines.command import progress
from boyi.baselines.learning.alphazero_agent import read_network, write_network
from boyi.baselines.learning.checkpoint import read_file, write_file
from boyi.baselines.search.puct import PUCT
from boyi.baselines.training.alphazero_trainer import AlphaZeroTrainer
from boyi.baselines.training.config import Config, read_config
from boyi.baselines.training.run import FORMAT, Checkpoint, Limits, Run
from boyi.envs import Batch, BoyiError, find

pytestmark = pytest.mark.usefixtures("no_notice")

GAME = "einstein:board_size=3,stones=2"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY_ALPHAZERO)


def boyi(words: str) -> Result:
    return CliRunner().invoke(cli.app, shlex.split(words))


def tiny(**changes: Any) -> Config:
    return read_config("tiny.toml", **changes)


def state(folder: Path) -> Any:
    """All of a run that does not depend on the clock."""
    arrays = [load_file(folder / f"{name}.safetensors") for name in ("checkpoint", "model")]
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    timeless = [{key: value for key, value in line.items() if not key.startswith("time/")} for line in log]
    return [{name: array.tobytes() for name, array in each.items()} for each in arrays], timeless


def test_a_run_leaves_everything_behind_and_plays_as_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.0)
    done = boyi("train tiny.toml --name first")
    assert done.exit_code == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if " of 600 steps: " in line]
    for figure in (*AlphaZeroTrainer.watched, "eval/random"):
        assert any(f"{figure.split('/')[1]} " in line for line in said), figure
    assert re.fullmatch(r"runs/first: 600 steps, all 600 steps are done; \d+% against random\n", done.stdout)
    folder = Path("runs/first")
    assert left_by(folder) == LEFT
    assert json.loads((folder / "config.json").read_text()) == tiny().facts
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [line["steps"] for line in log if "eval/random" in line] == [300, 600]
    page = (ROOT / "docs" / "alphazero.md").read_text()
    logged = {name for line in log for name in line if name != "steps" and not name.startswith("eval/")}
    assert len(logged) > 12 and all(f"`{name}`" in page for name in logged)
    assert load_file(folder / "checkpoint.safetensors")["moves"].sum() == 600
    match = boyi(f"arena {GAME} az:runs/first,sims=4 puct:evaluator='az:runs/first',sims=4 --games 4")
    assert match.exit_code == 0, match.stderr
    again = boyi("train tiny.toml --name first")
    assert again.exit_code == 2 and "runs/first holds a run" in again.stderr


MORE: dict[str, Any] = {
    "game": ["gomoku:board_size=5", "gomoku:board_size=6"], "network": "board", "encoder": "ruled", "root": "gumbel",
    "choices": {"channels": 2, "blocks": 1, "auxiliary": True}, "reply_weight": 0.1, "surprise": 0.5, "average": 0.9,
    "opening": 3, "openings": 2, "proofs": 5, "records": "games.jsonl", "gate_interval": 900,
    "steps": 2400, "evaluation_interval": 1200, "checkpoint_interval": 400, "draws": 0.5, "threads": 1,
}  # fmt: skip
"""All that a run may learn besides; what owns what at the end is not, so that a part of the network never learns."""


@pytest.mark.parametrize(
    "changes",
    [{}, {"root": "gumbel", "optimizer": "sgd"}, {"gate_interval": 0, "halves": 3, "threads": 1}, MORE],
    ids=["gate", "gumbel", "three", "more"],
)
def test_a_run_stopped_anywhere_resumes_to_what_it_would_have_been(changes: dict[str, Any]) -> None:
    compete(Match("gomoku:board_size=5", ["random", "alphabeta:depth=1"], games=140), "games.jsonl")
    config = tiny(**changes)
    Run(config, Path("runs/whole"), device="cpu").train()
    for number, rounds in enumerate((2, 5, 20)):
        stops = iter([False] * rounds + [True])
        run = Run(config, Path("runs/parts"), resume=number > 0, device="cpu")
        assert run.train(Limits(asked=lambda stops=stops: next(stops))) == "stopped"  # type: ignore[misc]
    assert config["steps"] / 3 < run.steps < config["steps"]
    Run(config, Path("runs/parts"), resume=True, device="cpu").train()
    assert state(Path("runs/whole")) == state(Path("runs/parts"))


@pytest.mark.slow
@pytest.mark.posix
def test_a_killed_run_resumes_to_what_it_would_have_been() -> None:
    Run(tiny(steps=3000), Path("runs/whole"), device="cpu").train()
    words = ["train", "tiny.toml", "--steps", "3000", "--name", "parts", "--device", "cpu"]
    command = [sys.executable, "-m", "boyi.baselines.command.main", *words]
    log = Path("runs/parts/log.jsonl")
    for lines in (3, 9, 15):
        process = subprocess.Popen([*command, "--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < lines):
            time.sleep(0.002)
        process.kill()
        assert process.communicate()[1].decode().count("Traceback") == 0
        assert process.returncode == -signal.SIGKILL
    assert boyi(shlex.join([*words, "--resume"])).exit_code == 0
    assert state(Path("runs/whole")) == state(Path("runs/parts"))


@pytest.mark.posix
def test_a_run_that_others_play_for_is_killed_and_goes_on_with_any_number() -> None:
    """What its checkpoint holds is there again, with one process or two; those of a run that is killed end with it."""
    words = ["train", "tiny.toml", "--name", "many", "--steps", "8000", "--device", "cpu", "--workers", "2"]
    command = [sys.executable, "-m", "boyi.baselines.command.main", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    checkpoint, until = Path("runs/many/checkpoint.safetensors"), time.monotonic() + 120
    while not checkpoint.exists():
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.communicate()[1].decode().count("Traceback") == 0
    while lives(process.pid):
        assert time.monotonic() < until
        time.sleep(0.05)
    run = Run(tiny(steps=8000, workers=1), Path("runs/many"), device="cpu", resume=True)
    assert isinstance(run.trainer, AlphaZeroTrainer)
    learner = run.trainer.learner
    before = learner.decisions, learner.finished, learner.updates, learner.ordered
    assert min(before) > 0 and learner.windows[0].total > 0
    assert next(learner._orders()).seed not in {learner._order(number).seed for number in range(1, 1 + before[3])}
    assert boyi(shlex.join([*words[:-1], "1", "--resume"])).exit_code == 0
    after = Run(tiny(steps=8000, workers=1), Path("runs/many"), device="cpu", resume=True)
    assert after.steps >= 8000 and after.trainer.moves.sum() == after.steps
    refused = boyi(shlex.join([*words[:-1], "0", "--resume"]))
    assert refused.exit_code == 2
    assert refused.stderr.endswith(
        "belongs to a run in which other processes played: workers and cluster must say so, too\n"
    )


def test_a_run_is_exported_with_a_card_that_says_how_it_was_made() -> None:
    Run(tiny(), Path("runs/tiny"), device="cpu").train()
    done = boyi("export runs/tiny mine.safetensors")
    assert done.exit_code == 0, done.stderr
    assert re.fullmatch(
        r"mine\.safetensors: [\d,]+ bytes, plays as az:mine\.safetensors; .*% of 4 against random\n", done.stdout
    )
    learned, halved = load_file("runs/tiny/model.safetensors"), load_file("mine.safetensors")
    assert halved.keys() == learned.keys()
    for name, array in halved.items():
        assert array.dtype == np.float16 and np.allclose(array, learned[name], rtol=1e-3, atol=1e-6), name
    made = read_network("mine.safetensors").card.made
    assert made["command"] == "boyi train tiny" and json.loads(made["config"]) == tiny().facts
    assert made["decisions"] == "600" and int(made["games"]) > 50 and float(made["hours"]) >= 0.0
    assert all(made[name] for name in ("commit", "machine", "ladder"))
    assert make_agent("az:mine.safetensors,sims=4", GAME).act(Batch(GAME, 2, seed=0).view()).size == 2
    for words, sentence in (
        ("export runs/none mine.safetensors", "cannot read runs/none/config.json: No such file"),
        ("export runs/tiny tiny.toml/mine.safetensors", "cannot write tiny.toml"),
    ):
        refused = boyi(words)
        assert refused.exit_code == 2 and sentence in refused.stderr, refused.stderr


def test_a_run_goes_on_counting_its_hours() -> None:
    Run(tiny(steps=300), Path("runs/tiny"), device="cpu").train()
    run = Run(tiny(), Path("runs/tiny"), device="cpu", resume=True)
    run.lines[-1]["time/hours"] = 5.0
    run.train()
    assert run.lines[-2]["time/hours"] >= 5.0


def test_a_run_goes_on_that_was_begun_before_a_field_was_there() -> None:
    Run(tiny(steps=60), Path("runs/tiny"), device="cpu").train()
    file = Path("runs/tiny/checkpoint.safetensors")
    arrays, facts = read_file(file, Checkpoint, FORMAT)
    del facts.config["opening"]
    write_file(file, arrays, to_builtins(facts))
    assert Run(tiny(steps=120, c=0.5), Path("runs/tiny"), device="cpu", resume=True).steps == 60
    with pytest.raises(BoyiError, match="its opening is 0, here it is 2"):
        Run(tiny(steps=120, opening=2), Path("runs/tiny"), device="cpu", resume=True)


def test_the_learning_rate_and_the_search_may_change_when_a_run_goes_on() -> None:
    Run(tiny(steps=300), Path("runs/tiny"), device="cpu").train()
    run = Run(
        tiny(steps=600, learning_rate=1e-5, fpu=-0.2, fpu_from="parent"), Path("runs/tiny"), device="cpu", resume=True
    )
    run.train()
    rates = [line["train/learning_rate"] for line in run.lines if "train/learning_rate" in line]
    assert set(rates) == {1e-3, 1e-5} and rates[-1] == 1e-5


def test_a_run_of_another_algorithm_is_not_gone_on_with() -> None:
    Run(tiny(steps=60), Path("runs/tiny"), device="cpu").train()
    Path("other.toml").write_text(f'game = "{GAME}"\n')
    done = boyi("train other.toml --name tiny --resume")
    assert done.exit_code == 2
    assert "belongs to another run: its algorithm is 'alphazero', here it is 'dqn'" in done.stderr


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("double = true", "unknown field of config tiny 'double'"),
        ('cluster = "dask"', "config tiny: cluster must be one of nothing, ray, not 'dask'"),
        ('algorithm = "alphazer"', "config tiny: algorithm must be one of dqn, alphazero"),
        ('game = ["hex:board_size=3", 4]', "game must be a game string or a list of them"),
        ('game = "mahjong"', "alphazero cannot learn mahjong"),
        ("gate_games = 5", "gate_games must be an even number"),
        ('network = "layout"', "network layout sees planes (C, H, W)"),
    ],
)
def test_a_bad_config_is_one_sentence(line: str, sentence: str) -> None:
    field = line.split(" ")[0]
    kept = [each for each in TINY_ALPHAZERO.splitlines() if not each.startswith(f"{field} ")]
    if field == "network":
        kept = ['encoder = "policy42"', *(each for each in kept if not each.startswith("choices"))]
    Path("tiny.toml").write_text("\n".join([line, *kept]))
    done = boyi("train tiny.toml")
    assert done.exit_code == 2
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1


# Agents


@pytest.fixture
def weights() -> Path:
    Run(tiny(steps=60), Path("runs/tiny"), device="cpu").train()
    return Path("runs/tiny")


@pytest.mark.parametrize(
    "values", ["sims=0", "sims=8", "sims=8,root=gumbel", "sims=8,temperature=1.0", "sims=0,temperature=0.5"]
)
def test_every_way_to_play_is_legal_and_the_same_again(weights: Path, values: str) -> None:
    found = []
    for _ in range(2):
        batch, agent, moves = Batch(GAME, 6, seed=2), make_agent(f"az:{weights},{values}", GAME), []
        while (batch.to_move >= 0).any():
            view = batch.view()
            moves.append(agent.act(view))
            assert view.mask[np.arange(view.row.size), moves[-1]].all()
            batch.step(moves[-1], view.row)
        found.append(np.concatenate(moves).tolist())
    assert found[0] == found[1]


def test_the_policy_alone_is_the_likeliest_move_and_its_value_is_the_networks(weights: Path) -> None:
    agent, view = make_agent(f"az:{weights},sims=0", GAME), Batch(GAME, 5, seed=0).view()
    evaluator = agent.evaluator(view.game)  # type: ignore[attr-defined]
    priors, values = evaluator.evaluate(view.states, view.seat)
    assert agent.act(view).tolist() == priors.argmax(axis=1).tolist()
    assert agent.value(view, 3) == pytest.approx(values[3], abs=1e-6)
    assert priors.sum(axis=1) == pytest.approx(np.ones(5)) and (priors[view.mask == 0] == 0).all()


def test_half_precision_plays_and_other_boards_are_refused(weights: Path) -> None:
    learned = read_network(weights)
    net = learned.network(learned.games[0])
    write_network("half.safetensors", net, learned.card, "float16")
    assert load_file("half.safetensors")["policy.weight"].dtype == np.float16
    view = Batch(GAME, 5, seed=0).view()
    one, other = (make_agent(f"az:{file},sims=0", GAME) for file in (weights, "half.safetensors"))
    assert one.value(view) == pytest.approx(other.value(view), abs=1e-3)
    for game, sentence in (
        ("einstein:stones=2", "its weights do not fit einstein:stones=2"),
        (
            "einstein:board_size=3,stones=2,placement=fixed",
            "cannot play einstein:board_size=3,stones=2,placement=fixed",
        ),
        ("hex:board_size=3", "cannot play hex:board_size=3"),
        ("mahjong", "az cannot play mahjong: that takes two seats"),
    ):
        with pytest.raises(BoyiError, match=re.escape(sentence)):
            make_agent("az:half.safetensors", game)


@pytest.mark.parametrize("leaf", ["network", "playout"])
def test_a_layout_that_was_learned_alone_is_played_in_the_whole_game(leaf: str) -> None:
    """And what values its leaves in play is what did in learning."""
    config = tiny(
        game="jiu:board_size=6,layout_only=true", network="layout", encoder="layout4", moves=36, steps=72, leaf=leaf,
        choices={"channels": [4]}, kl_stop=0.5, keep_tree=False,
    )  # fmt: skip
    Run(config, Path("runs/layout"), device="cpu").train()
    assert read_network("runs/layout").search["leaf"] == leaf
    agent = make_agent("two_phase:layout='az:runs/layout,sims=8',battle=greedy", "jiu:board_size=6")
    alone, whole = (Batch(game, 3, seed=2, encoder=None) for game in (config.game, "jiu:board_size=6"))
    layout = make_agent("az:runs/layout,sims=8", config.game)
    assert layout.evaluator(config.game).leaf == leaf  # type: ignore[attr-defined]
    for _ in range(36):
        actions = agent.act(whole.view())
        assert actions.tolist() == layout.act(alone.view()).tolist()
        alone.step(actions)
        whole.step(actions)
    while (whole.to_move >= 0).any():
        view = whole.view()
        whole.step(agent.act(view), view.row)
    with pytest.raises(BoyiError, match="cannot play jiu:board_size=6"):
        make_agent("two_phase:layout=greedy,battle='az:runs/layout'", "jiu:board_size=6")


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("az:nothing", "no weights are called 'nothing': those that ship are"),
        ("az:runs/nothing", "cannot read runs/nothing: there is no such file"),
        ("az:tiny.toml", "tiny.toml is damaged, or not a safetensors file"),
        ("az:runs/tiny,sims=1", "az: sims must be 0, for the policy alone, or at least 2"),
        ("az:runs/tiny,device=nonsense", "device must be auto, cpu"),
        ("az:runs/tiny/checkpoint.safetensors", "is not a file of format boyi-az-1"),
        ("dqn:runs/tiny", "is not a file of format boyi-model-1"),
        ("puct:evaluator=random", "puct: random judges no positions: evaluator is one of auto, evaluate, playout"),
        ("puct:evaluator='mcts:sims=3'", "judges no positions"),
    ],
)
def test_agents_say_what_is_wrong(weights: Path, agent: str, sentence: str) -> None:
    with pytest.raises(BoyiError, match=re.escape(sentence)):
        make_agent(agent, GAME)


def test_auto_is_a_device_that_there_is(weights: Path) -> None:
    view = Batch(GAME, 2, seed=0).view()
    assert view.mask[[0, 1], make_agent("az:runs/tiny,sims=0,device=auto", GAME).act(view)].all()


def test_another_version_of_the_game_is_refused(weights: Path) -> None:
    learned = read_network(weights)
    net = learned.network(learned.games[0])
    write_network("old.safetensors", net, replace(learned.card, game_version=7))
    with pytest.raises(BoyiError, match=r"old\.safetensors: learned version 7 of einstein, this is version 0"):
        make_agent("az:old.safetensors", GAME)


def test_puct_asks_the_network_that_it_names(weights: Path) -> None:
    agent = make_agent(f"puct:sims=20,evaluator='az:{weights}'", GAME)
    assert isinstance(agent, PUCT) and str(make_agent(str(agent))) == str(agent)
    view = Batch(GAME, 3, seed=0).view()
    by_hand = PUCT(sims=20, evaluator=make_agent(f"az:{weights}", GAME).evaluator(view.game))  # type: ignore[attr-defined]
    assert agent.act(view).tolist() == by_hand.act(Batch(GAME, 3, seed=0).view()).tolist()


def test_a_run_begins_with_the_weights_that_it_names(weights: Path) -> None:
    theirs = load_file(weights / "model.safetensors")
    ours = Run(tiny(start="runs/tiny", seed=7), Path("runs/next")).trainer.agent().evaluators[find(GAME)]  # type: ignore[attr-defined]
    assert {name: tensor.numpy().tolist() for name, tensor in ours.net.state_dict().items()} == {
        name: array.tolist() for name, array in theirs.items()
    }
    for changes, sentence in (
        (
            {"choices": {"hidden": [9]}},
            "start=runs/tiny is network mlp with {'hidden': [8]} that sees planes, the run's is",
        ),
        ({"game": "hex:board_size=3"}, "cannot play hex:board_size=3"),
        ({"start": "runs/nothing"}, "cannot read runs/nothing"),
    ):
        with pytest.raises(BoyiError, match=re.escape(sentence)):
            Run(tiny(**{"start": "runs/tiny", **changes}), Path("runs/other"))


@pytest.mark.parametrize(
    "agent", ["az:runs/tiny,sims=4", "puct:evaluator='az:runs/tiny',sims=4", "az:runs/tiny,sims=4,threads=2"]
)
def test_a_network_computes_on_as_many_threads_as_are_asked_for(
    weights: Path, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, kept, before = list[int](), torch.set_num_threads, torch.get_num_threads()
    monkeypatch.setattr(torch, "set_num_threads", lambda count: (asked.append(count), kept(count)))
    make_agent(agent, GAME).act(Batch(GAME, 3, seed=0).view())
    assert set(asked[::2]) == {2 if "threads=2" in agent else 1} and set(asked[1::2]) == {before}
    assert torch.get_num_threads() == before
