"""``boyi train``: configs, runs that survive being killed, and what they leave behind."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from places import ROOT
from runs import LEFT, TINY, left_by
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

from boyi.baselines import make_agent
from boyi.baselines.arena import matches
from boyi.baselines.command import main as cli
from boyi.baselines.learning.checkpoint import write_file
from boyi.baselines.training.config import FIELDS, FOLDER, LISTS, check_config, read_config, shipped
from boyi.baselines.training.dqn_trainer import make_learner, played_lines
from boyi.baselines.training.run import Limits, Run, hold
from boyi.envs import Batch, BoyiError, find
from boyi.envs.faces.symmetry import symmetries
from boyi.envs.records.game_record import read_line

pytestmark = [
    pytest.mark.filterwarnings("ignore:The number of environments used is greater:UserWarning"),
    pytest.mark.usefixtures("no_notice"),
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Runs go to runs/ where the command is called."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path


def boyi(words):
    return CliRunner().invoke(cli.app, shlex.split(words))


def tiny(**changes):
    return read_config("tiny.toml", **changes)


def state(folder):
    """All of a run that does not depend on the clock: checkpoint, model and log."""
    arrays = {name: load_file(folder / f"{name}.safetensors") for name in ("checkpoint", "model")}
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return arrays, [{key: value for key, value in line.items() if not key.startswith("time/")} for line in log]


def same(one, other):
    assert one[1] == other[1]
    for name, arrays in one[0].items():
        assert arrays.keys() == other[0][name].keys()
        for key, array in arrays.items():
            assert array.tobytes() == other[0][name][key].tobytes(), key


def test_a_run_leaves_everything_behind():
    done = boyi("train tiny.toml --name first")
    assert done.exit_code == 0, done.stderr
    assert re.fullmatch(r"runs/first: 1200 steps, all 1200 steps are done; \d+% against random\n", done.stdout)
    folder = Path("runs/first")
    assert left_by(folder) == LEFT
    assert any(path.name.startswith("events.out.tfevents") for path in folder.iterdir())
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in ("curves.png", "moves.png"))
    games = [read_line(line, "games") for line in (folder / "games.jsonl").read_bytes().splitlines()]
    assert len(games) == 4 and all("learner" in game.agents for game in games)
    assert json.loads((folder / "config.json").read_text()) == tiny().facts
    assert json.loads((folder / "versions.json").read_text())["boyi"]
    log = state(folder)[1]
    assert [line["steps"] for line in log if "eval/random" in line] == [504, 1000, 1200]
    assert [line["steps"] for line in log if "train/loss" in line] == [200, 400, 600, 800, 1000]
    assert load_file(folder / "checkpoint.safetensors")["moves"].sum() == 1200
    page = (ROOT / "docs" / "training.md").read_text()
    logged = {name for line in log for name in line if name != "steps" and not name.startswith("eval/")}
    assert all(f"`{name}`" in page for name in (*logged, "time/fps", "time/hours"))


def test_a_run_is_not_written_over():
    boyi("train tiny.toml --steps 300")
    again = boyi("train tiny.toml")
    assert again.exit_code == 2
    assert again.stderr == "boyi: runs/tiny holds a run: --resume goes on with it, --name NAME starts another\n"


def test_same_seed_same_run_and_another_seed_another():
    for name, seed in (("a", 4), ("b", 4), ("c", 5)):
        Run(tiny(seed=seed, steps=600), Path("runs") / name).train()
    same(state(Path("runs/a")), state(Path("runs/b")))
    assert state(Path("runs/a"))[1] != state(Path("runs/c"))[1]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"target": "own_next"},
        {"target": "literal", "optimizer": "rmsprop"},
        {"opponent": ["random", "mcts:sims=2,reuse=false"], "seat": "random"},
        {"game": "einstein:board_size=3,stones=2", "encoder": "policy42"},
        pytest.param(
            {"n_steps": 3, "average": 0.9, "prioritized": 0.6, "starts": "mcts:sims=2", "start_games": 4},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["negamax", "own_next", "literal", "pool", "dice", "steps"],
)
def test_a_run_stopped_anywhere_resumes_to_what_it_would_have_been(changes):
    config = tiny(**changes)
    Run(config, Path("runs/whole")).train()
    stops = iter([False] * 52 + [True])
    run = Run(config, Path("runs/parts"))
    assert run.train(Limits(asked=lambda: next(stops))) == "stopped"
    assert 300 < run.steps < 500
    Run(config, Path("runs/parts"), resume=True).train()
    same(state(Path("runs/whole")), state(Path("runs/parts")))


@pytest.mark.slow
@pytest.mark.posix
def test_a_killed_run_resumes_to_what_it_would_have_been():
    Run(tiny(steps=4000), Path("runs/whole")).train()
    command = [
        sys.executable,
        "-m",
        "boyi.baselines.command.main",
        "train",
        "tiny.toml",
        "--steps",
        "4000",
        "--name",
        "parts",
    ]
    log = Path("runs/parts/log.jsonl")
    for lines in (3, 9, 15):
        process = subprocess.Popen([*command, "--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < lines):
            time.sleep(0.002)
        process.kill()
        assert process.communicate()[1].decode().count("Traceback") == 0
        assert process.returncode == -signal.SIGKILL
    assert boyi("train tiny.toml --steps 4000 --name parts --resume").exit_code == 0
    same(state(Path("runs/whole")), state(Path("runs/parts")))


@pytest.mark.posix
def test_ctrl_c_saves_where_it_is_and_says_how_to_go_on():
    words = ["train", "tiny.toml", "--steps", "100000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "boyi.baselines.command.main", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts background jobs deaf to Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    log = Path("runs/tiny/log.jsonl")
    while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < 3):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    said, complained = (text.decode() for text in process.communicate())
    assert process.returncode == 130, complained
    assert "Traceback" not in complained and "boyi: saving" in complained
    steps = int(re.match(r"runs/tiny: (\d+) steps, stopped; ", said).group(1))
    assert said.splitlines()[1] == "go on with: boyi train tiny.toml --steps 100000 --resume"
    assert Run(tiny(), Path("runs/tiny"), resume=True).steps == steps


def test_limits():
    run = Run(tiny(steps=100_000), Path("runs/minutes"))
    assert run.train(Limits(minutes=0.03)) == "0.03 minutes are over"
    assert 0 < run.steps < 100_000 and run.scores
    run = Run(tiny(steps=100_000), Path("runs/until"))
    assert run.train(Limits(until=0.25, against="random")) == "25% against random is reached"
    done = boyi("train tiny.toml --until 0.0 --against mcts:sims=2 --name words")
    assert "0% against mcts:sims=2 is reached" in done.stdout
    assert "go on with: boyi" in done.stdout


def test_evaluations_begin_with_actions_at_random(monkeypatch):
    """Else two agents that draw nothing would play one game in every pair."""
    met, compete = [], matches.compete
    monkeypatch.setattr(matches, "compete", lambda match, **how: met.append(match) or compete(match, **how))
    for many in (0, 3):
        run = Run(tiny(evaluation_opening=many, ladder=["random"]), Path(f"runs/opened{many}"))
        assert run.evaluate().keys() == {"eval/random"}
        assert len(met[-1].openings.of(1)) == many


def test_the_length_of_a_run_may_change_but_not_what_it_is():
    boyi("train tiny.toml --steps 300")
    longer = boyi("train tiny.toml --steps 600 --resume")
    assert longer.exit_code == 0 and "600 steps" in longer.stdout
    other = boyi("train tiny.toml --seed 3 --resume")
    assert other.exit_code == 2
    assert other.stderr == (
        "boyi: runs/tiny/checkpoint.safetensors belongs to another run: its seed is 0, here it is 3\n"
    )
    assert boyi("train tiny.toml --steps 300 --resume").exit_code == 0  # nothing is left to do


def test_two_processes_do_not_share_a_run():
    with hold(Path("runs/tiny")):
        done = boyi("train tiny.toml")
    assert done.exit_code == 2
    assert done.stderr == "boyi: runs/tiny is in use by another process\n"


@pytest.mark.parametrize("damage", ["cut", "noise", "foreign", "other"])
def test_a_damaged_checkpoint_is_one_sentence(damage):
    Run(tiny(steps=300), Path("runs/tiny")).train()
    file = Path("runs/tiny/checkpoint.safetensors")
    content = file.read_bytes()
    if damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "noise":
        file.write_bytes(b"\xff" * 100 + content[100:])
    elif damage == "foreign":
        save_file({"weights": np.zeros(3)}, file)
    else:
        file.write_bytes(Path("runs/tiny/model.safetensors").read_bytes())
    done = boyi("train tiny.toml --resume")
    assert done.exit_code == 2
    assert done.stderr.startswith("boyi: runs/tiny/checkpoint.safetensors is ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("gama = 0.9", "unknown field of config tiny 'gama': did you mean 'gamma'?"),
        ("gamma = 2.0", "config tiny: gamma must be a number from 0.0 to 1.0, not 2.0"),
        ("envs = 1.5", "config tiny: envs must be a whole number"),
        ("double = 1.5", "config tiny: double must be true or false"),
        ('target = "minimax"', "config tiny: target must be one of"),
        ("opponent = 3", "config tiny: opponent must be an agent string or a list of them, not 3"),
        ('opponent = ["self", "random"]', 'config tiny: opponent is "self" or other agents, not both'),
        ('ladder = ["mtcs"]', "unknown agent 'mtcs': did you mean 'mcts'?"),
        ("evaluation_games = 3", "config tiny: evaluation_games must be even, not 3"),
        ("choices = 3", "config tiny: choices must be a table"),
        ("choices = { depth = 3 }", "depth"),
        ('game = "hx"', "unknown game 'hx'"),
        ('encoder = "plans"', "unknown encoder of hex 'plans': did you mean 'planes'?"),
        ("steps = ", "tiny.toml is not TOML"),
    ],
)
def test_a_bad_config_is_one_sentence(line, sentence):
    field = line.split(" ")[0]
    kept = [each for each in TINY.splitlines() if not each.startswith(f"{field} ")]
    Path("tiny.toml").write_text("\n".join([line, *kept]))
    done = boyi("train tiny.toml")
    assert done.exit_code == 2
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("train hex_dqm", "unknown config 'hex_dqm': did you mean 'hex_dqn'?"),
        ("train nowhere.toml", "cannot read nowhere.toml: No such file or directory"),
        ("train tiny.toml --until 0.9", "--until SCORE and --against AGENT go together"),
        ("train tiny.toml --against random", "--until SCORE and --against AGENT go together"),
        ("train tiny.toml --device nonsense", "device"),
    ],
)
def test_bad_arguments_are_one_sentence(words, sentence):
    done = boyi(words)
    assert done.exit_code == 2
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1


def test_models_as_agents_say_what_is_wrong():
    Run(tiny(steps=300), Path("runs/tiny")).train()
    agent = make_agent("ddqn:runs/tiny,epsilon=0.1", "hex:board_size=3")
    assert str(agent) == "ddqn:runs/tiny,epsilon=0.1"
    file = Path("runs/tiny/model.safetensors")
    for text, sentence in (
        ("dqn:runs/tiny", "runs/tiny was learned by another algorithm: write ddqn:runs/tiny"),
        ("ddqn:runs/nothing", "cannot read runs/nothing: there is no such file"),
        ("ddqn", "ddqn plays what a run has learned: name its folder, as in ddqn:runs/NAME"),
        ("ddqn:runs/tiny,run=runs/tiny", "gives run twice"),
        ("ddqn:tiny.toml", "tiny.toml is damaged, or not a safetensors file"),
        ("ddqn:runs/tiny/checkpoint.safetensors", "is not a file of format boyi-model-1"),
    ):
        with pytest.raises(BoyiError, match=re.escape(sentence)):
            make_agent(text, "hex:board_size=3")
    with pytest.raises(
        BoyiError, match=r"ddqn:runs/tiny has learned hex:board_size=3 and cannot play hex:board_size=5"
    ):
        make_agent("ddqn:runs/tiny", "hex:board_size=5")
    weights = load_file(file)
    weights.popitem()
    forge(file, weights)
    with pytest.raises(BoyiError, match="is damaged: there is no array layers"):
        make_agent("ddqn:runs/tiny", "hex:board_size=3")


@pytest.mark.parametrize("game", ["hex:board_size=3", "gomoku:board_size=5"])
def test_a_model_asked_about_every_image_plays_the_same_in_all_of_them(game):
    """As the network alone does not; its choice is the best of the mean."""
    encoder = {"hex:board_size=3": "neurohex"}.get(game, "planes")
    config = tiny(game=game, encoder=encoder, steps=300, opening=0, symmetry=False, policy="MlpPolicy")
    Run(config, Path("runs/tiny")).train()
    plain, whole = make_agent("ddqn:runs/tiny"), make_agent("ddqn:runs/tiny,images=true")
    drawn, tables = np.random.default_rng(0), symmetries(find(game))[1]
    lines = np.array([drawn.permutation(find(game).actions)[:2] for _ in range(60)])
    # In a position that is its own image two actions are equally good.
    lines = lines[[sum((table[line] == line).all() for table in tables) == 1 for line in lines]]
    chosen = {}
    for table in tables:
        batch = Batch(game, len(lines), seed=0, encoder=None)
        for ply in range(2):
            batch.step(table[lines[:, ply]])
        for name, agent in (("plain", plain), ("whole", whole)):
            chosen.setdefault(name, []).append(np.argsort(table)[agent.act(batch.view())])
    assert all((each == chosen["whole"][0]).all() for each in chosen["whole"])
    assert any((each != chosen["plain"][0]).any() for each in chosen["plain"])


def forge(file, weights):
    """Write other weights under a file's own card."""
    with safe_open(file, "np") as kept:
        card = json.loads(kept.metadata()["boyi"])
    write_file(file, weights, card)


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_config_explains_every_field_and_can_be_built(name):
    config = read_config(name)
    lines = [line for line in (FOLDER / f"{name}.toml").read_text().splitlines() if line]
    for line in lines:
        assert line.startswith("#") or re.match(r"\w+ = .+  # .+", line), line
    make_agents = [make_agent(agent, config.game) for agent in config.ladder]
    assert make_agents
    assert config["buffer_size"] >= config["batch_size"]


