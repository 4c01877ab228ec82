"""Work on the nodes of a Ray cluster: what one process here would do, whichever of them dies."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import ray
from mortals import Doomed, Liar, content, interrupt
from places import SUPPORT
from ray.cluster_utils import Cluster

from boyi.baselines import benchmark, evaluate
from boyi.baselines.arena.decisions import Inquiry, inquire
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.learning.alphazero import AlphaZero
from boyi.baselines.learning.self_play import Player
from boyi.baselines.workers import crew
from boyi.baselines.workers.cluster import PAUSE
from boyi.baselines.workers.crew import Crew, check_workers
from boyi.envs import BoyiError, find
from boyi.envs.records.game_record import GameRecord

HEX = "hex:board_size=4"
AGENTS = ["mcts:sims=200", "random", "mcts:sims=50"]
QUICK = {"health_check_initial_delay_ms": 500, "health_check_period_ms": 500, "health_check_failure_threshold": 2}
"""How soon the head takes a node for dead: in a second, by default in some ten."""


class Nodes:
    """A cluster on this machine: a head that does no work, and nodes with a core each."""

    def __init__(self) -> None:
        head = {"num_cpus": 0, "include_dashboard": False, "_system_config": QUICK}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.there: list[Any] = []
        self.join(2)

    def join(self, count: int) -> None:
        self.there += [self.cluster.add_node(num_cpus=1) for _ in range(count)]

    def kill(self) -> None:
        self.cluster.remove_node(self.there.pop(0), allow_graceful=False)

    def settle(self) -> None:
        """Wait until the head knows who is there."""
        until = time.monotonic() + 60
        while self.alive() != 1 + len(self.there):
            assert time.monotonic() < until
            time.sleep(0.1)

    def alive(self) -> int:
        """How many nodes the head takes for alive, itself among them."""
        return sum(node["Alive"] for node in ray.nodes())


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with pytest.MonkeyPatch.context() as patch:
        # What the processes of nodes are asked for comes from the tests, too.
        folders = [str(Path(__file__).parent), str(SUPPORT), os.environ.get("PYTHONPATH", "")]
        patch.setenv("PYTHONPATH", os.pathsep.join(folders))
        there = Nodes()
        patch.setenv("RAY_ADDRESS", there.cluster.address)
        yield there
    ray.shutdown()
    there.cluster.shutdown()


@pytest.fixture
def two(nodes: Nodes) -> Nodes:
    """The cluster with two nodes, whatever a test before has done to it."""
    nodes.join(2 - len(nodes.there))
    return nodes


def played(
    agents: Any = AGENTS, n: int = 0, cluster: str | None = "ray", games: int = 20, **options: Any
) -> list[GameRecord]:
    records: list[GameRecord] = []
    report = options.pop("report", records.append)
    compete(Match(HEX, agents, games=games), workers=n, cluster=cluster, report=report, **options)
    return records


def test_games_decisions_and_standings_are_those_of_one_process(two: Nodes, tmp_path: Path) -> None:
    out, expected = tmp_path / "games.jsonl", content(played(n=1, cluster=None))
    assert content(played(out=out)) == expected
    lines = out.read_text().splitlines(keepends=True)
    assert len(lines) == 60
    out.write_text("".join(lines[5:20]))
    assert content(played(n=1, out=out, resume=True)) == expected

    def rest(**options: Any) -> list[Any]:
        decisions = inquire(Inquiry(find(HEX), AGENTS, positions=6), **options).decisions
        standing = benchmark("mcts:sims=2", "hex:board_size=2", **options)
        result = evaluate(AGENTS[0], HEX, ["random"], games=20, **options)
        return [[(d.index, d.agent, d.action) for d in decisions], standing.rating, result.pairings[0].wins]

    assert rest() == rest(workers=2, cluster="ray")


def test_a_node_dies_in_mid_match_and_another_joins(two: Nodes, tmp_path: Path) -> None:
    """Nothing that was finished is lost or played twice, and what comes out is what one process makes."""
    agents, out, records = ["mcts:sims=4000", "mcts:sims=2000"], tmp_path / "games.jsonl", []

    def report(record: GameRecord) -> None:
        records.append(record)
        if len(records) == 40:
            two.kill()
        if len(records) == 100:
            two.join(1)

    played(agents, games=400, out=out, report=report)
    assert content(records) == content(played(agents, 1, None, games=400))
    assert len(out.read_text().splitlines()) == 400
    assert two.alive() == 3


def where(item: float) -> tuple[str, int]:
    time.sleep(item)
    return ray.get_runtime_context().get_node_id(), os.getpid()


def ask_where() -> Callable[[float], tuple[str, int]]:
    return where


def test_every_node_works_as_long_as_it_is_there(two: Nodes) -> None:
    with Crew[float, tuple[str, int]](ask_where, 2, "ray") as members:
        first = {node for _, (node, _) in members.do([0.3] * 8)}
        assert len(first) == 2
        two.kill()
        two.settle()
        after = [node for _, (node, _) in members.do([0.3] * 8)]
        assert len(after) == 8 and len(set(after)) == 1 and set(after) < first
        two.join(1)
        two.settle()
        time.sleep(PAUSE)
        joined = {node for _, (node, _) in members.do([0.3] * 8)}
        assert len(joined) == 2 and joined != first


def test_without_a_node_the_run_ends(two: Nodes) -> None:
    with Crew[float, tuple[str, int]](ask_where, 2, "ray") as members:
        work = members.do([0.3] * 100)
        next(work)
        while two.there:
            two.kill()
        with pytest.raises(BoyiError, match="the cluster has no node left to work on"):
            list(work)


def test_self_play_goes_on_without_a_node(two: Nodes) -> None:
    """The games that are ordered are those that would be played here, one order after the other."""
    values: dict[str, Any] = {"network": "mlp", "choices": {"hidden": [8]}, "envs": 20, "sims": 50, "workers": 2}
    model = AlphaZero("hex:board_size=5", precision="float32", learning_starts=10**6, cluster="ray", **values)
    window, ends = model.windows[0], [0]
    try:
        for number in range(12):
            model.round()
            ends.append(window.total)
            if number == 3:
                two.kill()
    finally:
        model.close()
    player = Player(model.games, model.encoder, model.net.choices, model.values)
    played = {player(model._order(number)).samples.tobytes() for number in range(1, 15)}
    found = {window.samples[first:end].tobytes() for first, end in pairwise(ends)}
    assert len(found) == 12 and found < played


def test_processes_die(two: Nodes, tmp_path: Path) -> None:
    expected = content(played([Doomed(str(tmp_path / "x"), 1), "random"], 1, None))
    assert content(played([Doomed(str(tmp_path / "mark"), 2), "random"])) == expected
    assert (tmp_path / "mark1").exists()
    with pytest.raises(BoyiError, match="3 processes have died one after the other, killed or out of memory"):
        played([Doomed(str(tmp_path / "again"), 99), "random"])


class Absent:
    """Comes from a module that the node does not have."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, ("absent",)


