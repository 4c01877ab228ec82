"""A clock that tests put in the place of the machine's."""


class Clock:
    """Time that passes by what is slept, at once, and by `tick` seconds whenever somebody looks."""

    def __init__(self) -> None:
        self.now, self.tick = 1000.0, 0.0

    def look(self) -> float:
        self.now += self.tick
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
