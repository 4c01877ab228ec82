"""What boyi does on systems that are not at hand here, by taking away what those do not have."""

import os
from pathlib import Path

import pytest
from places import ROOT, of_game

from boyi.baselines.engines import program
from boyi.envs import BoyiError, find
from boyi.envs.conformance.mutants import UNCHANGED, judge
from boyi.envs.records import files


def test_without_locks_a_file_is_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has no fcntl."""
    path = tmp_path / "games.jsonl"
    monkeypatch.setattr(files, "fcntl", None)
    with files.taken_up(path, resume=True) as (lines, write), files.taken_up(path, resume=True):
        assert lines == []
        write("{}\n")
    assert path.read_text(encoding="utf-8") == "{}\n"


def test_without_posix_programs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "os", type("Windows", (), {"name": "nt"}))
    with pytest.raises(BoyiError, match="programs can be run as agents on Linux and macOS only"):
        program.split_command("python3 mine.py")


def test_without_forks_mutants_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork", raising=False)
    with pytest.raises(BoyiError, match="mutants are judged on Linux and macOS only"):
        list(judge(find("hex").spec, of_game("hex"), [UNCHANGED], ROOT))
