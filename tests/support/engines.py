"""Programs behind pipes, good and bad: ``python -S -E engines.py PROTOCOL MODE AFTER PIDS``.

Each takes the first free point or legal action. When it is asked for its decision number AFTER it does what its MODE
says; PIDS, where given, is a file to which it appends its process number and those of its children.
"""

import json
import os
import select
import shlex
import signal
import sys
import time

FOREVER = 600  # seconds: far longer than any test waits
SOON = 300.0  # seconds: what ends at all ends within them, however busy the machine is
ENGINE = [sys.executable, "-m", "boyi.baselines.command.main", "engine"]
"""The command that makes an agent of ours such a program."""

ILLEGAL = {
    "gtp": {
        "occupied": "= a1\n\n", "outside": "= z26\n\n", "empty": "=\n\n", "resign": "= resign\n\n",
        "refused": "? out of order\n\n", "garbage": "a1\n\n", "binary": b"\xff\xfe\x00\xc3\n\n",
        "digits": f"= a{'1' * 5000}\n\n",
    },
    "gomocup": {
        "occupied": "0,0\n", "outside": "5,5\n", "empty": "\n" * 3, "resign": "resign\n", "refused": "ERROR no\n",
        "garbage": "a1\n", "binary": b"\xff\xfe\x00\xc3\n", "digits": f"{'1' * 5000},1\n", "unknown": "UNKNOWN\n",
        "negative": "-1,0\n", "word": "OK\n",
    },
    "jsonl": {
        "occupied": '{"action": "a1"}\n', "outside": '{"action": "z26"}\n', "empty": '{"action": ""}\n',
        "resign": '{"action": "resign"}\n', "refused": '{"error": "no"}\n', "garbage": "a1\n",
        "binary": b"\xff\xfe\x00\xc3\n", "digits": f'{{"action": "a{"1" * 5000}"}}\n', "blank": "\n",
        "number": '{"action": 3}\n', "list": "[1]\n", "long": f"{'1' * 5000}\n", "nested": "[" * 60000 + "\n",
        "escaped": '{"action": "\\ud800"}\n', "missing": "{}\n",
    },
}  # fmt: skip
"""What a program says that is not a legal answer where the first point is taken, on 3x3 in Hex and 5x5 in Gomoku."""
CAPITALS = {"gtp": "= A2\n\n", "jsonl": '{"action": "A2"}\n'}

FAREWELLS = ("quit", "END")
INFO = ("timeout_turn", "timeout_match", "max_memory", "time_left", "game_type", "rule", "evaluate", "folder")
"""All that the Gomocup protocol says of a game."""
FLAG = 0.02  # seconds that a program goes on thinking it thinks
HABIT = 0.8  # seconds that a program thinks unless it is told otherwise


def command(protocol: str, mode: str = "good", after: int = 1, pids: object = "none") -> str:
    """Write the command line that runs such a program; it starts fast, as it needs no library."""
    return shlex.join([sys.executable, "-S", "-E", __file__, protocol, mode, str(after), str(pids)])


