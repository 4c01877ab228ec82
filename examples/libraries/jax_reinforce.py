"""REINFORCE (Williams 1992) in JAX on Hex 5x5 against random: games come as NumPy arrays, which JAX takes by DLPack."""

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np

from boyi.baselines import evaluate


def judge(params: list[jax.Array], x: jax.Array, mask: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the log chances of the actions and the value, which is the network's last output."""
    out = jax.nn.relu(jax.nn.relu(x @ params[0]) @ params[1]) @ params[2]
    return jax.nn.log_softmax(jnp.where(mask == 0, -1e9, out[..., :-1])), out[..., -1]


def loss(params: list[jax.Array], moves: tuple[jax.Array, ...], outcomes: jax.Array) -> jax.Array:
    """Judge all decisions (moves, games, …) by the outcomes (games,), without those of later games."""
    x, mask, actions, counts = moves
    chances, values = judge(params, x, mask)
    gain, chosen = outcomes - values, jnp.take_along_axis(chances, actions[..., None], -1)[..., 0]
    each = gain**2 / 2 - jax.lax.stop_gradient(gain) * chosen + 0.003 * (jnp.exp(chances) * chances).sum(-1)
    return (each * counts).sum() / counts.sum()


def train(steps: int = 400, games: int = 256) -> list[jax.Array]:
    """Learn `steps` times from `games` games, on both seats in turn."""
    keys = jax.random.split(jax.random.key(0), 20 * steps)
    params = [jax.random.normal(keys[-1], (m, n)) / m**0.5 for m, n in ((75, 256), (256, 256), (256, 26))]
    act = jax.jit(lambda key, *seen: jax.random.categorical(key, judge(*seen)[0]))
    slope = jax.jit(jax.grad(loss))
    envs = gym.make_vec("boyi:boyi/Hex-v0", games, board_size=5, opponent="random", seat="random", layout="flat")
    for step in range(steps):
        (seen, _), moves, playing, outcomes = envs.reset(seed=games * step), [], np.ones(games, bool), np.zeros(games)
        for move in range(13):  # a row that is done goes on with another game, which does not count
            x, mask = (jnp.from_dlpack(array) for array in seen.values())
            moves.append((x, mask, actions := act(keys[20 * step + move], params, x, mask), playing))
            seen, rewards, over, _, _ = envs.step(np.asarray(actions))
            outcomes, playing = outcomes + rewards * playing, playing & ~over
        played = tuple(map(jnp.stack, zip(*moves, strict=True)))
        params = [each - 0.1 * up for each, up in zip(params, slope(params, played, outcomes), strict=True)]
    return params


if __name__ == "__main__":
    params = train()
    result = evaluate(lambda *seen: judge(params, *seen)[0].argmax(), "hex:board_size=5", ["random"], layout="flat")
    print(result)
    assert result.pairings[0].wins > 160
