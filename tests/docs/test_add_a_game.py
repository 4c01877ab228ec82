"""docs/add-a-game.md adds a whole game: its blocks, put into a copy of the package, make one that is right and played.

No other place holds that game, so everything happens in processes whose `boyi` is the copy. ``python
tests/docs/test_add_a_game.py`` is one of them: it follows moves that it is given, by whatever rules it finds.
"""

import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from places import ROOT, SHARED, TESTS

from boyi.envs import Spec
from boyi.envs.conformance.battery import copy_package
from boyi.envs.engine.bind import kernel_names

PAGE = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
BLOCKS = re.compile(r"^(?:\*\*`(\S+)`\*\*\n\n)?```(?:py|markdown)\n(.*?)^```$", re.M | re.S)  # a file's name and text
FILES = ("__init__.py", "rules.py", "encode.py", "valid.py", "text.py", "draw.py", "RULES.md")

# What the page's commands are told where they ask, and what they answer.
TYPED = {"play": "4\n4\nx\nquit\n"}
ANSWERS = {
    "games": r"connect +boyi/Connect-v0 boyi/connect-v0 +2 +7 +42 +- +no",
    "check": r"\n\d+ promises kept by \d parameter sets\n$",
    "perft": r"\n +7 +823536 ",
    "arena": r"\nmcts:sims=200 +random +(1[5-9]|20) ",
    "benchmark": r"(?s)\nrandom +0 +[\d .]+%.*connect has no ladder of its own",
    "play": r"(?s)connect 7x6 k=4 drops=2  X to move\n.*no action 'x': columns are 1 to 7.*seat 0> $",
}
# Of the tests for every game, all but those that `check_game` runs too, and that look for a game's own file of tests.
TRIED = "connect and not contract and not cited"

EMPTY = "connect 3x3 k=3 drops=1  X to move\n1 2 3\n. . .\n. . .\n. . .\n"
Cell = tuple[int, int]


# The copy


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with a copy of the package, the page's game in it; compiled kernels stay there as well."""
    folder = tmp_path_factory.mktemp("sixth")
    package = copy_package(ROOT, folder, "boyi")
    blocks: dict[str, list[str]] = {}
    for name, block in BLOCKS.findall(PAGE):
        if name:
            blocks.setdefault(name, []).append(block)
    for name, parts in blocks.items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text("\n\n".join(parts), encoding="utf-8")
    yield folder
    shutil.rmtree(folder)


def python(home: Path, *arguments: str, typed: str = "", **environment: str) -> str:
    """Run Python on the copy; return what it prints, or fail with the end of all that it says."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTEST_"))}
    clean |= {
        "PYTHONPATH": os.pathsep.join(map(str, (home, *SHARED))),
        "NUMBA_CACHE_DIR": str(home / "kernels"),
        "COLUMNS": "200",
    }
    clean |= {"SDL_VIDEODRIVER": "dummy", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=home,
        env=clean | environment,
        input=typed,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{arguments}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


# The page


def test_the_page_holds_one_folder_and_one_module() -> None:
    wanted = {f"envs/connect/{name}" for name in FILES} | {"envs/connect_v0.py"}
    assert {name for name, _ in BLOCKS.findall(PAGE)} - {""} == wanted
    assert len(BLOCKS.findall(PAGE)) == len(re.findall(r"^```(?:py|markdown)", PAGE, re.M))
    assert not any((ROOT / name).exists() for name in wanted)


def test_it_says_what_every_fact_and_every_kernel_is_for() -> None:
    rows = "\n".join(re.findall(r"^\| (`.*?) \|", PAGE, re.M))
    named = set(re.findall(r"`(\w+)`", rows))
    assert named >= {field.name for field in fields(Spec)} | set(kernel_names())


@pytest.mark.slow
def test_what_it_tries_in_python_works(home: Path) -> None:
    """The contract holds for every tested parameter set; both faces and the batch play."""
    (block,) = [block for name, block in BLOCKS.findall(PAGE) if not name]
    assert all(part in block for part in ("check_game(", "gym.make(", "connect_v0.env(", "Batch("))
    python(home, "-W", "error", "-c", block)


@pytest.mark.slow
@pytest.mark.parametrize("command", re.findall(r"^boyi (.*)", PAGE, re.M))
def test_its_commands_answer(home: Path, command: str) -> None:
    verb, *rest = shlex.split(command)
    answer = python(home, "-m", "boyi.baselines.command.main", verb, *rest, typed=TYPED.get(verb, ""))
    assert re.search(ANSWERS[verb], answer), answer


def test_every_answer_is_asked_for() -> None:
    assert set(re.findall(r"^boyi (\w+)", PAGE, re.M)) == set(ANSWERS)


@pytest.mark.slow
def test_the_tests_for_every_game_find_it(home: Path) -> None:
    """It passes Gymnasium's, PettingZoo's and Stable-Baselines3's checkers, and its RULES.md states its facts."""
    files = [str(TESTS / "conformance" / f"test_{name}.py") for name in ("conformance", "rules_pages")]
    options = ["-v", "-k", TRIED, "-p", "no:cacheprovider", f"--rootdir={ROOT}", "-c", str(ROOT / "pyproject.toml")]
    told = python(home, "-m", "pytest", *options, *files)
    for checker in ("test_api", "test_pettingzoo_module_and_id", "test_gymnasium", "test_the_page_is_true_to_the_game"):
        assert re.search(rf"::{checker}\[.*connect.*PASSED", told)