def runs(pid: int) -> bool:
    """Whether a process runs; one that waits for somebody to take note of its end does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def left_over(pids: object) -> list[int]:
    """List the processes of a file that do not end."""
    until = time.monotonic() + SOON
    with open(str(pids)) as file:
        written = [int(line) for line in file]
    assert written
    while any(map(runs, written)) and time.monotonic() < until:
        time.sleep(0.01)
    return [pid for pid in written if runs(pid)]


def write(text: str | bytes) -> None:
    os.write(1, text.encode() if isinstance(text, str) else text)


EVERY = ("complaints", "habit")
"""Modes of programs that do something every time."""


class Program:
    def __init__(self, protocol: str, mode: str, after: int, pids: str) -> None:
        self.protocol, self.mode, self.after, self.pids = protocol, mode, after, pids
        self.asked = 0
        self.size, self.taken, self.habit = 0, set[tuple[int, int]](), HABIT
        if mode == "once":
            self.mode = "good" if os.path.exists(pids) else "exit"
        self.note(os.getpid())

    def note(self, pid: int) -> None:
        if self.pids != "none":
            with open(self.pids, "a") as file:
                file.write(f"{pid}\n")

    def run(self) -> None:
        if self.mode == "dead":
            sys.exit("cannot find the book")
        if self.mode == "silent":
            time.sleep(FOREVER)
        if self.mode in ("children", "abandoned", "detached"):
            child = os.fork()
            if not child:
                if self.mode == "detached":
                    os.setsid()
                time.sleep(FOREVER)
            self.note(child)
        if self.mode == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self.mode == "listening":
            self.log = open(f"{self.pids}.lines", "a", buffering=1)  # noqa: SIM115 - kept open to the end
        speak = {"gtp": self.gtp, "gomocup": self.gomocup, "jsonl": self.jsonl}[self.protocol]
        for line in sys.stdin:
            if self.mode == "listening":
                self.log.write(line)
            if line.strip() in FAREWELLS or '"quit"' in line:
                break
            speak(line.split(), line)
        if self.mode == "stubborn":
            time.sleep(FOREVER)

    def decide(self) -> bool:
        """Do wrong what the mode says, when it is time; return whether an answer is still due."""
        self.asked += 1
        if self.mode == "chatter":
            self.do_chatter()
        if self.asked != self.after and self.mode not in EVERY:
            return True
        answer = CAPITALS[self.protocol] if self.mode == "capitals" else ILLEGAL[self.protocol].get(self.mode)
        if answer is not None:
            write(answer)
            return False
        wrong = getattr(self, f"do_{self.mode}", None)
        if wrong is not None:
            wrong()
        return True

    def do_complaints(self) -> None:
        """Complain, and find a move all the same."""
        write("ERROR no memory\nUNKNOWN command\nMESSAGE but\n")
        time.sleep(FLAG)

    def do_habit(self) -> None:
        """Take the time that it always takes."""
        time.sleep(self.habit)

    def do_exit(self) -> None:
        os.write(2, b"out of ideas\n")
        sys.exit(3)

    def do_end(self) -> None:
        sys.exit(0)

    def do_killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def do_massacre(self) -> None:
        os.killpg(0, signal.SIGKILL)

    def do_patricide(self) -> None:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(FOREVER)

    def do_abandoned(self) -> None:
        sys.exit(4)

    def do_late(self) -> None:
        time.sleep(FOREVER)

    def do_stopped(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def do_flood(self) -> None:
        while True:
            write("x" * 65536)

    def do_lines(self) -> None:
        while True:
            write("= x\n" * 10000)

    def do_trickle(self) -> None:
        while True:
            write("= x\n")
            time.sleep(0.005)

    def do_blank_lines(self) -> None:
        while True:
            write("\n" * 10000)

    def do_asides(self) -> None:
        while True:
            write("MESSAGE I think\n" * 1000)

    def do_errors(self) -> None:
        while True:
            os.write(2, b"think " * 10000)

    def do_outburst(self) -> None:
        """Write much to stderr, but answer soon."""
        for _ in range(100):
            os.write(2, b"think " * 10000)

    def do_chatter(self) -> None:
        """Write much to stderr, but not too much for a decision."""
        for _ in range(30):
            os.write(2, b"think\n" * 10000)

    def do_mute(self) -> None:
        os.close(1)
        time.sleep(FOREVER)

    def do_twice(self) -> None:
        """Write once more than asked, in front of the answer."""
        write({"gtp": "=\n\n", "gomocup": "4,4\n", "jsonl": "{}\n"}[self.protocol])

    def gtp(self, words: list[str], line: str) -> None:
        answer, more = "", "" if self.mode == "habit" else "\ntime_settings\ntime_left\nparam_game"
        match words:
            case ["list_commands"]:
                answer = f"boardsize\nclear_board\nplay\ngenmove\nquit\nparam_mohex{more}"
            case ["param_mohex", "max_time", seconds]:
                self.habit = float(seconds)
            case ["time_left", _, _, _] if self.mode == "few":
                write("? at most 2 arguments\n\n")
                return
            case ["time_left", *_] if self.mode == "untimed":
                write("? not now\n\n")
                return
            case ["time_settings", _, seconds, _] if self.mode == "whole" and "." in seconds:
                write("? not an integer\n\n")
                return
            case ["param_mohex", *_] | ["time_settings" | "time_left" | "param_game", *_] if self.mode == "habit":
                write("? unknown command\n\n")
                return
            case ["boardsize", size]:
                self.size = int(size)
            case ["clear_board"]:
                self.taken.clear()
            case ["play", _, "swap-pieces"]:
                self.taken = {(c, r) for r, c in self.taken}
            case ["play", _, cell]:
                self.taken.add((int(cell[1:]) - 1, ord(cell[0]) - ord("a")))
            case ["genmove", _]:
                if not self.decide():
                    return
                r, c = self.free()
                answer = f"{chr(ord('a') + c)}{r + 1}"
        write(f"= {answer}\n\n")

    def free(self) -> tuple[int, int]:
        """Take the first free point, rows from the top."""
        cells = ((r, c) for r in range(self.size) for c in range(self.size))
        cell = next(cell for cell in cells if cell not in self.taken)
        self.taken.add(cell)
        return cell

    def gomocup(self, words: list[str], line: str) -> None:
        match words:
            case ["START", size]:
                self.size = int(size)
                write("OK\n")
                return
            case ["BEGIN"]:
                pass
            case ["TURN", point]:
                c, r = map(int, point.split(","))
                self.taken.add((r, c))
            case ["BOARD"]:
                while (line := sys.stdin.readline().strip()) != "DONE":
                    c, r, _ = map(int, line.split(","))
                    self.taken.add((r, c))
            case ["INFO", key, *_] if self.mode == "tokens" and key not in INFO:
                for word in words[1:]:
                    write(f"ERROR Unknown command: {word}\n")
                return
            case _:
                return
        if self.decide():
            r, c = self.free()
            write(f"MESSAGE a thought\nDEBUG another\n{c},{r}\n")
        if self.mode == "busy":
            time.sleep(FLAG)
            while select.select([0], [], [], 0)[0]:
                if not os.read(0, 1 << 16):
                    sys.exit()

    def jsonl(self, words: list[str], line: str) -> None:
        message = json.loads(line)
        if message["type"] == "decide" and self.decide():
            write(json.dumps({"action": message["legal"][0]}) + "\n")


if __name__ == "__main__":
    Program(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]).run()
