"""Build settings that a pyproject cannot express: the repository's root is the package `boyi`."""

import os
import re
from pathlib import Path
from runpy import run_path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

VERSION = run_path("envs/engine/version.py")["__version__"]
INSIDE = find_packages(include=["envs*", "baselines*", "wrappers*"])
ADDRESS = os.environ.get("BOYI_ADDRESS", "")
"""Where the repository lives, as the workflow that builds a release says; in no file, for a fork lives elsewhere."""


def readme() -> str:
    """Return README.md for PyPI, which shows it without the files beside it: links lead to where those live."""
    text = Path("README.md").read_text(encoding="utf-8")
    if not ADDRESS:
        return text

    def placed(link: re.Match[str]) -> str:
        return f"{link[0]}{ADDRESS}/{'raw' if link[1] else 'blob'}/v{VERSION}/"

    return re.sub(r"(!?)\[[^]]*\]\((?!https?:|#)", placed, text)


class BuildPy(build_py):
    """Of the root's own modules, `setup.py` and the like, only ``__init__.py`` belongs to the package."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        modules: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [module for module in modules if package != "boyi" or module[1] == "__init__"]


setup(
    version=VERSION,
    long_description=readme(),
    long_description_content_type="text/markdown",
    project_urls={
        "Repository": ADDRESS,
        "Documentation": f"{ADDRESS}/tree/v{VERSION}/docs",
        "Changelog": f"{ADDRESS}/blob/v{VERSION}/CHANGELOG.md",
        "Issues": f"{ADDRESS}/issues",
    }
    if ADDRESS
    else {},
    packages=["boyi", *(f"boyi.{name}" for name in INSIDE)],
    package_dir={"boyi": "."},
    include_package_data=False,  # these alone, not what the source archive holds besides
    package_data={
        "boyi": ["py.typed"],
        "boyi.envs": ["*.pyi", "*/RULES.md", "*/picture.svg"],
        "boyi.baselines": ["*/configs/*.toml", "*/weights/*/*.safetensors", "web/page/*"],
    },
    cmdclass={"build_py": BuildPy},
)
