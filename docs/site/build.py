"""Build the site: ``python docs/site/build.py [FOLDER]`` from the root writes it to site/, or to FOLDER.

The pages are those of the repository, laid out as they are there, so that a link between two of them leads to the same
page on the site. Written beside them are the front page, from README.md, a page for each game, and the reference of all
public names. Warnings are errors, a link that leads nowhere among them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from games import write_game
from sphinx.cmd.build import main as sphinx

from boyi.envs import games

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGES = ROOT / "build" / "pages"
"""Where the pages are laid out."""
PACKAGES = ("boyi", "boyi.envs", "boyi.wrappers", "boyi.wrappers.vector", "boyi.baselines")
"""Packages whose `__all__` is the public interface."""


def lay_out() -> None:
    """Copy what git tracks, except weights, and write the pages that the repository does not have."""
    shutil.rmtree(PAGES, ignore_errors=True)
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in tracked.splitlines():
        if not name.endswith(".safetensors") and (ROOT / name).is_file():
            (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, PAGES / name)
    shutil.copy(HERE / "index.md", PAGES / "index.md")
    for page in PAGES.glob("*.md"):  # the README is the front page
        page.write_text(page.read_text(encoding="utf-8").replace("(README.md)", "(index.md)"), encoding="utf-8")
    (PAGES / "games").mkdir()
    for game in games():
        (PAGES / "games" / f"{game}.md").write_text(write_game(game, PAGES / "games"), encoding="utf-8")
    (PAGES / "api").mkdir()
    for package in PACKAGES:
        (PAGES / "api" / f"{package}.md").write_text(reference(package), encoding="utf-8")


def reference(package: str) -> str:
    """Return the page of a package's public names."""
    module = import_module(package)
    lines = [f"# {package}", "", "```{eval-rst}", f".. automodule:: {package}", "   :no-members:", ""]
    for name in sorted(module.__all__, key=str.lower):
        thing = getattr(module, name)
        if isinstance(thing, ModuleType):  # which has a page of its own
            lines += [f":doc:`{package}.{name}`", ""]
        elif isinstance(thing, type):
            lines += [f".. autoclass:: {package}.{name}", ""]
        elif callable(thing):
            lines += [f".. autofunction:: {package}.{name}", ""]
        else:
            lines += [f".. autodata:: {package}.{name}", ""]
    return "\n".join([*lines, "```", ""])


if __name__ == "__main__":
    lay_out()
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    sys.exit(sphinx(["-W", "--keep-going", "-q", "-c", str(HERE), str(PAGES), str(out)]))
