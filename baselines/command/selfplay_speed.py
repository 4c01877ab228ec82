"""How fast self-play with a network is, beside mctx on Pgx: ``boyi speed --selfplay``."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from ...envs.engine.facts import facts
from ...envs.engine.spec import Game, find
from ..learning.alphazero import AlphaZero
from .peers import Meter, timed

GAMES, SIMULATIONS = 64, 32
NETWORK = {"channels": 64, "blocks": 6, "pool": 3, "hidden": 64}
PUBLISHED = {
    "network": "policy42_value36", "encoder": "policy42", "backup": "children", "c": 5.0, "sims": 100, "moves": 4,
    "envs": 1024, "noise": "published", "temperature": 0.0, "keep_tree": False,
}  # fmt: skip
"""The settings with which S5 plays itself."""


def ours(game: Game, **values: Any) -> AlphaZero:
    """Build a learner that only plays."""
    network = {"network": "board", "choices": NETWORK} if "network" not in values else {}
    common = {"envs": GAMES, "sims": SIMULATIONS, "root": "gumbel", "moves": 1, "precision": "auto", "seed": 0}
    return AlphaZero(game, **{**network, **common, **values, "draws": 0.0})


def positions(model: AlphaZero) -> Meter:
    """Play; a round decides once or more in every game."""

    def play() -> int:
        before = model.decisions
        model.round()
        return model.decisions - before

    return lambda seconds: timed(seconds, play)


def mctx(game: Game) -> Meter:
    """Play in Pgx by mctx's Gumbel policy, all in one jitted call, with a network of equal shape.

    `ImportError` where one of them is missing, `KeyError` where Pgx does not have the game.
    """
    import jax
    import jax.numpy as jnp
    import mctx as search
    import pgx
    from pgx.experimental.wrappers import auto_reset

    if not facts(game).pgx or game != find(game.name):
        raise KeyError(str(game))
    env = pgx.make(facts(game).pgx)
    planes = env.observation_shape[-1]
    weights = _weights(jax, planes, env.num_actions)
    transform = partial(
        search.qtransform_completed_by_mix_value, value_scale=0.1, maxvisit_init=50, rescale_values=True
    )

    def judge(state: Any) -> tuple[Any, Any]:
        logits, value = _network(jax, weights, state.observation.astype(jnp.float32))
        return jnp.where(state.legal_action_mask, logits[:, : env.num_actions], -1e9), value

    def follow(_: Any, key: Any, action: Any, state: Any) -> tuple[Any, Any]:
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        logits, value = judge(state)
        reward = state.rewards[jnp.arange(GAMES), mover]
        value = jnp.where(state.terminated, 0.0, value)
        discount = jnp.where(state.terminated, 0.0, -jnp.ones_like(value))
        return search.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), state

    def decide(state: Any, key: Any) -> tuple[Any, Any]:
        key, noise, resets = jax.random.split(key, 3)
        logits, value = judge(state)
        root = search.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        found = search.gumbel_muzero_policy(
            params=None,
            rng_key=noise,
            root=root,
            recurrent_fn=follow,
            num_simulations=SIMULATIONS,
            invalid_actions=~state.legal_action_mask,
            max_num_considered_actions=16,
            qtransform=transform,
        )
        step = jax.vmap(auto_reset(env.step, env.init))
        return step(state, found.action, jax.random.split(resets, GAMES)), key

    # Not as a decorator, which has no type where jax is not installed.
    jitted: Any = jax.jit(decide)
    wait: Any = jax.block_until_ready
    now = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), GAMES)), jax.random.PRNGKey(1)
    now = wait(jitted(*now))

    def play() -> int:
        nonlocal now
        now = wait(jitted(*now))
        return GAMES

    return lambda seconds: timed(seconds, play)


def _weights(jax: Any, planes: int, actions: int) -> dict[str, Any]:
    """Draw weights for a network of the shape of ours, `NETWORK`."""
    wide, hidden = NETWORK["channels"], NETWORK["hidden"]
    shapes = {"stem": (3, 3, planes, wide), "cells": (1, 1, wide, 1), "extra": (2 * wide, 1)}
    shapes |= {f"{part}{k}": (3, 3, wide, wide) for k in range(NETWORK["blocks"]) for part in ("first", "second")}
    shapes |= {f"board{k}": (2 * wide, wide) for k in range(NETWORK["blocks"])}
    shapes |= {"hidden": (2 * wide, hidden), "value": (hidden, 1)}
    keys = jax.random.split(jax.random.PRNGKey(7), len(shapes))
    return {name: 0.05 * jax.random.normal(key, shape) for key, (name, shape) in zip(keys, shapes.items(), strict=True)}


def _network(jax: Any, weights: dict[str, Any], x: Any) -> tuple[Any, Any]:
    """Evaluate observations (B, H, W, C): logits, one a cell and one more, and values."""
    jnp = jax.numpy

    def convolve(x: Any, name: str) -> Any:
        return jax.lax.conv_general_dilated(
            x, weights[name], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    def pooled(x: Any) -> Any:
        return jnp.concatenate([x.mean((1, 2)), x.max((1, 2))], axis=1)

    x = jax.nn.relu(convolve(x, "stem"))
    for k in range(NETWORK["blocks"]):
        y = convolve(x, f"first{k}")
        if k % NETWORK["pool"] == NETWORK["pool"] - 1:
            y = y + (pooled(x) @ weights[f"board{k}"])[:, None, None, :]
        x = jax.nn.relu(x + convolve(jax.nn.relu(y), f"second{k}"))
    cells = convolve(x, "cells").reshape(x.shape[0], -1)
    logits = jnp.concatenate([cells, pooled(x) @ weights["extra"]], axis=1)
    value = jnp.tanh(jax.nn.relu(pooled(x) @ weights["hidden"]) @ weights["value"])[:, 0]
    return logits, value


def spent(model: AlphaZero, seconds: float) -> float:
    """Play for `seconds` and return what share of the time was spent outside the network."""
    model.figures()
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        model.round()
    return 1.0 - model.figures()["time/network"]
