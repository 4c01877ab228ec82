"""README and docs/ do what they say: every Python block runs, every link and command exists, tables agree."""

import re
from pathlib import Path

import pytest

from boyi import wrappers
from boyi.baselines.config import FIELDS, LISTS, shipped
from boyi.baselines.opponents import AGENTS
from boyi.envs import Batch, find, games

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{k}")
    for page in PAGES
    for k, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S))
]
# The games of the README's pictures: their seeds, which decide dice and draws, and their moves, "_" for a space.
PICTURED = {
    "hex": (0, "i5 i4 b7 k6 b10 d8 b9 d11 c4 g9 b6 b8 c8 c7 d7 e7 a11 d6 e6 e5 f5 b1 f4 i3 f3 i1 f2 f1 g1"),
    "gomoku": (0, "h8 i9 i8 g8 h7 h9 h6 g9 j9 f9 e9 g6 h5 h4 k10 l11 j8 k8 i7 k9 g5 f4 g7 j7 f7 e7 f8 i5 d10"),
    "einstein": (5, "3-down 2-diag 5-diag 5-diag 4-diag 5-diag 4-diag 1-left 3-down 4-up 3-diag"),
    "mahjong": (
        13,
        "3z 3z 3z 3z 4z 1z kong 4s 3p 1s pong 4z kong_8s 3p pass 4p 7m chow_789m 9m 6z pong 1m 4m 6m "
        "chow_567m 6z 4s 5p pass 7z 2s 4s 1p 5s pong 7z kong_5z 7p 1p 3s pass 2m 7s 9p pass pass 6m 1m 2z "
        "6m 2z 3s 4z 9s kong 7s 7s 7z 2m",
    ),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_every_python_block_runs(block: str) -> None:
    exec(compile(block, "block", "exec"), {"__name__": "block"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_command_in_the_readme_is_one_the_program_knows() -> None:
    from boyi.baselines.cli import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    used = set(re.findall(r"^boyi (\w+)", (ROOT / "README.md").read_text(), re.M))
    assert used == known


def test_every_game_has_its_row_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    for name in games():
        spec = find(name).spec
        row = next(line for line in readme.splitlines() if line.startswith(f"| {spec.title} |"))
        assert f"`boyi/{spec.title}-v{spec.version}`" in row and f"`boyi.envs.{name}_v{spec.version}`" in row
        assert all(f"`{param}`" in row for param in spec.params)


def test_every_agent_and_parameter_is_on_the_agents_page() -> None:
    page = (ROOT / "docs" / "agents.md").read_text()
    for name, agent in AGENTS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert all(f"`{param}`" in row for param in agent.params)


def test_every_wrapper_is_on_the_wrappers_page() -> None:
    rows = [line for line in (ROOT / "docs" / "wrappers.md").read_text().splitlines() if line.startswith("| `")]
    assert {row.split("`")[1].partition("(")[0] for row in rows} == set(wrappers.__all__)


def test_every_config_and_field_is_on_the_training_page() -> None:
    rows = [line for line in (ROOT / "docs" / "training.md").read_text().splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert {*shipped(), *FIELDS, *LISTS, "choices"} <= named


@pytest.mark.parametrize("name", games())
def test_the_pictures_are_those_that_the_package_draws(name: str) -> None:
    assert (ROOT / "docs" / f"{name}.svg").read_text() == picture(name)


def picture(name: str) -> str:
    """Draw a game's position in the README."""
    seed, moves = PICTURED[name]
    batch = Batch(name, 1, seed=seed)
    text = batch.game.module("text")
    for word in moves.split():
        batch.step([text.parse(batch.states[0], word.replace("_", " "))])
    return batch.game.module("draw").svg(batch.states[0])


if __name__ == "__main__":
    for game in PICTURED:
        (ROOT / "docs" / f"{game}.svg").write_text(picture(game))
