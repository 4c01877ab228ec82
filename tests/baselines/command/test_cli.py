"""The command: what it prints, one sentence and exit code 2 for bad input, quiet where it should be."""

import os
import re
import shlex
import subprocess
import sys
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from boyi import __version__, games
from boyi.baselines.agents import AGENTS
from boyi.baselines.command import main as cli
from boyi.baselines.command import warmup
from boyi.envs import find

pytestmark = pytest.mark.usefixtures("no_notice")

BOYI = [sys.executable, "-m", "boyi.baselines.command.main"]


def boyi(words, **options):
    return CliRunner().invoke(cli.app, shlex.split(words), **options)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("arena hx random mcts", "unknown game 'hx': did you mean 'hex'?"),
        ("arena hex random mtcs", "unknown agent 'mtcs': did you mean 'mcts'?"),
        ("arena hex random mcts:sim=3", "unknown parameter of mcts 'sim': did you mean 'sims'?"),
        ("arena hex random mcts:sims=0", "mcts: sims must be a whole number from 1 to"),
        ("arena hex random mcts:", "cannot read 'mcts:'"),
        ("arena hex random os:nothing", "module 'os' has no attribute 'nothing'"),
        ("arena hex random os:name", "name of module 'os' is text, not an agent or a callable"),
        ("arena hex random", "an arena needs at least two agents"),
        ("arena hex random mcts --games 7", "games must be an even number"),
        ("arena hex random mcts --games 0", "games must be an even number"),
        ("arena hex random mcts --seed -1", "seed must be a whole number"),
        ("arena hex random mcts --resume", "--resume needs --out FILE"),
        ("arena hex random mcts --out /nowhere/games.jsonl", "cannot write /nowhere/games.jsonl"),
        ("arena hex:size=3 random mcts", "unknown parameter of hex 'size'"),
        ("arena hex random mcts --board-size a", "board_size must be a whole number from 1 to 26, not 'a'"),
        ("arena hex random mcts --board-size 0", "board_size must be a whole number from 1 to 26, not 0"),
        ("play hex --board-size -1", "board_size must be a whole number from 1 to 26, not -1"),
        ("perft hex --board-size 27", "board_size must be a whole number from 1 to 26, not 27"),
        ("perft hex --board-size 3.5", "board_size must be a whole number from 1 to 26, not 3.5"),
        ("perft hex --depth -1", "depth must be a whole number from 0 to 1,000, not -1"),
        ("compile hex --board-size 1e3", "board_size must be a whole number from 1 to 26, not 1000.0"),
        ("compile nothing", "unknown game 'nothing'"),
        ("compile hex --all-sizes --board-size 3", "--all-sizes and --board-size do not go together"),
        ("play", "play takes a game"),
        ("play hex --record games.jsonl", "cannot read games.jsonl"),
        ("play hex --seat 2", "seat must be 0 to 1, random or none, not '2'"),
        ("play hex --seat -1", "seat must be 0 to 1, random or none, not '-1'"),
        ("play hex --opponent nobody", "unknown agent 'nobody'"),
        ("play hex --opponent random --opponent random", "give one opponent"),
        ("play hex --save /nowhere/games.jsonl", "cannot write /nowhere/games.jsonl"),
        ("play --record /nowhere/games.jsonl", "cannot read /nowhere/games.jsonl"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words, sentence):
    done = boyi(words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"boyi: {sentence}") or f": {sentence}" in done.stderr


@pytest.mark.parametrize("words", ["nothing", "arena hex", "perft hex --depth x", "arena hex random mcts --games x"])
def test_bad_usage_is_exit_code_2(words):
    done = boyi(words)
    assert done.exit_code == 2
    assert "Usage" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_illegal_action_shows_the_position():
    done = boyi("arena hex random contestants:Outside --board-size 3")
    assert done.exit_code == 2
    assert done.stderr.startswith("boyi: contestants:Outside: hex:board_size=3: row ")
    assert "\n   a b c\n" in done.stderr


