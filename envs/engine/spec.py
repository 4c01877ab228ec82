"""What a game declares about itself, and that game with its parameters bound.

A `Spec` is data and imports neither NumPy nor Numba, so that games can be listed, registered and given spaces
cheaply. `Game` is a spec with checked parameters: it answers every fact and finds the game's modules (``rules``,
``encode``, ``valid``, ``text``, ``draw``) when somebody needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .errors import BoyiError, chosen, is_number, is_truth, is_whole, shown, unknown, unknown_option
from .syntax import parse, write

if TYPE_CHECKING:
    import numpy as np

    from .modules import DrawModule, TextModule

T = TypeVar("T")
GAMES = __package__.rpartition(".")[0]
"""The package whose folders are the games."""


@dataclass(frozen=True)
class Param:
    """One parameter: a boolean, a choice, text, or a number in [low, high], whole unless the default is a float; with
    `choices` as well, a number or one of those.
    """

    default: Any
    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    even: bool = False

    def check(self, owner: str, name: str, value: Any) -> Any:
        """Return the value in its own type; otherwise raise `BoyiError` with what is allowed."""
        if isinstance(self.default, bool):
            good, allowed = is_truth(value), "true or false"
        elif isinstance(value, str) and value in self.choices:
            return str(value)
        elif self.choices and self.low is None:
            good, allowed = False, f"one of {', '.join(choice or 'nothing' for choice in self.choices)}"
        elif isinstance(self.default, str):
            good, allowed = isinstance(value, str), "text"
        else:
            assert self.low is not None and self.high is not None
            fraction = isinstance(self.default, float)
            allowed = (
                f"a{'n even' if self.even else '' if fraction else ' whole'} number from {self.low} to {self.high}"
            )
            good = (is_number if fraction else is_whole)(value, self.low, self.high)
            good = good and not (self.even and value % 2)
            allowed = " or ".join((allowed, *self.choices))
        if not good:
            raise BoyiError(f"{owner}: {name} must be {allowed}, not {shown(value)}")
        return type(self.default)(value)


def check_params(owner: str, allowed: Mapping[str, Param], given: Mapping[str, Any]) -> dict[str, Any]:
    """Check parameters against what is allowed and fill in the defaults; `BoyiError` names what is wrong."""
    for name in given:
        if name not in allowed:
            raise unknown(f"parameter of {owner}", name, allowed)
    return {name: param.check(owner, name, given.get(name, param.default)) for name, param in allowed.items()}


@dataclass(frozen=True)
class Spec:
    """The facts of a game. A fact marked ° may be a function of the parameters, given by keyword.

    `package` is the folder's import name (``__package__`` of the declaring module); `longest` bounds the number of
    actions in a game, `low` and `high` bound every seat's return, `unit` names it in tables; `chance_outcomes` is the
    widest chance event (0: none), `first_seat` moves first; `encoders` maps a name to its float32 observation shape,
    channels first, default encoder first; `tested` lists the parameter sets, degenerate ones included, that every
    conformance test runs.
    """

    name: str
    title: str
    package: str
    version: int
    seats: int
    params: Mapping[str, Param]
    actions: int | Callable[..., int]  # °
    longest: int | Callable[..., int]  # °
    encoders: Mapping[str, tuple[int, ...] | Callable[..., tuple[int, ...]]]  # °
    tested: tuple[Mapping[str, Any], ...]
    low: float | Callable[..., float] = -1.0  # °
    high: float | Callable[..., float] = 1.0  # °
    chance_outcomes: int | Callable[..., int] = 0  # °
    hidden: bool = False
    zero_sum: bool = True
    unit: str = "return"
    first_seat: int | Callable[..., int] = 0  # °
    forfeit: Callable[..., tuple[float, float]] = field(default=lambda **_: (-1.0, 0.0))
    """Returns of the seat that makes an illegal action, and of each other seat, under ``illegal="forfeit"``."""

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or self.name != self.name.lower():
            raise BoyiError(f"a game's name is a lower-case identifier, not {self.name!r}")
        if self.seats < 1 or not self.encoders or not self.tested:
            raise BoyiError(f"{self.name}: a spec needs a seat, an encoder and a tested parameter set")
        for params in self.tested:
            Game.bind(self, params)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the name of the declaring package: some facts are functions, which do not pickle."""
        return _declared_by, (self.package,)

    @property
    def folder(self) -> Path:
        """The folder that the game's files are in."""
        return Path(str(import_module(self.package).__file__)).parent

    @property
    def dice(self) -> bool:
        """Whether chance takes part: dice or draws."""
        return self.chance_outcomes != 0


