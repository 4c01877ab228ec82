"""How this package's peers are measured: functions that run for a while and return a rate, as `Meter`s."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from ...envs.engine.facts import facts
from ...envs.engine.spec import Game, find
from ..players.openspiel import load

ROWS = 1024
SCAN = 100  # steps of one compiled call, ours and Pgx's
SIMULATIONS = 10_000
WIDE = 250  # actions

HIDDEN = [64, 64]  # layers of a learner that is measured beside a peer's
DRAWS = 32  # how often both learn from a decision: RLCard's gradient steps, one a decision, each have this many
Meter = Callable[[float], float]
"""Runs for about the seconds given; returns units a second."""


def timed(seconds: float, work: Callable[[], int]) -> float:
    """Repeat `work`, which returns how many units it did, for about `seconds`; return units a second."""
    done, started = 0, time.perf_counter()
    while (spent := time.perf_counter() - started) < seconds:
        done += work()
    return done / spent


def aec(env: Any) -> Meter:
    """Play random games in an AEC environment, reading observation and mask at every step."""
    choose = _random if env.action_space(env.possible_agents[0]).n < WIDE else _random_of_many

    def game() -> int:
        steps = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(choose(observation["action_mask"]))
            steps += 1
        return steps

    return lambda seconds: timed(seconds, game)


def _random(mask: Any) -> Any:
    """Choose a legal action at random, as cheaply as Python can."""
    legal = mask.nonzero()[0]
    return legal.item(int(random.random() * legal.size))


def _random_of_many(mask: Any) -> Any:
    """Choose from a wide mask: NumPy finds the ones of a Boolean mask faster, which pays for the extra view."""
    return _random(mask.view(np.bool_))


def rlcard_loop(game: Game) -> Meter:
    """Play random games in RLCard from Python; a state comes with its observation and its legal actions."""
    import rlcard

    env = rlcard.make(facts(game).rlcard)

    def play() -> int:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            actions = list(state["legal_actions"])
            state, _ = env.step(actions[int(random.random() * len(actions))])
            steps += 1
        return steps

    return lambda seconds: timed(seconds, play)


def rlcard_dqn(game: Game) -> Meter:
    """Let RLCard's DQN learn in all seats of its own game: decisions a second, each learned from `DRAWS` times."""
    import rlcard
    from rlcard.agents import DQNAgent
    from rlcard.utils import reorganize

    env = rlcard.make(facts(game).rlcard)
    agent = DQNAgent(
        num_actions=env.num_actions,
        state_shape=env.state_shape[0],
        mlp_layers=HIDDEN,
        batch_size=DRAWS,
        epsilon_start=0.1,
        device="cpu",
    )
    env.set_agents([agent] * env.num_players)

    def play() -> int:
        trajectories, payoffs = env.run(is_training=True)
        decisions = [each for seat in reorganize(trajectories, payoffs) for each in seat]
        for each in decisions:
            with redirect_stdout(StringIO()):  # its loss, at every step
                agent.feed(each)
        return len(decisions)

    return lambda seconds: timed(seconds, play)


def connect_four(game: Game) -> Meter:
    from pettingzoo.classic import connect_four_v3

    return aec(connect_four_v3.env())


def openspiel_loop(game: Game) -> Meter:
    """Play random games in OpenSpiel from Python as its examples do, dice drawn by their probabilities."""

    def draw(state: Any) -> int:
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        return int(random.choices(outcomes, chances)[0])

    return _openspiel_loop(game, draw)


def openspiel_cheap_loop(game: Game) -> Meter:
    """Play random games in OpenSpiel, its outcomes taken to be equally likely, which they are for dice."""

    def draw(state: Any) -> int:
        outcomes = state.legal_actions()
        return int(outcomes[int(random.random() * len(outcomes))])

    return _openspiel_loop(game, draw)


def _openspiel_loop(game: Game, draw: Callable[[Any], int]) -> Meter:
    """Play random games in OpenSpiel, reading the mask and the observation as the lists they are."""
    peer = load(game)

    def play() -> int:
        state, steps = peer.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(draw(state))
                continue
            state.legal_actions_mask()
            state.observation_tensor()
            actions = state.legal_actions()
            state.apply_action(actions[int(random.random() * len(actions))])
            steps += 1
        return steps

    return lambda seconds: timed(seconds, play)


def pgx_scan(game: Game) -> Meter:
    """Play random steps in Pgx, moves drawn as its documentation draws them."""
    import jax
    import jax.numpy as jnp

    return _pgx(game, lambda key, mask: jax.random.categorical(key, jnp.log(mask.astype(jnp.float32)), axis=1))


def pgx_cheap_scan(game: Game) -> Meter:
    """Play random steps in Pgx, moves drawn as cheaply as we know: one random number and a running count a row."""
    import jax
    import jax.numpy as jnp

    def choose(key: Any, mask: Any) -> Any:
        counts = jnp.cumsum(mask, axis=1, dtype=jnp.int32)
        k = jnp.floor(jax.random.uniform(key, (ROWS,)) * counts[:, -1]).astype(jnp.int32)
        return jnp.argmax(counts > k[:, None], axis=1)

    return _pgx(game, choose)


def _pgx(game: Game, choose: Callable[[Any, Any], Any]) -> Meter:
    """Play in Pgx on all cores: a jitted scan over a batch with its own automatic reset."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    if not facts(game).pgx or game != find(game.name):
        raise KeyError(str(game))
    env = pgx.make(facts(game).pgx)
    step = jax.vmap(auto_reset(env.step, env.init))

    def body(carry: Any, _: Any) -> Any:
        state, key = carry
        key, chooser, resetter = jax.random.split(key, 3)
        action = choose(chooser, state.legal_action_mask)
        return (step(state, action, jax.random.split(resetter, ROWS)), key), None

    wait: Any = jax.block_until_ready
    run = jax.jit(lambda carry: jax.lax.scan(body, carry, None, length=SCAN)[0])
    now = run((jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), ROWS)), jax.random.PRNGKey(1)))

    def call() -> int:
        nonlocal now
        now = wait(run(now))
        return ROWS * SCAN

    return lambda seconds: timed(seconds, call)


def openspiel_mcts(game: Game) -> Meter:
    """Search the start position with OpenSpiel's C++ MCTSBot and its random rollouts."""
    import pyspiel

    peer = load(game)
    state = peer.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    sims = SIMULATIONS // 5

    def decide() -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
        pyspiel.MCTSBot(peer, evaluator, 2.0, sims, 1000, False, 0, False).step(state)
        return sims

    return lambda seconds: timed(seconds, decide)