def updates(run):
    """Count the gradient steps of a run."""
    learner = run.trainer.learner
    return learner._n_updates if run.config["algorithm"] == "dqn" else learner.updates


def small(name):
    """A shipped config with fewer games at once, which begin to learn earlier and think less, and the steps it takes.

    Its ladder is a player that costs nothing. What it starts from and the games that it learns from are made first.
    """
    printed = read_config(name)
    changes = {
        "envs": min(printed["envs"], 8),
        "learning_starts": min(printed["learning_starts"], 100),
        "batch_size": min(printed["batch_size"], 64),
        "evaluation_games": 2,
        "ladder": ["random"],
    }
    if printed["algorithm"] == "alphazero":
        changes |= {"sims": min(printed["sims"], 4), "proofs": min(printed["proofs"], 4), "evaluation_sims": 2}
        # Two games at once, of each board if there is only one.
        changes |= {"batch_size": min(printed["batch_size"], 16), "envs": 1 if len(printed.games) > 1 else 2}
        if printed["start"]:
            folder, start = printed["start"].split("/")
            assert folder == "runs" and start in shipped()
            learn(start, small(start)[0], steps=1)
        if printed["records"]:
            games = f"arena {printed.lists['game'][0]} alphabeta:depth=1 a=alphabeta:depth=1 --games 4 --opening 5"
            assert boyi(f"{games} --out {printed['records']}").exit_code == 0
    if printed["algorithm"] == "hand_dqn":
        changes |= {"draws": 0.2}
    if printed["algorithm"] == "dqn":
        changes |= {"start_games": 2}
    # Counted in steps: what a machine does in some seconds may end before learning begins.
    begun, more = changes["learning_starts"] + changes["envs"], 1
    if printed["algorithm"] != "dqn":  # they learn from games that have ended
        everyone = changes["envs"] * len(printed.games)
        begun += everyone * max(game.longest for game in printed.games)
        more = everyone * min(game.longest for game in printed.games)
    return changes, begun, more