# The rules


def lines(width: int, height: int, k: int) -> list[set[Cell]]:
    """List all rows of k cells."""
    found = []
    for r in range(height):
        for c in range(width):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                row = {(r + i * dr, c + i * dc) for i in range(k)}
                if all(0 <= a < height and 0 <= b < width for a, b in row):
                    found.append(row)
    return found


class Connect:
    """The page's game once more, from its RULES.md: columns are lists of seats, from the bottom."""

    def __init__(self, width: int = 7, height: int = 6, k: int = 4, drops: int = 1) -> None:
        self.string = f"connect:width={width},height={height},k={k},drops={drops}"
        self.height, self.lines, self.drops = height, lines(width, height, k), drops
        self.columns: list[list[int]] = [[] for _ in range(width)]
        self.ply, self.winner = 0, -1

    def legal(self) -> list[int]:
        if self.winner >= 0:
            return []
        return [c for c, column in enumerate(self.columns) if len(column) < self.height]

    def mover(self) -> int:
        """Return the seat to move: the first turn has one stone, the others as many as they all have."""
        turn, left = 0, 1
        for _ in range(self.ply):
            left -= 1
            if left == 0:
                turn, left = 1 - turn, self.drops
        return turn

    def drop(self, c: int) -> None:
        seat = self.mover()
        self.columns[c].append(seat)
        self.ply += 1
        mine = {(r, c) for c, column in enumerate(self.columns) for r, owner in enumerate(column) if owner == seat}
        if any(line <= mine for line in self.lines):
            self.winner = seat

    def take_back(self, c: int) -> None:
        self.columns[c].pop()
        self.ply, self.winner = self.ply - 1, -1

    def count(self, depth: int) -> int:
        """Count the sequences of so many moves, those of games that end before them included."""
        if depth == 0 or not self.legal():
            return 1
        total = 0
        for c in self.legal():
            self.drop(c)
            total += self.count(depth - 1)
            self.take_back(c)
        return total


# Moves from an empty grid of the default parameters or of others, and who has won after the last of them.
PLANTED = {
    "across": ("1 1 2 2 3 3 4", (), 0),
    "across, by the second seat": ("7 1 7 2 6 3 6 4", (), 1),
    "down": ("7 1 7 1 7 1 7", (), 0),
    "rising to the right": ("1 2 2 3 3 4 3 4 4 6 4", (), 0),
    "rising to the left": ("7 6 6 5 5 4 5 4 4 2 4", (), 0),
    "five in a row": ("1 1 2 2 4 4 5 5 3", (), 0),
    "three in a row are one short": ("1 1 2 2 3 3", (), -1),
    "not around the edge": ("1 1 2 2 7 7 6 6", (), -1),
    "not around the bottom": ("1 1 1 2 1", (3, 4, 3), -1),
    "full and drawn": ("1 1 1 2 2 3 3 3 2", (3, 3, 3), -1),
    "full and won with the last stone": ("1 1 1 2 2 3 2 3 3", (3, 3, 3), 0),
    "no room for a row": ("1 1 1 1 2 2 2 2 3 3 3 3", (3, 4, 5), -1),
    "by the last stone of a turn": ("1 3 3 2 4 2 4", (4, 3, 3, 2), 1),
    "by the first stone of a turn, which ends it": ("1 3 3 2 4 3", (4, 4, 3, 2), 1),
}

# Diagrams that no game can lead to, or that say something else than the stones.
REFUSED = {
    "a stone in the air": EMPTY.replace("X to", "O to").replace(". . .", ". X .", 1),
    "a wrong seat to move": EMPTY.replace("X to", "O to"),
    "two stones of one seat": EMPTY.replace(". . .\n", "", 1) + "X X .\n",
    "a win without a row": EMPTY.replace("X to move", "X has won"),
    "a row without a win": "connect 3x3 k=3 drops=1  O to move\n1 2 3\n. . .\nO O .\nX X X\n",
    "a game that goes on after a win": "connect 3x3 k=3 drops=1  X has won\n1 2 3\n. . .\nO O O\nX X X\n",
    "a row too few": EMPTY.replace(". . .\n", "", 1),
    "another mark": EMPTY.replace(".", "*"),
    "a grid too large": EMPTY.replace("3x3", "9x9"),
    "a turn cut short": EMPTY.replace("drops=1", "drops=2").replace(". . .\n", "", 1) + "X O .\n",
}


