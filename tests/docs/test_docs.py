"""README, docs/ and docstrings do what they say: Python blocks run, links and commands exist, tables agree."""

import doctest
import inspect
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from openspiels import NONE
from places import ROOT, Kept, of_game
from typer.testing import CliRunner

from boyi import wrappers
from boyi.baselines.agents import AGENTS
from boyi.baselines.training.config import FIELDS, LISTS, shipped
from boyi.envs import find, games
from boyi.envs.records import transcript

BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{k}")
    for page in PAGES
    for k, block in enumerate(BLOCK.findall(page.read_text()))
]
MODULES = [
    ".".join(("boyi", *path.relative_to(ROOT).with_suffix("").parts))
    for room in ("envs", "baselines", "wrappers")
    for path in sorted((ROOT / room).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_yaml_whose_jobs_do_something(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    assert jobs and all("uses" in job or all("uses" in step or "run" in step for step in job["steps"]) for job in jobs)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_python_block_runs(block: str) -> None:
    exec(compile(block, "block", "exec"), {"__name__": "block"})


@pytest.mark.parametrize("name", MODULES)
def test_every_example_in_a_docstring_is_true(name: str) -> None:
    module = import_module(name)
    failed, tried = doctest.testmod(module)
    assert failed == 0 and tried == inspect.getsource(module).count(">>> ") > 0


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_every_tutorial_works_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "tutorial"}
    for block in BLOCK.findall(page.read_text()):
        exec(compile(block, "block", "exec"), names)


@pytest.mark.parametrize("page", [*PAGES, *TUTORIALS], ids=lambda page: page.name)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_test_that_stands_behind_a_promise_exists() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "SECURITY.md").read_text()))
    assert len(named) > 10
    assert all((ROOT / file).is_file() for file in named), named


def test_every_command_of_the_program_is_on_its_page() -> None:
    from boyi.baselines.command.main import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    used = set(re.findall(r"^boyi (\w+)", (ROOT / "docs" / "command-line.md").read_text(), re.M))
    assert used == known


@pytest.mark.parametrize("page", ["agents.md", "strength.md"])
def test_every_comparison_can_be_made(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games, agents and options of `arena` and `decide` are understood; what they would take hours for is not done."""
    from boyi.baselines.arena import decisions as decide
    from boyi.baselines.arena import matches as arena
    from boyi.baselines.command import main as cli

    monkeypatch.setattr(arena, "compete", lambda match, *_, **__: "compared")
    monkeypatch.setattr(arena, "whole_seeds", lambda match, records: records)
    monkeypatch.setattr(arena.Match, "result", lambda match, records: "compared")
    monkeypatch.setattr(decide, "inquire", lambda inquiry, *_, **__: "compared")
    commands = re.findall(r"^boyi ((?:arena|decide) .*)", (ROOT / "docs" / page).read_text(), re.M)
    assert commands
    for command in commands:
        if "openspiel" in command and NONE:
            continue
        done = CliRunner().invoke(cli.app, shlex.split(command))
        without_luck = "Less the luck of draws:\ncompared\n" if "--less-luck" in command else ""
        assert done.output == "compared\n" + without_luck, command


def test_every_game_has_its_row_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    for name in games():
        spec = find(name).spec
        row = next((line for line in readme.splitlines() if line.startswith(f"| {spec.title} |")), None)
        assert row is not None, (
            f"README.md has no row for {name} in its table of games: | {spec.title} | ids | seats | … |"
        )
        assert f"`boyi/{spec.title}-v{spec.version}`" in row and f"`boyi.envs.{name}_v{spec.version}`" in row


def test_every_agent_and_parameter_is_on_the_agents_page() -> None:
    page = (ROOT / "docs" / "agents.md").read_text()
    for name, agent in AGENTS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert all(f"`{param}`" in row for param in agent.params)


def test_every_wrapper_is_on_the_wrappers_page() -> None:
    rows = [line for line in (ROOT / "docs" / "wrappers.md").read_text().splitlines() if line.startswith("| `")]
    assert {row.split("`")[1].partition("(")[0] for row in rows} == {
        name for name in wrappers.__all__ if name != "vector"
    }


def test_every_config_and_field_is_on_the_training_page() -> None:
    pages = [(ROOT / "docs" / name).read_text() for name in ("training.md", "alphazero.md")]
    rows = [line for page in pages for line in page.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    fields = {name for group in (*FIELDS.values(), *LISTS.values()) for name in group}
    assert {*shipped(), *fields, "choices"} <= named


@pytest.mark.parametrize("name", games())
def test_the_pictures_are_those_that_the_package_draws(name: str, kept: Kept) -> None:
    """The picture on a game's page of rules is of the end of a game that stands beside its tests as a transcript."""
    file = of_game(name) / "picture.txt"
    assert file.is_file(), f"there is no {file}: the transcript of a game up to the position of its picture"
    *_, last = transcript.read(file.read_text(encoding="utf-8"))
    kept(ROOT / "envs" / name / "picture.svg", find(name).module("draw").svg(last[0]))
    page = (ROOT / "envs" / name / "RULES.md").read_text(encoding="utf-8")
    assert '<img src="picture.svg"' in page, f"envs/{name}/RULES.md does not show the game's picture"
