"""A config from somebody else starts no program and runs no module, unless its reader says that it may."""

import shlex
import sys
from pathlib import Path

import pytest
from runs import TINY
from typer.testing import CliRunner

from boyi.baselines import make_agent
from boyi.baselines.agents import AGENTS, OpponentPool
from boyi.baselines.command import main as cli
from boyi.baselines.training.config import read_config, shipped
from boyi.baselines.trust import untrusted
from boyi.envs import BoyiError


def nested(text: str) -> str:
    """Hide an agent in a pool in a phase of another agent in a pool."""
    inner = str.replace(f"pool:'random;{text.replace(chr(39), chr(39) * 2)}'", "'", "''")
    outer = f"two_phase:layout='{inner}'".replace("'", "''")
    return f"pool:'random;{outer}'"


PROGRAMS = ("gtp:cmd='no-program'", "gomocup:no-program", "jsonl:cmd=no-program,wait=1", " gtp : cmd = 'no-program'")
MODULES = ("evil:agent", "os:system", "boyi.baselines.search.mcts:MCTS", " evil :agent")


@pytest.mark.parametrize("text", [*PROGRAMS, *map(nested, PROGRAMS)])
def test_no_program_is_named_however_deep(text: str) -> None:
    with (
        untrusted("a letter"),
        pytest.raises(BoyiError, match=r"a letter would start a program: .*no-program.*--allow"),
    ):
        make_agent(text)
    assert make_agent(text)


@pytest.mark.parametrize("text", [*MODULES, *map(nested, MODULES)])
def test_no_module_is_imported_however_deep(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil.py").write_text("open('evil', 'w').close()\n\n\ndef agent(observation, mask):\n    return 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with (
        untrusted("a letter"),
        pytest.raises(BoyiError, match=r"a letter would run the module .*--allow-programs lets"),
    ):
        make_agent(text)
    assert not Path("evil").exists() and "evil" not in sys.modules


def test_a_pool_that_is_made_of_a_list_is_asked_too() -> None:
    with untrusted("a letter"):
        with pytest.raises(BoyiError, match="a letter would"):
            OpponentPool(["random", "os:system"])
        make_agent("pool:'random;mcts:sims=2'")
    assert make_agent("os:getcwd")


def test_every_agent_that_runs_what_its_string_names_says_so() -> None:
    foreign = {name for name, kind in AGENTS.items() if "cmd" in kind.params}
    assert {name for name, kind in AGENTS.items() if kind.foreign} == foreign == {"gtp", "gomocup", "jsonl"}


def test_shipped_configs_name_no_program_and_no_module() -> None:
    with untrusted("boyi"):
        for name in shipped():
            chosen = read_config(name)
            for agent in {*chosen.opponent, *chosen.ladder} - {"self"}:
                make_agent(agent, chosen.game)


# The command


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def train(words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.app, ["train", *shlex.split(words)])
    return done.exit_code, done.stderr


def config(folder: Path, **fields: object) -> None:
    """Write evil.toml: the tiny config with other agents."""
    lines = [line for line in TINY.splitlines() if line.partition(" ")[0] not in fields]
    (folder / "evil.toml").write_text("\n".join([*lines, *(f"{key} = {value!r}" for key, value in fields.items())]))


@pytest.mark.parametrize("field", ["opponent", "ladder"])
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("agent", ['jsonl:cmd="touch evil"', "evil:agent"])
def test_train_asks_before_anything_is_run(elsewhere: Path, field: str, listed: bool, agent: str) -> None:
    (elsewhere / "evil.py").write_text("open('evil', 'w').close()\n")
    config(elsewhere, **{field: ["random", agent] if listed else agent})
    code, said = train("evil.toml")
    assert code == 2 and said.startswith("boyi: the run of evil.toml would ") and said.count("\n") == 1
    assert ("touch evil" in said or "the module 'evil'" in said) and "--allow-programs" in said
    assert not (elsewhere / "evil").exists() and not (elsewhere / "runs").exists()


def test_a_run_that_is_gone_on_with_is_asked_again(elsewhere: Path) -> None:
    config(elsewhere)
    assert train("evil.toml --steps 200")[0] == 0
    config(elsewhere, ladder='jsonl:cmd="touch evil"')
    code, said = train("evil.toml --steps 300 --resume")
    assert code == 2 and "would start a program" in said and not (elsewhere / "evil").exists()


def test_what_is_allowed_is_run(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "kind_policy.py").write_text("def agent(observation, mask):\n    return int(mask.argmax())\n")
    monkeypatch.syspath_prepend(str(elsewhere))
    config(elsewhere, ladder="kind_policy:agent")
    assert train("evil.toml --steps 200")[0] == 2
    code, said = train("evil.toml --steps 200 --allow-programs")
    assert code == 0, said
    assert train("evil.toml --steps 300 --resume")[0] == 2


def test_an_opponent_that_fails_is_named(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "failing_policy.py").write_text("def agent(observation, mask):\n    return int(1 / 0)\n")
    monkeypatch.syspath_prepend(str(elsewhere))
    config(elsewhere, opponent="failing_policy:agent")
    code, said = train("evil.toml --steps 200 --allow-programs")
    assert code == 2 and said.endswith("boyi: failing_policy:agent: ZeroDivisionError: division by zero\n")
