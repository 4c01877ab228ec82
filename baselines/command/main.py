"""The command ``boyi``: its commands, of which those with much to say have files of their own.

What needs Numba is imported inside the commands, so that help and version appear at once. A
`BoyiError` is one sentence on stderr and exit code 2, what the system refuses the same and exit code 1; Ctrl-C is exit
code 130, a closed pipe is silent.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ...envs.engine.errors import BoyiError
from ...envs.engine.errors import chosen as chosen_word
from ...envs.engine.spec import Game, Param, find, games
from ...envs.engine.syntax import read_value
from ...envs.engine.version import __version__
from ..arena.options import Cluster, Workers
from ..arena.printing import complain, fit_outputs, show, text_table
from .progress import progress

if TYPE_CHECKING:
    from ...envs.records.game_record import GameRecord
    from ..agent import Agent
    from ..arena.decisions import Decision

UNREAD = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""Settings of commands whose options `_delegate` reads."""
PARAMETER = ("game", "parameter", "default", "allowed", "meaning")


class Commands(TyperGroup):
    """The commands, with this package's errors turned into sentences and exit codes."""

    def main(self, *args: Any, **options: Any) -> Any:
        fit_outputs()
        return super().main(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BoyiError as error:
            complain(f"boyi: {error}")
            raise typer.Exit(2) from None
        except MemoryError as error:
            complain(f"boyi: not enough memory: {error}")
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            # Recent versions of Typer would do the same; earlier ones end with 1.
            raise typer.Exit(130) from None
        except OSError as error:
            # Python flushes once more on its way out, which must not fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not isinstance(error, BrokenPipeError):
                complain(f"boyi: {error.filename or 'the output'}: {error.strerror or error}")
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GameName = Annotated[str, typer.Argument(help="A game: hex, hex:board_size=5,swap=true.", show_default=False)]
BoardSize = Annotated[str | None, typer.Option(help="The game's board_size.", metavar="N", show_default=False)]

Clock = Annotated[
    float | None, typer.Option(help="Seconds a seat has for a game: it loses when they are used up.", metavar="SECONDS")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"boyi {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
]


@app.callback()
def boyi(version: Version = False) -> None:
    """Board and tile games: compiled rules, reference agents, fair comparisons."""


def _choose(game: str, board_size: str | None) -> Game:
    """Find a game by its string and the shortcut for its board size, which the game checks."""
    if board_size is None:
        return find(game)
    return find(game, board_size=read_value(board_size))


@app.command()
def arena(
    game: GameName,
    agents: Annotated[list[str], typer.Argument(help="Two agents or more: mcts:sims=1000 random.", show_default=False)],
    number: Annotated[int, typer.Option("--games", help="Games in every pairing, an even number.")] = 20,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Same seed, same games. If none is given, it is drawn where chance takes part, else 0.",
            show_default=False,
        ),
    ] = None,
    opening: Annotated[int, typer.Option(help="Actions drawn before anybody decides.", metavar="N")] = 0,
    openings: Annotated[
        str, typer.Option(help="random, or even: only those a judge considers even.", metavar="random|even")
    ] = "random",
    judge: Annotated[
        str | None, typer.Option(help="Who judges openings; else a search of the game's own.", metavar="AGENT")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="The most a judge may expect of an even opening; else 0.2.")
    ] = None,
    fresh_chance: Annotated[
        bool,
        typer.Option("--fresh-chance", help="Share no dice or tiles between games, for agents that might remember."),
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Append a JSON line for every game as it ends.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    minutes: Annotated[float | None, typer.Option(help="Stop after this long, and sum up what was played.")] = None,
    less_luck: Annotated[
        bool, typer.Option("--less-luck", help="Mahjong: also sum up the points less the luck of draws.")
    ] = False,
    clock: Clock = None,
    workers: Workers = 1,
    cluster: Cluster = None,
    board_size: BoardSize = None,
) -> None:
    """Play agents against each other: every two of them, every seed from both sides."""
    from ..arena.matches import Match, compete, whole_seeds
    from ..arena.openings import MARGIN, Openings
    from ..arena.running import RunningScore

    _check_resume(resume, out)
    chosen = _choose(game, board_size)
    if seed is None and not (chosen.spec.dice or chosen.spec.hidden):
        seed = 0
    even = chosen_word("openings", openings, ("random", "even")) == "even"
    if not even and (judge is not None or margin is not None):
        raise BoyiError("--judge and --margin are for --openings even")
    drawn = Openings(chosen, opening, even=even, judge=judge, margin=MARGIN if margin is None else margin)
    match = Match(chosen, agents, games=number, seed=seed, clock=clock, opening=drawn, fresh_chance=fresh_chance)
    if less_luck and not (chosen.spec.hidden and match.together):
        raise BoyiError("--less-luck is for mahjong, and for four agents at one table")
    running = RunningScore()
    records: list[GameRecord] = []
    with _stoppable(str(match.game), match.total, "games", out) as advance:

        def report(record: GameRecord) -> None:
            records.append(record)
            advance(*running.add(record))

        result = compete(match, out, resume=resume, minutes=minutes, workers=workers, cluster=cluster, report=report)
    show(result)
    if less_luck:
        from ..mahjong.luck import less_luck as without

        show("Less the luck of draws:", match.result(without(whole_seeds(match, records))))