@dataclass(frozen=True)
class Game:
    """A spec with its parameters bound; equal games compare and hash equal, and ``str()`` reads back."""

    spec: Spec
    values: tuple[tuple[str, Any], ...]

    @classmethod
    def bind(cls, spec: Spec, params: Mapping[str, Any]) -> Game:
        """Check `params` against the spec, defaults filled in; `BoyiError` names what is wrong."""
        return cls(spec, tuple(check_params(spec.name, spec.params, params).items()))

    def __hash__(self) -> int:
        return hash((self.spec.package, self.values))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the cached facts."""
        return Game, (self.spec, self.values)

    def __str__(self) -> str:
        changed = {k: v for k, v in self.values if v != self.spec.params[k].default}
        return write(self.name, values=changed)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def seats(self) -> int:
        return self.spec.seats

    @cached_property
    def params(self) -> dict[str, Any]:
        return dict(self.values)

    def _fact(self, fact: T | Callable[..., T]) -> T:
        return fact(**self.params) if callable(fact) else fact

    @cached_property
    def actions(self) -> int:
        return self._fact(self.spec.actions)

    @cached_property
    def chance_outcomes(self) -> int:
        return self._fact(self.spec.chance_outcomes)

    @cached_property
    def longest(self) -> int:
        return self._fact(self.spec.longest)

    @cached_property
    def first_seat(self) -> int:
        return self._fact(self.spec.first_seat)

    def lost(self, loser: int | None) -> list[float]:
        """Everybody's returns if a seat has lost other than by the rules: a forfeit, which others gain at zero sum."""
        offender, other = self.spec.forfeit(**self.params)
        if self.spec.zero_sum and self.seats > 1:
            other = -offender / (self.seats - 1)
        return [offender if seat == loser else other for seat in range(self.seats)]

    @cached_property
    def low(self) -> float:
        return float(self._fact(self.spec.low))

    @cached_property
    def high(self) -> float:
        return float(self._fact(self.spec.high))

    def shape(self, encoder: str) -> tuple[int, ...]:
        """Shape of one observation of `encoder`; `BoyiError` for a name the game does not have."""
        return tuple(self._fact(self.spec.encoders[chosen(f"encoder of {self.name}", encoder, self.spec.encoders)]))

    @property
    def encoder(self) -> str:
        """The default encoder."""
        return next(iter(self.spec.encoders))

    def has(self, part: str) -> bool:
        """Whether the game brings a module, such as those it may leave out: greedy, rollout and evaluate."""
        return find_spec(f"{self.spec.package}.{part}") is not None

    @overload
    def module(self, part: Literal["text"]) -> TextModule: ...
    @overload
    def module(self, part: Literal["draw"]) -> DrawModule: ...
    @overload
    def module(self, part: str) -> Any: ...
    def module(self, part: str) -> Any:
        """Import one of the game's modules: rules, encode, valid, text, draw or whatever else it `has`."""
        return import_module(f"{self.spec.package}.{part}")

    @cached_property
    def blank(self) -> np.ndarray:
        """One record, shape (1,), holding the parameters that are not sizes and zero elsewhere."""
        return self.module("rules").blank(**self.params)

    @property
    def dtype(self) -> np.dtype:
        """The structured dtype of one position."""
        return self.blank.dtype


def _declared_by(package: str) -> Spec:
    return import_module(package).SPEC


def games() -> tuple[str, ...]:
    """Names of the games that ship with the package: its folders that hold a ``rules.py``."""
    return tuple(sorted(path.parent.name for path in Path(__file__).parents[1].glob("*/rules.py")))


def own_options(face: Callable[..., Any]) -> list[str]:
    """Name the options that an environment or a batch takes besides a game and its parameters."""
    return [name for name, option in signature(face).parameters.items() if option.default is not option.empty]


def settle(game: str | Spec | Game, given: Mapping[str, Any], face: Callable[..., Any]) -> Game:
    """Find a game with the keywords that a face was given and does not know itself; `BoyiError` lists known ones."""
    plain = find(game)
    for name in given:
        if name not in plain.spec.params:
            raise unknown_option(plain.name, name, [*own_options(face), *plain.spec.params])
    return find(plain, **given)


def find(game: str | Spec | Game, /, **params: Any) -> Game:
    """Turn a game string such as ``"hex:board_size=5"``, a spec or a game into a `Game`; `params` win."""
    if isinstance(game, Game):
        return Game.bind(game.spec, {**game.params, **params}) if params else game
    if isinstance(game, Spec):
        return Game.bind(game, params)
    if not isinstance(game, str):
        raise BoyiError(f"a game is a name, a Spec or a Game, not {type(game).__name__}")
    name, positional, written = parse(game)
    if positional is not None:
        raise BoyiError(f"cannot read game {shown(game)}: write name:key=value,key=value")
    if name.lower() not in games():
        raise unknown("game", name, games())
    spec = _declared_by(f"{GAMES}.{name.lower()}")
    return Game.bind(spec, {**written, **params})
