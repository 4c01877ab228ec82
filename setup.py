"""Build settings that a pyproject cannot express: the repository's root is the package `boyi`."""

from runpy import run_path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """Of the root's own modules, `setup.py` and the like, only ``__init__.py`` belongs to the package."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        modules: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [module for module in modules if package != "boyi" or module[1] == "__init__"]


INSIDE = find_packages(include=["envs*", "baselines*", "wrappers*"])

setup(
    version=run_path("envs/engine/version.py")["__version__"],
    packages=["boyi", *(f"boyi.{name}" for name in INSIDE)],
    package_dir={"boyi": "."},
    package_data={
        "boyi": ["py.typed"],
        "boyi.envs": ["*.pyi", "*/RULES.md", "*/picture.svg"],
        "boyi.baselines": ["*/configs/*.toml", "*/weights/*/*.safetensors", "web/page/*"],
    },
    cmdclass={"build_py": BuildPy},
)
