"""The PettingZoo modules: what their functions take is there to be read, and both kinds of environment are made."""

import inspect
import pickle
import warnings
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import SimpleNamespace
from typing import Any

import pettingzoo
import pytest
from playing import SHIPPED

import boyi
from boyi.envs import BoyiError, Spec, hex_v0
from boyi.envs.engine.spec import own_options
from boyi.envs.faces.aec import AEC
from boyi.envs.faces.module import stub, stub_path
from boyi.wrappers import TurnBasedParallel

with warnings.catch_warnings():
    # It imports one of PettingZoo's own games, in a way that PettingZoo has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import max_cycles_test, parallel_api_test

shipped = pytest.mark.parametrize("spec", SHIPPED, ids=lambda spec: spec.name)


def module_of(spec: Spec) -> Any:
    return import_module(f"boyi.envs.{spec.name}_v{spec.version}")


@shipped
def test_a_signature_names_the_parameters_and_the_options(spec: Spec) -> None:
    module = module_of(spec)
    for function, made in ((module.env, AEC), (module.parallel_env, TurnBasedParallel)):
        signature = inspect.signature(function)
        assert list(signature.parameters) == ["render_mode", *spec.params, *own_options(AEC)[1:]]
        assert {name: signature.parameters[name].default for name in spec.params} == {
            name: param.default for name, param in spec.params.items()
        }
        assert signature.return_annotation is made
        defaults = {name: option.default for name, option in signature.parameters.items()}
        assert isinstance(function(**defaults), made)


@shipped
def test_stubs_say_what_the_specs_say(spec: Spec) -> None:
    """When this fails: ``python -m boyi.envs.faces.module``."""
    assert stub_path(spec).read_text(encoding="utf-8") == stub(spec)


@shipped
def test_functions_pickle_by_their_names(spec: Spec) -> None:
    module = module_of(spec)
    for function in (module.env, module.raw_env, module.parallel_env):
        assert pickle.loads(pickle.dumps(function)) is function


@shipped
def test_the_parallel_environment_is_made_by_its_module_and_by_its_id(spec: Spec) -> None:
    made = [module_of(spec).parallel_env()]
    if hasattr(pettingzoo, "make"):
        made.append(pettingzoo.make("parallel", f"boyi/{spec.name}-v{spec.version}"))
    for env in made:
        parallel_api_test(env, num_cycles=20)
        assert env.unwrapped.game.spec is spec


@pytest.mark.parametrize(
    "spec", [spec for spec in SHIPPED if spec.name not in ("amazons", "mahjong")], ids=lambda spec: spec.name
)
def test_games_are_cut_after_so_many_cycles(spec: Spec) -> None:
    """PettingZoo's own check, with legal actions: for games in which all agents act equally often, one by one."""

    def lawful(env: Any) -> Any:
        """Draw legal actions alone from the spaces of the agents."""
        aec = env.unwrapped
        for agent, space in aec.action_spaces.items():
            space.seed(0)
            draw = space.sample

            def sample(agent: str = agent, draw: Any = draw) -> Any:
                return draw(aec.observe(agent)["action_mask"])

            space.sample = sample
        return env

    module, size = module_of(spec), {"board_size": 5} if spec.name in ("hex", "gomoku") else {}
    max_cycles_test(
        SimpleNamespace(
            env=lambda **options: lawful(module.env(**options, **size)),
            parallel_env=lambda **options: lawful(module.parallel_env(**options, **size)),
        )
    )


def test_a_cut_pays_nothing_and_a_win_in_time_counts() -> None:
    env = hex_v0.env(board_size=3, max_cycles=2)
    env.reset(seed=0)
    for action in (0, 1, 3, 2):
        env.step(action)
    assert env.truncations == {"player_0": True, "player_1": True}
    assert not any(env.terminations.values()) and not any(env.rewards.values())
    assert not env.observe("player_0")["action_mask"].any()
    env = hex_v0.env(board_size=3, max_cycles=3)
    env.reset(seed=0)
    for action in (0, 1, 3, 2, 6):
        env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0} and not any(env.truncations.values())


@pytest.mark.parametrize("cycles", [0, -1, 1.5, True, "3", []])
@pytest.mark.parametrize("make", [hex_v0.env, hex_v0.parallel_env])
def test_cycles_are_a_whole_number(make: Any, cycles: Any) -> None:
    with pytest.raises(BoyiError, match="max_cycles must be a whole number, at least 1, not"):
        make(max_cycles=cycles)


def test_an_unknown_option_is_a_type_error_too() -> None:
    """Libraries that pass options of their own try again without them when they are told so."""
    import gymnasium

    for make in (
        hex_v0.env, hex_v0.parallel_env, partial(gymnasium.make, "boyi/Hex-v0"),
        partial(gymnasium.make_vec, "boyi/Hex-v0"), partial(boyi.envs.Batch, "hex"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
            make(frameskip=4)  # type: ignore[operator]


PACKAGES = ["boyi", *(found.name for found in walk_packages(boyi.__path__, "boyi.") if found.ispkg)]


def mine(name: str) -> bool:
    return not name.startswith(("boyi.tests", "boyi.build"))


@pytest.mark.parametrize("name", list(filter(mine, PACKAGES)))
def test_a_package_lists_what_is_for_users_and_nothing_else(name: str) -> None:
    package = import_module(name)
    inside = {path.stem for path in Path(str(package.__file__)).parent.iterdir()}
    if hasattr(package, "__all__"):
        assert dir(package) == sorted([*package.__all__, *getattr(package, "MODULES", [])])
        for listed in dir(package):
            assert getattr(package, listed) is not None
    else:  # a room of ours: its modules, as far as they are imported
        assert {each for each in dir(package) if not each.startswith("_")} <= inside


def test_modules_are_attributes_of_their_packages() -> None:
    assert boyi.envs.hex_v0.env is hex_v0.env
    assert boyi.wrappers.vector.HistoryStack is not boyi.wrappers.HistoryStack
    assert {f"{spec.name}_v{spec.version}" for spec in SHIPPED} == set(boyi.envs.MODULES)