def learn(name, changes, steps, resume=False):
    run = Run(read_config(name, steps=steps, **changes), Path(f"runs/{name}"), resume=resume)
    assert run.train().endswith("steps are done")
    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped())
def test_a_shipped_config_learns_and_resumes(name):
    changes, begun, more = small(name)
    before = learn(name, changes, begun)
    after = learn(name, changes, before.steps + more, resume=True)
    assert after.steps > before.steps >= begun
    assert updates(after) > updates(before) > 0
    evaluated = [line["steps"] for line in after.lines if any(key.startswith("eval/") for key in line)]
    assert before.steps in evaluated and evaluated[-1] == after.steps  # at the end of both, whatever else there was


def test_shipped_configs_are_those_that_are_documented():
    assert {"hex_dqn", "hex_ddqn", "gomoku_dqn", "einstein_ddqn", "hex11_neurohex", "gomoku19_dqn"} <= set(shipped())


def test_every_field_is_documented_and_every_default_is_allowed():
    for algorithm, fields in FIELDS.items():
        facts = check_config("plain", {"algorithm": algorithm}).facts
        assert facts.keys() == {*fields, *LISTS[algorithm], "choices"}
        assert all(param.doc for param in fields.values())


def test_wrappers_of_a_config_are_those_that_it_names():
    config = check_config(
        "lines", {"game": "gomoku:board_size=5", "line_reward": True, "scale_reward": True, "envs": 2, "opening": 1}
    )
    model = make_learner(config)
    env, names = model.env.env, []
    while hasattr(env, "env"):
        names.append(type(env).__name__)
        env = env.env
    assert names == ["RandomOpening", "ScaleReward", "LineReward"]
    assert find(config.game) == env.game


