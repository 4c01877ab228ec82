"""README and docs/ do what they say: every Python block runs, every link and command exists, tables agree."""

import re
import shlex
from pathlib import Path

import pytest
from places import ROOT, TESTS
from typer.testing import CliRunner

from boyi import wrappers
from boyi.baselines.agents import AGENTS
from boyi.baselines.training.config import FIELDS, LISTS, shipped
from boyi.envs import Batch, find, games
from boyi.envs.records import transcript

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{k}")
    for page in PAGES
    for k, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S))
]
# The moves of the README's pictures, "_" for a space; games with chance stand as transcripts in positions/.
PICTURED = {
    "hex": "i5 i4 b7 k6 b10 d8 b9 d11 c4 g9 b6 b8 c8 c7 d7 e7 a11 d6 e6 e5 f5 b1 f4 i3 f3 i1 f2 f1 g1",
    "gomoku": "h8 i9 i8 g8 h7 h9 h6 g9 j9 f9 e9 g6 h5 h4 k10 l11 j8 k8 i7 k9 g5 f4 g7 j7 f7 e7 f8 i5 d10",
    "jiu": (
        "h7 G6 f8 I6 cC M1 g9 FB g8 D2 h8 FA f7 EA e8 F9 e9 GA hA DB i7 DA e6 D9 f6 CA h6 C8 f5 D8 g5 HB h5 H9 i5 C7 "
        "h4 B7 f4 A8 e4 A7 j4 B6 j5 D6 i9 D7 iA E7 e3 E5 iB D5 jA D4 k4 BB j3 BA k6 A5 j6 B5 k7 C4 g3 B4 hC C3 iC C2 "
        "jC B2 iD C1 k9 D0 kA C0 kD B0 kC AB l6 BC lD AD m7 BD m6 A9 k2 B9 j2 A3 lA CD lB DC kB DD m9 EC mA FD mC FC "
        "l5 GC n6 HD n5 I2 gD E1 i3 NB k1 J1 i1 L7 l1 F3 l3 NC d3 MB n8 MD m8 ND nA M2 l0 L2 e2 N1 f2 M0 f1 N3 d1 M3 "
        "g1 M4 j0 L4 i0 M5 h0 K5 g0 JD e0 J8 f0 JB c9 I8 n2 J9 a1 J7 aC K8 a0 L8 b1 L9 a2 LC b3 K3 c5 G2 n4 H1 aA H2 "
        "c6 H3 a6 I4 b8 K0 eB G4 cB N9 gB G7 a4 N7 eD N0 G4-G6 f7-h7 F9-F7 f6-f8 H9-F9 F9-F7 h6-f6 f6-f8 D9-F9 F9-F7 "
        "gB-g9 HB-H9 H9-F9 eB-e9 e9-g9 J9-H9 H9-F9 eD-eB eB-gB HD-HB HB-FB gD-gB gB-eB B9-D9 cB-c9 c9-e9 e9-g9 CD-CB "
        "aC-cC cC-cA cA-eA eA-gA L9-J9 i7-i9 i9-k9 N9-L9 L9-J9 k7-k9 k9-i9 JB-J9 J9-H9 H9-F9 m8-k8 k8-i8 JD-JB JB-HB "
        "m7-k7 k7-i7 take_H1 LC-JC JC-HC j6-h6 I4-I6 I6-G6 aA-cA I2-I4 I4-G4 g3-g5 g5-g7 take_M5 K5-M5 M5-M7 e3-g3 "
        "g3-i3 E5-G5 G5-I5 I5-K5"
    ),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_every_python_block_runs(block: str) -> None:
    exec(compile(block, "block", "exec"), {"__name__": "block"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_test_that_stands_behind_a_promise_exists() -> None:
    named = set(re.findall(r"`(tests/\w+\.py)`", (ROOT / "SECURITY.md").read_text()))
    assert len(named) > 10
    assert all((ROOT / file).is_file() for file in named), named


def test_every_command_in_the_readme_is_one_the_program_knows() -> None:
    from boyi.baselines.command.main import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    used = set(re.findall(r"^boyi (\w+)", (ROOT / "README.md").read_text(), re.M))
    assert used == known


@pytest.mark.parametrize("page", ["agents.md", "strength.md"])
def test_every_comparison_can_be_made(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games, agents and options of `arena` and `decide` are understood; what they would take hours for is not done."""
    from boyi.baselines.arena import decisions as decide
    from boyi.baselines.arena import matches as arena
    from boyi.baselines.command import main as cli

    monkeypatch.setattr(arena, "compete", lambda match, *_, **__: "compared")
    monkeypatch.setattr(decide, "inquire", lambda inquiry, *_, **__: "compared")
    commands = re.findall(r"^boyi ((?:arena|decide) .*)", (ROOT / "docs" / page).read_text(), re.M)
    assert commands
    for command in commands:
        done = CliRunner().invoke(cli.app, shlex.split(command))
        assert done.output == "compared\n", command


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
    if name not in PICTURED:
        *_, last = transcript.read((TESTS / "envs" / name / "picture.txt").read_text())
        return find(name).module("draw").svg(last[0])
    batch = Batch(name, 1, seed=0)
    text = batch.game.module("text")
    for word in PICTURED[name].split():
        batch.step([text.parse(batch.states[0], word.replace("_", " "))])
    return batch.game.module("draw").svg(batch.states[0])


if __name__ == "__main__":
    for game in games():
        (ROOT / "docs" / f"{game}.svg").write_text(picture(game))