def test_what_fails_on_a_node_is_a_sentence(two: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BoyiError, match=r"^liar: ValueError: no more$"):
        played([Liar(), "random"])
    with pytest.raises(BoyiError, match=r"this cannot be sent to other processes: .*lambda"):
        played([lambda observation, mask: int(mask.argmax()), "random"])
    with monkeypatch.context() as patch:
        patch.setattr(crew, "__version__", "9.9")
        with pytest.raises(BoyiError, match=r" has boyi [\d.]+, and is asked for what 9\.9 does"):
            played()
    with (
        pytest.raises(BoyiError, match=r"a node cannot do what it is asked: .*No module named 'absent'"),
        Crew[Any, Any](ask_where, 1, "ray") as members,
    ):
        list(members.do([Absent()]))


def test_clusters_that_are_not_there(two: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BoyiError, match="cluster must be ray, not 'dask'"):
        played(cluster="dask")
    with pytest.raises(BoyiError, match="workers must be at most 2, the cores of the cluster, not 3"):
        played(n=3)
    with pytest.raises(BoyiError, match="workers must be a whole number from 0"):
        played(n=-1)
    assert check_workers(0, "ray") == 2 and check_workers(1, "ray") == 1


ARENA = [sys.executable, "-m", "boyi.baselines.command.main", "arena", HEX, "mcts:sims=3000", "mcts:sims=2000"]
ARENA += ["--cluster", "ray", "--workers", "0"]


@pytest.mark.parametrize(
    ("address", "where"), [("127.0.0.1:9", "at 127.0.0.1:9"), ("nonsense:port", "at nonsense:port")]
)
def test_a_head_that_does_not_answer(address: str, where: str) -> None:
    env = {**os.environ, "RAY_ADDRESS": address}
    told = subprocess.run(ARENA, env=env, capture_output=True, text=True, timeout=60)
    assert told.returncode == 2
    assert told.stderr == (
        f"boyi: there is no Ray cluster {where} that answers: start one with ray start --head, or name its head in "
        "RAY_ADDRESS; one that asks for a token wants RAY_AUTH_MODE=token, too\n"
    )


def test_without_ray_the_extra_is_named() -> None:
    code = "import sys; sys.modules['ray'] = None; from boyi.baselines.command.main import main; sys.exit(main())"
    told = subprocess.run([sys.executable, "-c", code, *ARENA[3:]], capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stderr) == (2, 'boyi: a cluster needs ray: pip install "boyi[ray]"\n')


def test_ctrl_c_leaves_a_file_to_go_on_with_and_no_process(two: Nodes, tmp_path: Path) -> None:
    interrupt([*ARENA, "--games", "4000"], tmp_path / "games.jsonl")
    until = time.monotonic() + 60
    while b"ray::PoolActor" in subprocess.run(["ps", "-eo", "args"], capture_output=True).stdout:
        assert time.monotonic() < until
        time.sleep(0.1)
