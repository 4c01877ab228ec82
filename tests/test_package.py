"""The package as people install it: light to import, registered, and exactly these files in the wheel."""

import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import version

import gymnasium
import pytest
from pettingzoo.env_registry import registration
from places import ROOT

import boyi


def python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_importing_is_light() -> None:
    heavy = "numba torch resvg_py PIL stable_baselines3 scipy rich typer starlette"
    packages = "boyi, boyi.envs, boyi.baselines, boyi.wrappers"
    loaded = python(f"import sys, {packages}; print([m for m in '{heavy}'.split() if m in sys.modules])")
    assert loaded == "[]"


@pytest.mark.parametrize("name", ["baselines.DQN", "wrappers.SB3VecEnv"])
def test_without_torch_a_name_says_what_installs_it(name: str) -> None:
    package, _, attribute = f"boyi.{name}".rpartition(".")
    hide = "import sys; sys.modules['torch'] = None"
    code = f"{hide}\ntry:\n    from {package} import {attribute}\nexcept ImportError as error:\n    print(error)"
    assert python(code) == f'boyi.{name} needs torch: pip install "boyi[baselines]"'


def test_games_are_listed_without_their_kernels() -> None:
    assert python("import sys, boyi; print(boyi.games(), 'numba' in sys.modules)").endswith("False")
    assert "hex" in boyi.games()


def test_ids_are_registered_once_and_by_name() -> None:
    boyi.register_all()
    for name in boyi.games():
        spec = boyi.envs.find(name).spec
        assert isinstance(gymnasium.spec(f"boyi/{spec.title}-v{spec.version}").entry_point, str)
        assert f"boyi/{name}-v{spec.version}" in registration.aec_registry
        assert gymnasium.spec(f"boyi/{spec.title}-v{spec.version}").to_json()


def test_the_module_prefix_needs_no_import() -> None:
    code = (
        "import gymnasium as g; print(g.make('boyi:boyi/Hex-v0', board_size=2).reset(seed=0)[0]['action_mask'].sum())"
    )
    assert python(code) == "4"


def test_the_version_is_stated_once_more_only_in_the_metadata() -> None:
    assert version("boyi") == boyi.__version__


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel from the files that git tracks, as the workflow does that releases it."""
    home = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        (home / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "src" / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(home), str(home / "src")]
    environment = {**os.environ, "BOYI_ADDRESS": "https://example.org/boyi"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert "is absent from" not in done.stdout + done.stderr  # setuptools takes no folder of files for a package
    return zipfile.ZipFile(next(home.glob("*.whl")))


def test_the_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    folders = ("envs/", "baselines/", "wrappers/")
    code = [name for name in listed if name.startswith(folders)]
    expected = {f"boyi/{name}" for name in ["__init__.py", "py.typed", *code]}
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == expected
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


def test_its_page_leads_to_where_the_repository_lives(wheel: zipfile.ZipFile) -> None:
    """PyPI shows README.md without the files beside it, which every link leads to."""
    page = wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()
    tag = f"v{boyi.__version__}"
    assert f"Project-URL: Changelog, https://example.org/boyi/blob/{tag}/CHANGELOG.md" in page
    links = re.findall(r"(!?)\[[^]]*\]\(([^)]*)\)", page)
    ours = [(picture, link) for picture, link in links if link.startswith("https://example.org/boyi/")]
    assert len(ours) > 20 and ("!", f"https://example.org/boyi/raw/{tag}/docs/games.gif") in ours
    for picture, link in ours:
        assert (ROOT / link.removeprefix(f"https://example.org/boyi/{'raw' if picture else 'blob'}/{tag}/")).exists()
    assert {link for _, link in links if "://" not in link} == set()
