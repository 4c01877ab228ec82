"""What goes on at a table while a page is open at it: messages come and go, agents think, the table is kept on disk.

A room is used by one event loop. What may take long, namely setting up a table and asking an agent, happens in threads
that end with the process; their results are dropped where the table has become another one meanwhile.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ...envs.engine.errors import BoyiError
from ...envs.engine.facts import facts
from ...envs.engine.machine import usable_cores
from ...envs.engine.schema import Form, Whole, fit, parse_json
from ...envs.records.files import replace_file
from ...envs.records.game_record import read_line
from ..agent import Agent, blame
from ..agents import make_agent
from ..arena.sitting import Answer
from ..trust import untrusted
from .analysis import Pulse, places, valued, view_of, weighed
from .scene import Scene
from .story import Replay, Story
from .table import LONGEST, Setup, Table, branch, load, written

NAME = re.compile(r"[0-9a-f]{16}")
"""What a table is called: pages draw the names of their tables."""
T = TypeVar("T")
Send = Callable[[dict[str, Any]], None]
SLOWEST = 10.0  # the most seconds between two moves that are watched
GRACE = 0.05  # seconds from when a clock has run down until it is looked at

_thinking = threading.BoundedSemaphore(usable_cores() + 1)
"""Lets as many agents think at once as there are cores, and one more that may be waiting for something."""


class Ask(Form, frozen=True, kw_only=True):
    """A message of a page: what it wants, and what that needs."""

    type: str
    setup: Setup | None = None
    action: Whole = 0
    ply: Whole = 0
    agent: str = ""
    line: str = ""
    to: str = ""
    paused: bool = False
    delay: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.delay <= SLOWEST or len(self.agent) > LONGEST:
            raise ValueError(
                f"a delay is 0 to {SLOWEST:g} seconds, and an agent's string has {LONGEST} letters at most"
            )


class Room:
    """A table, the file that keeps it, and the page that is open at it, to which `send` sends.

    `trust` is a context in which agents are made: by default one in which they start no program. `forget` is called
    when there is neither a page nor anything to do.
    """

    def __init__(
        self,
        path: Path,
        trust: Callable[[], AbstractContextManager[None]] | None = None,
        forget: Callable[[], object] = lambda: None,
    ) -> None:
        self.path, self.trust, self.forget = path, trust or (lambda: untrusted("this table")), forget
        self.table: Story | None = None
        self.send: Send | None = None
        self.busy = asyncio.Lock()
        self.asked = False
        """Whether an agent's answer is awaited."""
        self.hurry = threading.Event()
        """The event that is set when that agent should answer at once."""
        self.failed = ""
        """Why an agent has not answered."""
        self.studied: object | None = None
        """The object that stands for the analysis under way; any other analysis ends."""
        self.unsaved: bytes | None = None
        """The content that is meant for the file but may not be in it yet."""
        self.writing = threading.Lock()
        """Held by the thread that writes the file."""
        self.paused, self.delay = False, 0.5
        self.timer: asyncio.TimerHandle | None = None

    async def enter(self, send: Send) -> None:
        """Let a page in, in place of the one that was there, and show it the table if there is one."""
        if self.send is not None:
            self.send({"type": "taken"})
        self.send = send
        if self.table is None and self.path.exists():
            try:
                self.table = await in_thread(self._load)
            except BoyiError as error:
                self.tell(error)
        if self.table is None:
            send({"type": "empty"})
        else:
            self.show()
            self.go_on()

    def _load(self) -> Story:
        with self.trust():
            return load(self.path)

    def stage(self, scene: Scene) -> None:
        """Show a position of a game that somebody else steps."""
        self.table, self.studied = scene, None
        if self.send is not None:
            self.show()

    def leave(self, send: Send) -> None:
        """Note that a page has gone: nobody else is asked until one comes back."""
        if self.send is send:
            self.send = self.studied = None
            self._clock(None)
            self._rest()

    def _rest(self) -> None:
        if self.send is None and not self.asked and self.unsaved is None:
            self.forget()

    async def hear(self, content: str) -> None:
        """Do what a page asks for, or tell it in a sentence why not."""
        try:
            ask = fit(parse_json(content, "the message"), Ask, "the message")
            async with self.busy:
                await self._do(ask)
        except BoyiError as error:
            self.tell(error)
        except Exception as error:  # a defect of ours costs nobody the game
            self.tell(BoyiError(f"{type(error).__name__}: {error}"))

    async def _do(self, ask: Ask) -> None:
        table = self.table
        if ask.type == "setup":
            if ask.setup is None:
                raise BoyiError("a setup says what is to be played")
            await self._become(lambda: Table(ask.setup))  # type: ignore[arg-type]
            return
        if ask.type == "open":
            await self._become(lambda: Replay(read_line(ask.line.encode(), "the game")))
            return
        if table is None:
            raise BoyiError("there is no game at this table yet")
        match ask.type:
            case "look":
                picture, diagram = table.look(ask.ply)
                self._send({"type": "look", "ply": ask.ply, "svg": picture, "diagram": diagram})
            case "save":
                self._send({"type": "record", "line": table.record().line()})
            case "branch":
                self._branch(table, ask)
            case "analyse":
                self._start(self._analyse(table, ask))
            case "curve":
                self._start(self._curve(table, ask))
            case "rest":
                self.studied = None
            case _ if not isinstance(table, Table):
                raise BoyiError("nobody plays in a recorded game: try out how it might go on from a position of it")
            case "play":
                table.check_clock()
                if table.sitting.to_move >= 0:
                    table.play(ask.action, ask.ply)
                self._changed()
            case "back":
                await self._become(lambda: table.back_to(ask.ply))
            case "resign":
                table.resign()
                self._changed()
            case "hint":
                self._start(self._hint(table, ask))
            case "watch":
                self.paused, self.delay = ask.paused, ask.delay
                self.show()
                self.go_on()
            case "step":
                self._ask_agent()
            case "hurry":
                self.hurry.set()
            case "again":
                self.failed = ""
                self.show()
                self.go_on()
            case _:
                raise BoyiError(f"no message is called {ask.type[:80]!r}")

    def _branch(self, story: Story, ask: Ask) -> None:
        """Set up a table for another page, at which persons try out how the game might go on."""
        if NAME.fullmatch(ask.to) is None or (path := self.path.with_name(f"{ask.to}.json")).exists():
            raise BoyiError("a branch needs a table of its own")
        replace_file(path, msgspec.json.encode(branch(story, ask.ply)))
        self._send({"type": "branched", "to": ask.to})

    async def _become(self, make: Callable[[], Story]) -> None:
        """Put another table in place of this one."""

        def made() -> Story:
            with self.trust():
                return make()

        table = await in_thread(made)
        before, thinking = self.table, self.asked
        self.table, self.asked, self.failed, self.studied = table, False, "", None
        if before is not None and not thinking:  # else the task that waits for its agent closes it
            before.close()
        self._changed()

    def _changed(self) -> None:
        """Show and keep the table, and let the next player go on."""
        self.show()
        assert self.table is not None
        before, self.unsaved = self.unsaved, written(self.table)
        if before is None:
            self._start(self._save())
        self.go_on()

    async def _save(self) -> None:
        """Write what is not in the file yet, which takes a while, and again until nothing newer has come."""
        while (content := self.unsaved) is not None:
            try:
                await in_thread(self._write)
            except BoyiError as error:
                self.tell(error)
            if self.unsaved is content:
                self.unsaved = None
        self._rest()

    def _write(self) -> None:
        """Write what is not in the file yet; a thread that comes after `close` finds nothing to write."""
        with self.writing:
            if self.unsaved is not None:
                replace_file(self.path, self.unsaved)

    def close(self) -> None:
        """Write what is not in the file yet, and close the agents: the server is ending."""
        with self.writing:
            content, self.unsaved = self.unsaved, None
            if content is not None:
                replace_file(self.path, content)
        if self.table is not None:
            self.table.close()

    def show(self) -> None:
        """Send the page all that it shows."""
        if self.table is not None:
            watched = {"paused": self.paused, "delay": self.delay, "thinking": self.table.agents_turn}
            self._send({**self.table.message(), **watched, "failed": self.failed})

    def tell(self, error: BoyiError) -> None:
        """Send the page a sentence."""
        self._send({"type": "error", "text": str(error)})

    def _send(self, message: dict[str, Any]) -> None:
        if self.send is not None:
            self.send(message)

    # Agents and clocks

    def go_on(self) -> None:
        """Ask the agent to move, after a moment where only agents play, or watch the clock of the person to move."""
        table = self.table
        self._clock(None)
        if table is None or self.send is None or self.failed:
            return
        left = table.check_clock()
        if left is not None:
            self._clock(left)
        if isinstance(table, Table) and table.agents_turn and table.sitting.persons:
            self._ask_agent()
        elif table.agents_turn and not self.paused and not self.asked:
            self.timer = asyncio.get_running_loop().call_later(self.delay, self._ask_agent)

    def _clock(self, left: float | None) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.timer = None if left is None else asyncio.get_running_loop().call_later(left + GRACE, self._flag)

    def _flag(self) -> None:
        if self.table is not None and self.table.check_clock() is None:
            self._changed()

    def _ask_agent(self) -> None:
        """Ask the agent to move, unless it has been asked already."""
        table = self.table
        if not isinstance(table, Table) or not table.agents_turn or self.asked:
            return
        self.asked, self.hurry = True, threading.Event()
        ask = partial(_ask, table, self.hurry)

        async def wait() -> None:
            try:
                answer: Answer | BoyiError = await in_thread(ask)
            except BoyiError as error:
                answer = error
            if self.table is not table:
                table.close()
            else:
                self.asked = False
                if table.agents_turn:  # nobody has resigned meanwhile
                    self._answered(table, answer)
            self._rest()

        self._start(wait())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start work that goes on alongside what a page asks for next."""
        task = asyncio.get_running_loop().create_task(work)
        _running.add(task)
        task.add_done_callback(_running.discard)

    def _answered(self, table: Table, answer: Answer | BoyiError) -> None:
        before = table.states[-1]
        try:
            if isinstance(answer, BoyiError):
                raise answer
            table.take(answer)
        except BoyiError as error:
            self.failed = str(error)
            self.show()
            return
        # How often others are asked must not be told where only they know what they are asked.
        if table.closed and not table.persons_turn and table.picture(before) == table.picture(table.states[-1]):
            self.go_on()
            return
        self._changed()

    async def _hint(self, table: Table, ask: Ask) -> None:
        """Ask an agent, by default the strongest one, what it would do in place of the person to move."""
        self.studied = study = object()

        def think() -> int:
            agent = self._made(ask.agent, table)
            with _thinking, blame(agent):
                return int(view.answered(agent.act(view))[0])

        with self._told_of(study):
            if not table.persons_turn:
                raise BoyiError("there is nothing to decide")
            ply, state, view = len(table.known()), table.states[-1], table.sitting.batch.view()
            action = await in_thread(think)
            name = table.game.module("text").name(state, action)
            self._send({"type": "hint", "ply": ply, "action": action, "name": name})

    # Analysis

    def _made(self, text: str, story: Story) -> Agent:
        """Make an agent from its string, the strongest one where that is empty."""
        with self.trust():
            return make_agent(text or facts(story.game).opponents[0], story.game)

    async def _analyse(self, story: Story, ask: Ask) -> None:
        """Tell how an agent evaluates a position, better and better, until something else is asked for."""
        self.studied = study = Pulse()
        loop = asyncio.get_running_loop()

        def say(told: dict[str, Any]) -> None:
            if self.studied is study:
                self._send(told)
            else:
                study.set()

        def think() -> dict[str, Any]:
            agent = self._made(ask.agent, story)
            with _thinking:
                return weighed(story, ask.ply, view, found, agent, lambda told: loop.call_soon_threadsafe(say, told))

        with self._told_of(study):
            view = view_of(story, ask.ply)._replace(hurry=study)
            found = places(story, ask.ply, view)
            say(await in_thread(think))

    async def _curve(self, story: Story, ask: Ask) -> None:
        """Tell what an agent holds every position of a game to be worth, one after the other."""
        self.studied = study = object()

        def think(ply: int) -> float | None:
            with _thinking:
                return valued(story, ply, agent)

        with self._told_of(study):
            if story.closed:
                raise BoyiError("a curve needs a game with nothing hidden, or one that is over")
            agent = await in_thread(lambda: self._made(ask.agent, story))
            for ply in range(len(story.known()) + 1):
                value = await in_thread(partial(think, ply))
                if self.studied is not study:
                    return
                self._send({"type": "curve", "ply": ply, "value": value})

    @contextmanager
    def _told_of(self, study: object) -> Iterator[None]:
        """Tell the page what goes wrong, unless it is no longer waiting for that."""
        try:
            yield
        except BoyiError as error:
            if self.studied is study:
                self.tell(error)


_running: set[asyncio.Task[None]] = set()
"""Tasks at work, which a loop does not keep alive by itself."""


def _ask(table: Table, hurry: threading.Event) -> Answer:
    with _thinking:
        return table.sitting.ask(hurry)


async def in_thread(work: Callable[[], T]) -> T:
    """Do work in a thread that does not keep the process from ending; return or raise what the work does."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(result: Any, error: BaseException | None) -> None:
        if not done.cancelled():
            done.set_exception(error) if error is not None else done.set_result(result)

    def run() -> None:
        try:
            result, error = work(), None
        except BoyiError as refusal:
            result, error = None, refusal
        except BaseException as fault:  # of an agent: nothing that it does ends the server
            result, error = None, BoyiError(f"{type(fault).__name__}: {fault}")
        # Where the loop is closed, nobody is waiting.
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, result, error)

    threading.Thread(target=run, daemon=True).start()
    return await done