SEQUENCES = {
    "connect:width=3,height=3,k=3,drops=1": 9,
    "connect:width=4,height=3,k=3,drops=1": 5,
    "connect:width=3,height=4,k=3,drops=1": 6,
    "connect:width=3,height=4,k=3,drops=2": 7,
}
POSITIONS = [1, 7, 49, 238, 1120]  # of Connect Four after so many plies: J. Tromp, OEIS A212693


def matches() -> dict[str, tuple[Connect, list[int]]]:
    """Return planted games and random ones, not yet played, each with its moves as columns from 0."""
    found = {}
    for name, (moves, sizes, _) in PLANTED.items():
        found[name] = Connect(*sizes), [int(move) - 1 for move in moves.split()]
    for seed in range(40):
        lots = random.Random(seed)
        sizes = lots.randint(3, 7), lots.randint(3, 7), lots.randint(3, 5), lots.randint(1, 2)
        game, moves = Connect(*sizes), []
        while game.legal():
            moves.append(lots.choice(game.legal()))
            game.drop(moves[-1])
        found[f"random {seed}"] = Connect(*sizes), moves
    return found


@pytest.fixture(scope="module")
def answers(home: Path) -> dict[str, Any]:
    """Return what the page's rules say, in plain Python, of all that the tests below ask."""
    asked = {
        "games": {name: [game.string, moves] for name, (game, moves) in matches().items()},
        "sequences": SEQUENCES,
        "plies": len(POSITIONS) - 1,
        "diagrams": REFUSED,
    }
    told = python(home, str(Path(__file__)), typed=json.dumps(asked), NUMBA_DISABLE_JIT="1")
    answer: dict[str, Any] = json.loads(told)
    return answer


@pytest.mark.parametrize("name", matches())
def test_games_go_as_the_rules_say(name: str, answers: dict[str, Any]) -> None:
    """§2 to §6 and §8: after every move the same columns are open, the same seat is to move, and the same seat wins."""
    game, moves = matches()[name]
    for move, (legal, to_move, returns) in zip(moves, answers["games"][name], strict=True):
        game.drop(move)
        assert legal == game.legal()
        assert to_move == (game.mover() if legal else -2)
        assert returns == [0.0 if game.winner < 0 else 1.0 if game.winner == seat else -1.0 for seat in (0, 1)]
    if name in PLANTED:
        assert game.winner == PLANTED[name][2]


@pytest.mark.parametrize("string", SEQUENCES)
def test_perft_counts_what_brute_force_counts(string: str, answers: dict[str, Any]) -> None:
    sizes = [int(number) for number in re.findall(r"\d", string)]
    assert answers["sequences"][string] == [Connect(*sizes).count(depth) for depth in range(SEQUENCES[string] + 1)]


def test_keys_tell_positions_apart_and_nothing_else(answers: dict[str, Any]) -> None:
    assert answers["positions"] == POSITIONS


@pytest.mark.parametrize("name", REFUSED)
def test_no_diagram_of_an_impossible_position_is_read(name: str, answers: dict[str, Any]) -> None:
    assert answers["diagrams"][name] == "refused"


# In the copy


def follow(string: str, moves: list[int]) -> list[Any]:
    """Play moves in a game; return what is legal, who is to move and what each seat has got, after every one."""
    from boyi.envs import Batch

    batch, told = Batch(string, 1, seed=0), []
    for move in moves:
        action = batch.game.module("text").parse(batch.states[0], str(move + 1))
        returns, _, _ = batch.step([action])
        told.append([batch.mask[0].nonzero()[0].tolist(), int(batch.to_move[0]), returns[0].tolist()])
    return told


def count_positions(plies: int) -> list[int]:
    """Count the positions after 0 to `plies` moves by their keys."""
    import numpy as np

    from boyi.envs import Batch
    from boyi.envs.engine import kernels
    from boyi.envs.engine.bind import bind

    layer, counts = Batch("connect:drops=1", 1, seed=0).states, [1]
    for _ in range(plies):
        before = Batch("connect:drops=1", len(layer), seed=0)
        before.states = layer
        rows, columns = before.mask.nonzero()
        after = Batch("connect:drops=1", len(rows), seed=0)
        after.states = layer[rows]
        after.step(columns)
        keys = np.zeros(len(rows), np.uint64)
        bind(kernels.hash_rows, after.game)(after.states, keys)
        layer = after.states[np.unique(keys, return_index=True)[1]]
        counts.append(len(layer))
    return counts


def read(diagram: str) -> str:
    """Read a diagram; return what becomes of it."""
    from boyi.envs import BoyiError, find

    try:
        find("connect").module("text").read(diagram)
    except BoyiError:
        return "refused"
    return "read"


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Answer what the fixture `answers` asks."""
    from boyi.baselines.command.perft import perft
    from boyi.envs import find

    return {
        "games": {name: follow(string, moves) for name, (string, moves) in asked["games"].items()},
        "sequences": {
            string: [many for _, many, _ in perft(find(string), depth)] for string, depth in asked["sequences"].items()
        },
        "positions": count_positions(asked["plies"]),
        "diagrams": {name: read(diagram) for name, diagram in asked["diagrams"].items()},
    }


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
