"""What a PettingZoo environment module consists of: ``env``, ``raw_env`` and ``parallel_env`` of one game.

Their signatures name the game's parameters, and so do the stubs beside the modules, which editors read and this file
writes: ``python -m boyi.envs.faces.module``.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, formatannotation, signature
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from ..engine.spec import GAMES, Param, Spec, find, games
from .aec import AEC
from .parallel import TurnBasedParallel

STUB = '''"""Written from the game's Spec by ``python -m boyi.envs.faces.module``."""

from collections.abc import Sequence
from typing import Literal

from .faces.aec import AEC
from .faces.parallel import TurnBasedParallel

def env(
{env}
) -> AEC: ...

raw_env = env

def parallel_env(
{parallel_env}
) -> TurnBasedParallel: ...
'''


class Module(NamedTuple):
    """The three functions of a PettingZoo module; there is no stack of wrappers that ``raw_env`` could leave out."""

    env: Callable[..., AEC]
    raw_env: Callable[..., AEC]
    parallel_env: Callable[..., TurnBasedParallel]


def module(name: str) -> Module:
    """Build the functions of a game's module."""
    spec = find(name).spec

    def env(render_mode: str | None = None, **options: Any) -> AEC:
        return AEC(name, render_mode, **options)

    def parallel_env(render_mode: str | None = None, **options: Any) -> TurnBasedParallel:
        made = AEC(name, render_mode, **options)
        if made.most_actions is not None:
            made.most_actions //= spec.seats
        return TurnBasedParallel(made)

    env.__doc__ = f"Make the AEC environment of {spec.title}: the game's parameters, and the options of `AEC`."
    parallel_env.__doc__ = f"""Make {spec.title}'s parallel environment, `TurnBasedParallel`: options as for ``env``.

    With `max_cycles` a game is cut after that many steps, in each of which one agent has acted.
    """
    function: Any
    for function, made in ((env, AEC), (parallel_env, TurnBasedParallel)):
        # Under the names of their module they can be pickled, for workers that make an environment.
        function.__module__, function.__qualname__ = f"{GAMES}.{name}_v{spec.version}", function.__name__
        function.__signature__ = options_of(spec, made)
    return Module(env, env, parallel_env)


def options_of(spec: Spec, made: Any) -> Signature:
    """Write down what a game's functions take, as a signature: `render_mode`, the game's parameters, AEC's options."""
    own = dict(signature(AEC, eval_str=True).parameters)
    own["encoder"] = own["encoder"].replace(annotation=Literal[tuple(spec.encoders)] | None)
    options = [option for option in own.values() if option.kind is Parameter.KEYWORD_ONLY]
    params = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=param.default, annotation=type_of(param))
        for name, param in spec.params.items()
    ]
    return Signature([own["render_mode"], *params, *options], return_annotation=made)


def type_of(param: Param) -> Any:
    """Return the type of a parameter's values."""
    words = Literal[param.choices] if param.choices else None
    if isinstance(param.default, str):
        return words or str
    kind: Any = type(param.default)
    return kind if words is None else kind | words


def stub(spec: Spec) -> str:
    """Write what an editor is told about a game's module."""
    lines = list[str]()
    for option in options_of(spec, None).parameters.values():
        lines.append(f"    {option.name}: {_type(option.annotation)} = {_literal(option.default)},")
    lines.insert(1, "    *,")
    return STUB.format(env="\n".join(lines), parallel_env="\n".join(lines))


def _type(annotation: Any) -> str:
    """Write a type in the same words whatever the version of Python: unions have several forms."""
    if get_origin(annotation) is Literal:
        return f"Literal[{', '.join(map(_literal, get_args(annotation)))}]"
    if get_origin(annotation) in (Union, UnionType):
        return " | ".join(map(_type, get_args(annotation)))
    return "None" if annotation is type(None) else formatannotation(annotation).removeprefix("collections.abc.")


def _literal(value: object) -> str:
    """Write a default as formatters do."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))})"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def stub_path(spec: Spec) -> Path:
    """Return the path of the stub of a game's module."""
    return spec.folder.parent / f"{spec.name}_v{spec.version}.pyi"


if __name__ == "__main__":
    for each in games():
        stub_path(find(each).spec).write_text(stub(find(each).spec), encoding="utf-8")