def test_games_of_a_config_begin_in_positions_of_others():
    """Of games that are the same in every run and begin with at least one move at random."""
    begun = {"game": "hex:board_size=3", "starts": "mcts:sims=10", "start_games": 6, "envs": 8}
    seating = make_learner(check_config("starts", begun)).env.env.unwrapped.seating
    again = make_learner(check_config("again", {**begun, "opening": 3})).env.env.unwrapped.seating
    assert len(seating.lines) == 6 and len({tuple(line) for line in seating.lines}) > 1
    assert np.array_equal(played_lines(check_config("starts", begun))[0], seating.lines[0][seating.lines[0] >= 0])
    assert not np.array_equal(again.lines[:, :3], seating.lines[:, :3])
    plies = {int(ply) for _ in range(20) for ply in (seating.start(None, np.arange(8)), seating.batch.states["ply"])[1]}
    assert 0 in plies and len(plies) > 3
    with pytest.raises(BoyiError, match="start_games must be even, not 3"):
        check_config("odd", {**begun, "start_games": 3})
    with pytest.raises(BoyiError, match="what is thrown or dealt is not among the actions"):
        make_learner(
            check_config(
                "dice", {"game": "einstein:board_size=3,stones=2", "starts": "random", "start_games": 2, "envs": 2}
            )
        )
