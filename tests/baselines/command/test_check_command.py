"""``boyi check`` and ``boyi mutants``: for the package's games and for one's own; what is wrong is one sentence."""

import sys
from pathlib import Path

import pytest
import toy
from places import SUPPORT, of_game
from typer.testing import CliRunner

from boyi.baselines.command import mutants as command
from boyi.baselines.command.main import app
from boyi.envs.conformance.mutants import Verdict

HEX = "hex:board_size=3"


def boyi(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.kernels
def test_a_game_of_the_package_beside_its_oracle() -> None:
    code, out, _ = boyi("check", HEX, "--games", "2", "--oracle", "hex_oracle:Hex")
    assert code == 0 and "hex:board_size=3 …" in out and "promises kept by 1 parameter set\n" in out


@pytest.mark.slow
def test_one_s_own_game_with_all_its_parameter_sets() -> None:
    assert str(SUPPORT) in sys.path
    code, out, _ = boyi("check", "toy:SPEC", "--games", "1")
    assert code == 0 and f"promises kept by {len(toy.SPEC.tested)} parameter sets\n" in out


def test_a_broken_promise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boyi.envs.hex.text.parse", lambda state, text: 0)
    code, _, err = boyi("check", HEX, "--games", "1")
    assert code == 1 and "is not action" in err and "hex 3x3" in err


def test_a_pipe_that_is_closed_is_nobody_s_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*args: object, **options: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("boyi.baselines.command.check.check_game", closed)
    monkeypatch.setattr("os.dup2", lambda *files: None)
    code, _, err = boyi("check", HEX)
    assert (code, err) == (1, "")


def test_an_oracle_that_fails_is_told_with_its_line() -> None:
    code, _, err = boyi("check", HEX, "--games", "1", "--oracle", "fractions:Fraction")
    assert code == 1 and err.startswith(f"boyi: the check of {HEX} fails in ") and "TypeError: " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("check", "nosuch"), "unknown game 'nosuch': allowed: amazons,"),
        (("check", "no.such:SPEC"), "unknown game 'no.such'"),
        (("check", "toy:SEATS"), "toy:SEATS is not a Spec but int"),
        (("check", "hex", "--oracle", "Hex"), "an oracle is named as module:Class, not 'Hex'"),
        (("check", "hex", "--oracle", "os:getcwd"), "an oracle is a class, not builtin_function_or_method"),
        (("mutants", "hex", "--tests", "nowhere"), "hex_mutants.py: it holds MUTANTS, at least 15 rows"),
        (
            ("mutants", "hex", "--only", "the looser is rewarded"),
            "did you mean 'the loser is rewarded'? allowed: actions",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(words: tuple[str, ...], says: str) -> None:
    code, _, err = boyi(*words)
    assert code == 2 and says in err and err.count("\n") == 1


def judged(monkeypatch: pytest.MonkeyPatch, unchanged: str, *outcomes: str, only: str = "") -> tuple[int, str, str]:
    """Run the command with these outcomes in place of the tests'."""

    def judge(spec: object, folder: Path, mutants: list[object], root: Path) -> list[Verdict]:
        told = [unchanged, *outcomes, *["killed"] * len(mutants)][: len(mutants)]
        return [Verdict(mutant[0], outcome, "a_test", "said") for mutant, outcome in zip(mutants, told, strict=True)]

    monkeypatch.setattr(command, "judge", judge)
    return boyi("mutants", "hex", "--tests", str(of_game("hex")), *(["--only", only] if only else []))


def test_who_killed_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = judged(monkeypatch, "survived")
    assert code == 0 and "the loser is rewarded" in out and "a_test" in out and out.rstrip().endswith(" killed")


def test_one_bug_is_shown_as_it_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = judged(monkeypatch, "survived", only="the loser is rewarded")
    assert code == 0 and out.startswith("said\n") and out.rstrip().endswith("1 of 1 killed")


def test_a_survivor_is_a_failure_and_a_crash_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = judged(monkeypatch, "survived", "survived", "crashed")
    assert code == 1 and "survived" in out and "crashed" in out and "crashed\nsaid" in err
    code, out, err = judged(monkeypatch, "survived", "crashed", only="the loser is rewarded")
    assert code == 1 and out.count("said") == 1 and "said" not in err


def test_tests_that_fail_without_a_bug_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = judged(monkeypatch, "crashed")
    assert code == 1 and "the tests do not pass on an unchanged copy; unchanged: crashed\nsaid" in err