def test_a_table_larger_than_memory_is_one_sentence(monkeypatch):
    def refuse(positions):
        raise MemoryError(f"no room for {positions}")

    monkeypatch.setattr("boyi.baselines.search.exact.make_solutions", refuse)
    done = boyi("arena einstein exact:positions=2000000000 random --board-size 3 --games 2")
    assert (done.exit_code, done.stderr) == (1, "boyi: not enough memory: no room for 2000000000\n")


def test_a_game_too_large_to_solve_is_said_so():
    for game, size, says in (
        ("einstein", 3, "more than 10 positions follow"),
        ("hex", 5, "10 positions do not decide who wins"),
    ):
        done = boyi(f"arena {game} exact:positions=10 random --board-size {size} --games 2 --seed 1")
        assert done.exit_code == 2
        assert done.stderr.splitlines()[0] == f"boyi: exact:positions=10: {says}; allow more with positions="


def test_arena_prints_a_table_that_is_not_cut_off():
    long = "mcts:sims=10,c=1.0000000000001,nodes=100000,reuse=true"
    done = boyi(f"arena hex {long} random --board-size 3 --games 4")
    assert done.exit_code == 0
    head, *names, columns, row = done.stdout.splitlines()[:5]
    assert head == "hex:board_size=3: 4 games, seed 0, every seed played from both sides"
    assert names == [f"#1 {long}", "#2 random"]
    assert columns.split()[:6] == ["agent", "opponent", "W", "D", "L", "score"]
    assert row.split()[:2] == ["#1", "#2"]


def test_arena_says_how_far_it_is(monkeypatch):
    monkeypatch.setattr("boyi.baselines.command.progress.EVERY", 0.0)
    done = boyi("arena hex random mcts:sims=2 --board-size 3 --games 4")
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == [f"{k} of 4 games" for k in (1, 2, 3, 4)]


def test_arena_on_a_terminal_says_the_same(monkeypatch):
    plain = boyi("arena hex random mcts:sims=2 --board-size 3 --games 4").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "150")
    coloured = boyi("arena hex random mcts:sims=2 --board-size 3 --games 4")
    assert coloured.exit_code == 0
    assert "4/4" in coloured.stderr
    shown = re.sub(r"\x1b\[[0-9;]*m", "", coloured.stdout)
    times = r"[\d.]+ (s|ms|µs)$"
    assert [re.sub(times, "", line.strip()).split() for line in shown.splitlines()] == [
        re.sub(times, "", line).split() for line in plain.splitlines()
    ]


