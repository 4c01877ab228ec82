"""The random rollouts of any game, with and without a mark of what was played."""

from ...envs.engine.kernels import settle
from ...envs.engine.protocol import legal, playout, step
from ...envs.engine.rng import choose


def blind_rollout(s, notes, rng, mask, p, used):
    """Play at random to the end, and mark nothing."""
    playout(s, rng, mask, p)


def random_rollout(s, notes, rng, mask, p, used):
    """Play uniformly random actions to the end, and mark what each seat played."""
    settle(s, rng, p)
    while s.to_move >= 0:
        legal(s, mask)
        a = choose(mask, rng)
        used[s.to_move, a] = 1
        step(s, a)
        settle(s, rng, p)
