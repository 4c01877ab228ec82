"""All-or-nothing steps: what an environment knows of a step or reset that was broken off.

In the middle of a step others have a say: opponents, watchers, a window, and Ctrl-C, which comes at any moment. Nothing
is rolled back if one of them fails; the game cannot go on from where it then stands, and only a reset helps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..engine.errors import BoyiError, unfinished
from ..engine.spec import Game

Result = TypeVar("Result")


class Steps:
    """Counts the steps and resets that have begun, and knows the last that has finished.

    What does not reach `finish`, for whatever reason, has not finished: there is nothing to catch.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.begun, self.finished = game, 0, 0

    @property
    def whole(self) -> bool:
        """Whether the last step or reset has finished."""
        return self.finished == self.begun

    def check(self) -> None:
        """Raise `BoyiError` unless the last step or reset has finished."""
        if not self.whole:
            raise unfinished(self.game)

    def begin(self, change: Callable[..., Result], *args: Any) -> Result:
        """Begin with the first change to the games; one that `BoyiError` refuses touches nothing and does not count."""
        self.begun += 1
        try:
            return change(*args)
        except BoyiError:
            self.begun -= 1
            raise

    def finish(self) -> None:
        self.finished = self.begun

    def ask(self, stranger: Callable[..., Result], *args: Any) -> Result:
        """Call foreign code; `BoyiError` when it has meanwhile stepped or reset the environment that called it."""
        begun = self.begun
        answer = stranger(*args)
        if self.begun != begun:
            raise BoyiError(f"{self.game}: whoever is asked in the middle of a step cannot step or reset the game")
        return answer
