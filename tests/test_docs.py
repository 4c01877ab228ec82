"""README and docs/ do what they say: every Python block runs, every link and command exists, tables agree."""

import re
from pathlib import Path

import pytest

from boyi.baselines.opponents import AGENTS
from boyi.envs import Batch, find, games

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{k}")
    for page in PAGES
    for k, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S))
]
PICTURED = "i5 i4 b7 k6 b10 d8 b9 d11 c4 g9 b6 b8 c8 c7 d7 e7 a11 d6 e6 e5 f5 b1 f4 i3 f3 i1 f2 f1 g1"


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


def test_the_picture_is_the_one_that_the_package_draws() -> None:
    assert (ROOT / "docs" / "hex.svg").read_text() == picture()


def picture() -> str:
    """Draw the game of the README."""
    batch = Batch("hex", 1, seed=0)
    text = batch.game.module("text")
    for cell in PICTURED.split():
        batch.step([text.parse(batch.states[0], cell)])
    return batch.game.module("draw").svg(batch.states[0])


if __name__ == "__main__":
    (ROOT / "docs" / "hex.svg").write_text(picture())