@app.command()
def decide(
    game: GameName,
    agents: Annotated[list[str], typer.Argument(help="Agents to ask: mcts:sims=1000.", show_default=False)],
    positions: Annotated[int, typer.Option(help="Positions, each of another game.", min=1)] = 100,
    player: Annotated[str, typer.Option(help="Who plays these games.")] = "random",
    when: Annotated[list[str] | None, typer.Option(help="Only positions with field=value: left=2,2.")] = None,
    judge: Annotated[str | None, typer.Option(help="exact: what does each decision lose?", show_default=False)] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same positions.", min=0)] = 0,
    out: Annotated[Path | None, typer.Option(help="Append a JSON line for every decision.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    workers: Workers = 1,
    cluster: Cluster = None,
    board_size: BoardSize = None,
) -> None:
    """Ask agents about positions of others' games: how long they take and, according to a judge, what it costs."""
    from ..arena.decisions import Inquiry, inquire

    _check_resume(resume, out)
    inquiry = Inquiry(
        _choose(game, board_size), agents, positions=positions, player=player, conditions=when or (), judge=judge,
        seed=seed,
    )  # fmt: skip
    total = positions * len(agents)
    with _stoppable(str(inquiry.game), total, "decisions", out) as advance:

        def report(decision: Decision) -> None:
            advance(decision.agent)

        answers = inquire(inquiry, out, resume=resume, workers=workers, cluster=cluster, report=report)
    show(answers)


def _check_resume(resume: bool, out: Path | None) -> None:
    """Raise `BoyiError` where a run is to be resumed but no file holds it."""
    if resume and out is None:
        raise BoyiError("--resume needs --out FILE, the file of the run to go on with")


@app.command()
def benchmark(
    game: GameName,
    agent: Annotated[str, typer.Argument(help="The agent to measure: mcts:sims=1000, module:attribute.")],
    out: Annotated[Path | None, typer.Option(help="Write FILE.json, and its games to FILE.jsonl beside it.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    compare: Annotated[Path | None, typer.Option(help="Set the result beside this one.", metavar="FILE.json")] = None,
    workers: Workers = 1,
    cluster: Cluster = None,
    board_size: BoardSize = None,
) -> None:
    """Measure an agent on the game's ladder: a rating among opponents that never change."""
    from ..arena.ladder import benchmark as measure
    from ..arena.ladder import compare as set_beside
    from ..arena.ladder import games_file, read_standing
    from ..arena.ladders import find_ladder

    _check_resume(resume, out)
    chosen = _choose(game, board_size)
    published = None if compare is None else read_standing(compare, chosen)
    total, lines = find_ladder(chosen).total, None if out is None else games_file(out)
    with _stoppable(str(chosen), total, "games", lines) as advance:

        def report(record: GameRecord) -> None:
            advance(" - ".join(dict.fromkeys(record.seats)))

        standing = measure(agent, chosen, out=out, resume=resume, workers=workers, cluster=cluster, report=report)
    show(standing, *() if published is None else ("", set_beside(standing, published)))


@contextmanager
def _stoppable(title: str, total: int, unit: str, out: Path | None) -> Iterator[Callable[..., None]]:
    """Count and show what is done, by whom and with what result; on Ctrl-C say where a run stopped and how it goes on.

    Ctrl-C may come between a line and its report: what can be resumed is what the file holds.
    """
    done = 0

    def advance(who: str, figures: str = "") -> None:
        nonlocal done
        done += 1
        tell(done, who, figures)

    try:
        with progress(title, total, unit, lines=True) as tell:
            yield advance
    except KeyboardInterrupt:
        if out is not None:
            done = out.read_bytes().count(b"\n") if out.exists() else 0
        words = [*sys.argv[1:], *["--resume"] * ("--resume" not in sys.argv)]
        how = f"go on with: boyi {shlex.join(words)}" if out is not None else "without --out FILE nothing was kept"
        complain(f"boyi: stopped after {done} of {total} {unit}; {how}")
        raise


@app.command()
def play(
    game: Annotated[str | None, typer.Argument(help="A game: hex, hex:board_size=5.", show_default=False)] = None,
    seat: Annotated[str, typer.Option(help="Your seat: a number, random, or none to watch.")] = "0",
    opponent: Annotated[list[str] | None, typer.Option(help="For all other seats, or one for each; else mcts.")] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same chance.", show_default=False)] = None,
    save: Annotated[Path | None, typer.Option(help="Append the game to a file.")] = None,
    record: Annotated[Path | None, typer.Option(help="Step through a game of this file instead of playing.")] = None,
    game_number: Annotated[int, typer.Option(help="Which game of --record.")] = 1,
    clock: Clock = None,
    board_size: BoardSize = None,
) -> None:
    """Play a game on the terminal, or step through a recorded one."""
    from .play import show_record, sit_down

    chosen = None if game is None else _choose(game, board_size)
    if record is not None:
        show_record(record, game_number, chosen)
    elif chosen is not None:
        sit_down(chosen, seat, opponent or ["mcts"], seed, save, clock)
    else:
        raise BoyiError("play takes a game, as in 'boyi play hex', or --record FILE")


@app.command()
def engine(
    game: GameName,
    agent: Annotated[str, typer.Argument(help="The agent that plays: mcts:sims=5000.", show_default=False)],
    protocol: Annotated[
        str | None, typer.Option(help="gtp, gomocup or jsonl; else what the game's programs speak.", show_default=False)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same decisions.", min=0, show_default=False)] = None,
    board_size: BoardSize = None,
) -> None:
    """Be a program that other programs play against, over standard input and output."""
    from ..engines.doors import open_door

    chosen = _choose(game, board_size)

    def make() -> Agent:
        from ..agents import make_agent

        return make_agent(agent, chosen)

    open_door(chosen, agent, make, protocol, seed)


@app.command("games")
def list_games() -> None:
    """List the games with their parameters, encoders and agents."""
    from ..agents import agents_for
    from ..learning.shipped import shipped_weights

    chosen = [find(name) for name in games()]
    facts = text_table("game", "ids", "seats", "actions", "longest", "chance", "hidden", left=("game", "ids"))
    params = text_table(*PARAMETER, left=PARAMETER)
    encoders = text_table("game", "encoder", "shape", left=("game", "encoder", "shape"))
    playing = text_table("game", "agents", left=("game", "agents"))
    for game in chosen:
        spec = game.spec
        ids = f"boyi/{spec.title}-v{spec.version} boyi/{spec.name}-v{spec.version}"
        sizes = map(str, (game.seats, game.actions, game.longest, game.chance_outcomes or "-"))
        facts.add_row(game.name, ids, *sizes, "yes" if spec.hidden else "no")
        for name, param in spec.params.items():
            params.add_row(game.name, name, str(param.default), _allowed(param), param.doc)
        for name in spec.encoders:
            encoders.add_row(game.name, name, "x".join(map(str, game.shape(name))))
        playing.add_row(game.name, ", ".join(agents_for(game)))
    notes = (
        "Sizes, and who plays, are those of the default parameters; dqn and ddqn play any game that a run has learned,",
        "gtp (hex), gomocup (gomoku) and jsonl (any game) what the program that they run plays.",
        "What agents may be told: boyi agents",
    )
    weights = text_table("weights", "learned", "score at the end of its run", left=("weights", "learned"))
    for agent in ("az", "dqn", "ddqn"):
        for name in shipped_weights(agent):
            weights.add_row(f"{agent}:{name}", *_learned(agent, name))
    show(facts, "", params, "", encoders, "", playing, "", weights, "", *notes)


def _learned(agent: str, name: str) -> tuple[str, str]:
    """Say what weights have learned and how well they played then, or why they cannot be read."""
    from ..learning.alphazero_agent import read_network
    from ..learning.model_agent import read_model

    try:
        if agent != "az":
            card = read_model(name, agent)[0]
            return card.game, card.made["ladder"]
        learned = read_network(name).card
    except BoyiError as error:
        return str(error), ""
    return ", ".join(learned.games), learned.made["ladder"]


@app.command()
def agents() -> None:
    """List the agents with their parameters."""
    from ..agents import AGENTS

    table = text_table("agent", *PARAMETER[1:], left=("agent", *PARAMETER))
    for name, agent in AGENTS.items():
        table.add_row(name, "", "", "", (agent.__doc__ or "").splitlines()[0])
        for key, param in agent.params.items():
            table.add_row("", key, str(param.default), _allowed(param), param.doc)
    table.add_row("module:attribute", "", "", "", "your own: an Agent, or a function (observation, mask) -> action.")
    show(table)


def _allowed(param: Param) -> str:
    if isinstance(param.default, bool):
        return "true, false"
    if isinstance(param.default, str):
        return ", ".join(param.choices) or "text"
    return ", ".join((f"{param.low:,} to {param.high:,}", *param.choices))


@app.command()
def perft(
    game: GameName,
    depth: Annotated[int, typer.Option(help="The longest sequences to count.")] = 3,
    board_size: BoardSize = None,
) -> None:
    """Count the sequences of actions from the start, by their length."""
    from .perft import perft as count

    chosen = _choose(game, board_size)
    counted = count(chosen, depth)
    # A count runs inside one kernel, where Python would not see Ctrl-C before its end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    print(f"{chosen}\ndepth  sequences  seconds")
    for actions, sequences, seconds in counted:
        print(f"{actions:>5}  {sequences:>9}  {seconds:7.3f}", flush=True)


@app.command("compile")
def compile_kernels(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Games; default: all.")] = None,
    board_size: BoardSize = None,
    all_sizes: Annotated[
        bool, typer.Option("--all-sizes", help="Every board size that a game has: some seconds each.")
    ] = False,
) -> None:
    """Compile and cache the kernels of games, so that later processes start warm. Each size is compiled separately."""
    if all_sizes and board_size is not None:
        raise BoyiError("--all-sizes and --board-size do not go together")
    chosen = [_choose(name, board_size) for name in names or games()]
    from .warmup import sizes_of, warm_up

    if all_sizes:
        chosen = [size for game in chosen for size in sizes_of(game)]
    for game in chosen:
        print(f"{game}: {warm_up(game):.1f} s", flush=True)


@app.command(context_settings=UNREAD)
def speed(ctx: typer.Context) -> None:
    """Measure this package beside its peers."""
    _delegate(ctx, "speed")


@app.command(context_settings=UNREAD)
def train(ctx: typer.Context) -> None:
    """Train DQN, Double DQN or AlphaZero from a config, in a run that survives being killed."""
    _delegate(ctx, "train")


@app.command(context_settings=UNREAD)
def web(ctx: typer.Context) -> None:
    """Play in the browser: a page for this machine alone, until Ctrl-C."""
    _delegate(ctx, "web")


@app.command(context_settings=UNREAD)
def export(ctx: typer.Context) -> None:
    """Write what a run has learned as a small file with a card."""
    _delegate(ctx, "export")


@app.command(context_settings=UNREAD)
def reproduce(ctx: typer.Context) -> None:
    """Train and measure a published system again, and write a page about it."""
    _delegate(ctx, "reproduce")


@app.command(context_settings=UNREAD)
def check(ctx: typer.Context) -> None:
    """Check what a game owes the engine, on random games."""
    _delegate(ctx, "check")


@app.command(context_settings=UNREAD)
def mutants(ctx: typer.Context) -> None:
    """Find out which test of a game notices which one-line bug."""
    _delegate(ctx, "mutants")


def _delegate(ctx: typer.Context, name: str) -> None:
    """Run function `name` of module `name` as the command: before that, its options are neither known nor paid for."""
    function = getattr(import_module(f".{name}", __package__), name)
    single = typer.Typer(add_completion=False)
    single.command()(function)
    command = typer.main.get_command(single)
    with command.make_context(ctx.command_path, list(ctx.args)) as inner:
        command.invoke(inner)


def main() -> None:
    """Run the command; agents of one's own, ``module:attribute``, are also looked for in the current folder."""
    sys.path.append("")
    app()


if __name__ == "__main__":
    main()
