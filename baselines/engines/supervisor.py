"""Runs a program, in a process of its own: ``supervisor.py LIFELINE COMMAND …``.

When the program ends, or the pipe LIFELINE is closed, as it is however the process that asked for it ends, all that the
program has started is killed: its session and, on Linux, which lets us adopt them, the processes that have left it. The
exit status is the program's; it is 128 and more for a signal.
"""

from __future__ import annotations

import _thread
import os
import select
import signal
import sys

ADOPT = 36  # PR_SET_CHILD_SUBREAPER


def adopt() -> None:
    """Become the parent of descendants whose own parent ends."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass  # not on Linux


def children() -> list[int]:
    """List our child processes, none where the system does not tell."""
    found: list[int] = []
    try:
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def kill_children() -> None:
    """Kill our children, and theirs, which become ours, until there are none."""
    while found := children():
        for child in found:
            try:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            except OSError:
                pass  # somebody else has waited for it


def end_with(lifeline: int) -> None:
    """Kill everything, ourselves included, when the pipe is closed."""
    os.read(lifeline, 1)
    kill_children()
    os.killpg(0, signal.SIGKILL)


def main() -> None:
    """Run the program to its end."""
    adopt()
    lifeline = int(sys.argv[1])
    program = os.fork()
    if not program:
        os.close(lifeline)
        os.execvp(sys.argv[2], sys.argv[2:])
    os.closerange(0, 3)
    _thread.start_new_thread(end_with, (lifeline,))
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    except ChildProcessError:
        status = 0  # end_with() has waited for it
    kill_children()
    # Closed at the same moment: the program has ended because its input did, but others in its session may not end.
    if select.select([lifeline], [], [], 0.05)[0]:
        os.killpg(0, signal.SIGKILL)
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