def test_arena_resumes_from_the_command_line(tmp_path):
    words = f"arena hex random mcts:sims=2 --board-size 3 --games 4 --out {tmp_path / 'games.jsonl'}"
    first = boyi(words)
    assert first.exit_code == 0
    refused = boyi(words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    again = boyi(words + " --resume")
    assert again.stdout == first.stdout


def test_ctrl_c_is_130_and_one_line(monkeypatch, tmp_path):
    """The second game is in the file, but not yet counted; the third line is torn."""
    path, names = tmp_path / "a file", ["random", "mcts"]

    def interrupt(*_, report, **__):
        times = {"seconds": dict.fromkeys(names, 1.0), "decisions": dict.fromkeys(names, 1)}
        facts = {"seats": names, "agents": names, "pairing": 0, "returns": [1.0, -1.0], "plies": 9, "ended": "over"}
        report(SimpleNamespace(**facts, **times))
        path.write_text("first\nsecond\nthi")
        raise KeyboardInterrupt

    monkeypatch.setattr("boyi.baselines.arena.matches.compete", interrupt)
    monkeypatch.setattr(sys, "argv", ["boyi", "arena", "hex", "random", "mcts", "--out", str(path)])
    done = boyi(f"arena hex random mcts --out '{path}'")
    assert done.exit_code == 130
    assert done.stderr == (
        f"boyi: stopped after 2 of 20 games; go on with: boyi arena hex random mcts --out '{path}' --resume\n"
    )
    assert "nothing was kept" in boyi("arena hex random mcts").stderr


def test_games_lists_what_the_specs_declare():
    done = boyi("games")
    assert done.exit_code == 0
    for name in games():
        game = find(name)
        assert f"boyi/{game.spec.title}-v{game.spec.version}" in done.stdout
        assert all(doc.doc in done.stdout for doc in game.spec.params.values())
        for encoder in game.spec.encoders:
            assert re.search(rf"^{name} +{encoder} +{'x'.join(map(str, game.shape(encoder)))}$", done.stdout, re.M)
    assert re.search(r"^hex +boyi/Hex-v0 boyi/hex-v0 +2 +121 +121 +- +no$", done.stdout, re.M)
    assert re.search(r"^hex +board_size +11 +1 to 26 +cells along a side$", done.stdout, re.M)


def test_agents_lists_all_of_them():
    done = boyi("agents")
    assert done.exit_code == 0
    for name, agent in AGENTS.items():
        assert re.search(rf"^{name} ", done.stdout, re.M)
        for key, param in agent.params.items():
            assert re.search(rf"^ +{key} .*{re.escape(param.doc)}$", done.stdout, re.M)


def test_perft_counts_by_depth():
    done = boyi("perft hex --board-size 3 --depth 6")
    rows = [line.split()[:2] for line in done.stdout.splitlines()]
    # By hand: nobody wins before ply 5, when 8 chains of 3 stones, in 3! orders, among 6 * 5 replies, end the game.
    counts = [1, 9, 72, 504, 3024, 15120, (15120 - 1440) * 4 + 1440]
    assert rows[0] == ["hex:board_size=3"]
    assert rows[2:] == [[str(depth), str(count)] for depth, count in enumerate(counts)]


def test_compile_says_how_long_it_took():
    done = boyi("compile hex --board-size 3")
    assert done.exit_code == 0
    assert re.fullmatch(r"hex:board_size=3: \d+\.\d s\n", done.stdout)


def test_every_size_is_compiled(monkeypatch):
    monkeypatch.setattr(warmup, "warm_up", lambda game: 0.0)
    for game, sizes in (("hex", range(1, 27)), ("jiu", range(6, 27, 2)), ("hex:swap=true", range(1, 27))):
        done = boyi(f"compile {game} --all-sizes")
        assert done.stdout.splitlines() == [f"{find(game, board_size=size)}: 0.0 s" for size in sizes]
    assert boyi("compile surakarta --all-sizes").stdout == "surakarta: 0.0 s\n"


def test_version_and_help():
    assert boyi("--version").stdout == f"boyi {__version__}\n"
    helped = boyi("--help")
    assert helped.exit_code == 0
    assert all(
        name in helped.stdout for name in ("arena", "decide", "play", "games", "agents", "perft", "compile", "speed")
    )
    assert all(
        boyi(f"{name} --help").exit_code == 0 for name in ("arena", "decide", "play", "games", "perft", "compile")
    )


def test_a_command_kept_elsewhere_gets_its_own_options(monkeypatch):
    import boyi.baselines.command.speed as module

    got = []
    monkeypatch.setattr(module, "speed", lambda game, seconds=1.0: got.append((game, seconds)), raising=False)
    assert boyi("speed hex --seconds 0.5").exit_code == 0
    assert got == [("hex", 0.5)] or got == [("hex", "0.5")]
    assert boyi("speed hex --second 0.5").exit_code == 2
    assert "--seconds" in boyi("speed --help").stdout


# In a process of its own


@pytest.mark.parametrize("words", ["--help", "--version", "arena --help"])
def test_light_commands_do_not_import_numba(words):
    code = (
        f"import sys; from boyi.baselines.command.main import main\nsys.argv[1:] = {words.split()!r}\ntry: main()\n"
        "except SystemExit as end: assert not end.code\nassert not {'numba', 'scipy', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.posix
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["games", "--help", "perft hex --board-size 3 --depth 4"])
def test_a_closed_pipe_is_quiet(words, unbuffered):
    """Whether the text meets the pipe at once or only when the process ends. The first call compiles."""
    boyi(words)
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run([*BOYI, *words.split()], stdout=write, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(write)
    assert done.stderr == b""
    assert done.returncode in (0, 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_sentence(unbuffered):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*BOYI, "games"], stdout=full, stderr=subprocess.PIPE, env=environment, check=False)
    assert done.stderr == b"boyi: the output: No space left on device\n"
    assert done.returncode == 1
