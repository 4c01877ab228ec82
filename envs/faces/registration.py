"""Registration of every game with Gymnasium and PettingZoo, as strings that import nothing until they are used."""

import gymnasium

from ..engine.spec import Spec, find, games

ROOT = __package__.rsplit(".", 2)[0]


def register_all() -> None:
    """Register ``boyi/Hex-v0`` … with Gymnasium and ``boyi/hex-v0`` … with PettingZoo; twice does no harm."""
    for name in games():
        register_gymnasium(find(name).spec)
        register_pettingzoo(find(name).spec)


def register_gymnasium(spec: Spec) -> None:
    """Register the single and the native vector environment of a game under one id."""
    env_id = f"boyi/{spec.title}-v{spec.version}"
    if env_id not in gymnasium.registry:
        gymnasium.register(
            id=env_id,
            entry_point=f"{ROOT}.baselines.agents:make_env",
            vector_entry_point=f"{ROOT}.baselines.agents:make_vector_env",
            kwargs={"game": spec.name},
            # The wrappers would check again, slower, what the environment checks inside.
            order_enforce=False,
            disable_env_checker=True,
        )


def register_pettingzoo(spec: Spec) -> None:
    """Register the AEC and the parallel environment of a game where PettingZoo has a registry (1.27 and later)."""
    try:
        from pettingzoo.env_registry import registration
    except ImportError:
        return
    env_id, functions = f"boyi/{spec.name}-v{spec.version}", f"{ROOT}.envs.{spec.name}_v{spec.version}"
    if env_id not in registration.aec_registry:
        registration.register("aec", env_id, entry_point=f"{functions}:env")
    if env_id not in registration.parallel_registry:
        registration.register("parallel", env_id, entry_point=f"{functions}:parallel_env")
