"""Binding: protocol names replaced, caches that never go stale, and machines where nothing can be cached."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import boyi
from boyi.envs import BoyiError, find
from boyi.envs.engine import kernels
from boyi.envs.engine.bind import bind

HOME = Path(boyi.__file__).parent

MASKED = """
import numpy as np
from boyi.envs import find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import mask_rows
game, mask = find("hex:board_size=3"), np.zeros((1, 9), np.int8)
bind(mask_rows, game)(0, 1, game.blank, np.zeros(1, np.int64), mask)
print(int(mask.sum()))
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a folder that holds a private copy of the package, without any cache."""
    skip = shutil.ignore_patterns("__pycache__", "tests", ".git", "docs", "build", "*.egg-info", ".*cache")
    shutil.copytree(HOME, tmp_path / "boyi", ignore=skip)
    return tmp_path


def run(code: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")} | {"PYTHONPATH": str(home)}
    return subprocess.run(
        [sys.executable, "-c", code], env=clean | environment, cwd=home, capture_output=True, text=True, check=True
    )


def test_an_edited_rule_never_meets_an_old_cache(copied: Path) -> None:
    assert run(MASKED, copied).stdout == "9\n"
    rules = copied / "boyi" / "envs" / "grid" / "board.py"
    stat = rules.stat()
    edited = rules.read_text().replace("mask[i] = b[i] == 0", "mask[i] = b[i] == 9")
    assert edited != rules.read_text()
    rules.write_text(edited)
    # Size and time as they were: Numba's own stamp cannot tell the files apart, and kernels.py did not change at all.
    os.utime(rules, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert run(MASKED, copied).stdout == "0\n"


def test_a_second_process_loads_what_the_first_compiled(copied: Path) -> None:
    counted = MASKED + "from numba.core import event\n"
    counting = (
        "from numba.core import event\n"
        "class Count(event.Listener):\n"
        "    n = 0\n"
        "    def on_start(self, event): self.n += 1\n"
        "    def on_end(self, event): pass\n"
        "count = Count()\n"
        "event.register('numba:compile', count)\n"
    )
    code = counting + counted + "print(count.n)\n"
    first, second = run(code, copied), run(code, copied)
    assert int(first.stdout.split()[1]) > 0
    assert second.stdout.split() == ["9", "0"]


def test_an_inner_kernel_has_no_machine_code_of_its_own(copied: Path) -> None:
    """It is built into what calls it, from the cache as from the process that has compiled it."""
    counting = """
outer = bind(mask_rows, game)
(whole,), (inner,) = outer.overloads.values(), outer.py_func.__globals__["legal"].overloads.values()
print(len(list(whole.library.get_defined_functions())) > 0, len(list(inner.library.get_defined_functions())))
"""
    assert run(MASKED + counting, copied).stdout.split() == ["9", "True", "0"]
    another = """
import numpy as np
from boyi.envs import find
from boyi.envs.conformance.kernels import look_one
from boyi.envs.engine.bind import bind
game, mask = find("hex:board_size=3"), np.zeros(9, np.int8)
outer = bind(look_one, game)
print(outer(game.blank, mask, np.zeros(2, np.float32), np.zeros(1, np.uint64)), int(mask.sum()))
(inner,) = outer.py_func.__globals__["legal"].stats.cache_hits.values()
print(inner)
"""
    assert run(another, copied).stdout.split() == ["9", "9", "1"]


def test_two_processes_may_compile_the_same_game_at_once(copied: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")} | {"PYTHONPATH": str(copied)}
    both = [
        subprocess.Popen([sys.executable, "-c", MASKED], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.communicate()[0] for process in both] == ["9\n", "9\n"]
    assert [process.returncode for process in both] == [0, 0]
    assert run(MASKED, copied).stdout == "9\n"


UNWRITABLE = """
from numba.core import caching
for locator in vars(caching).values():
    if hasattr(locator, "ensure_cache_path"):
        locator.ensure_cache_path = lambda self: (_ for _ in ()).throw(OSError("read-only"))
"""


def test_without_a_writable_cache_kernels_compile_with_one_notice(copied: Path) -> None:
    done = run(UNWRITABLE + MASKED, copied)
    assert done.stdout == "9\n"
    assert done.stderr.count("no writable cache folder") == 1


def test_a_read_only_installation_caches_in_the_users_folder(copied: Path, tmp_path: Path) -> None:
    users = tmp_path / "cache"
    # Root may write anywhere, so a file in the way stands for a folder that may not be written.
    for folder in [copied / "boyi" / "envs", *(p for p in (copied / "boyi").rglob("*") if p.is_dir())]:
        if not (folder / "__pycache__").exists():
            (folder / "__pycache__").write_text("in the way")
    done = run(MASKED, copied, XDG_CACHE_HOME=str(users), PYTHONDONTWRITEBYTECODE="1")
    assert done.stdout == "9\n"
    assert "no writable cache folder" not in done.stderr
    assert list(users.rglob("*.nbi"))


def test_equal_calls_share_a_kernel_and_choices_do_not() -> None:
    game = find("hex:board_size=3")
    assert bind(kernels.hash_rows, game) is bind(kernels.hash_rows, find("hex", board_size=3))
    assert bind(kernels.hash_rows, game) is not bind(kernels.hash_rows, find("hex", board_size=4))
    assert bind(kernels.random_games, game) is not bind(kernels.random_games, game, playout=kernels.random_playout)


SIZES = """
import sys
import numpy as np
from boyi.envs import Batch
for size in map(int, sys.argv[1:]):
    batch = Batch("hex", 20, seed=0, board_size=size, encoder=None, autoreset="same_step")
    batch.play_random(3 * size**2)
    print(size, batch.states["board"].tobytes().hex()[:400])
"""


@pytest.mark.slow
def test_sizes_compiled_in_different_processes_meet_in_one(copied: Path) -> None:
    """Numba numbers record types anew in every process: machine code cached by two of them must not be confused."""

    def play(*sizes: int) -> list[str]:
        sized = SIZES.replace("sys.argv[1:]", repr([str(size) for size in sizes]))
        return run(sized, copied).stdout.splitlines()

    alone = [*play(3), *play(5), *play(8)]
    assert play(3, 5, 8, 3) == [*alone, alone[0]]
    assert play(8, 5, 3) == alone[::-1]


def test_a_missing_piece_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find("hex:board_size=3")
    monkeypatch.delattr(game.module("rules"), "key")
    with pytest.raises(BoyiError, match=r"game 'hex' has no kernel 'key' in its rules\.py"):
        bind(kernels.hash_rows, game, "neurohex")


def through_a_module(states):
    return kernels.hash_rows(states, states)


def test_a_kernel_must_import_the_names_it_uses() -> None:
    with pytest.raises(BoyiError, match=r"kernel through_a_module uses the module boyi\.envs\.engine\.kernels"):
        bind(through_a_module, find("hex:board_size=3"))


def test_sizes_live_side_by_side() -> None:
    keys = []
    for size in (3, 5, 3):
        game = find("hex", board_size=size)
        out = np.zeros(1, np.uint64)
        bind(kernels.hash_rows, game)(game.blank, out)
        keys.append(int(out[0]))
    assert keys[0] == keys[2] != keys[1]
