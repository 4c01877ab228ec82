"""DQN (Mnih et al. 2015) and Double DQN (van Hasselt et al. 2016) for games, built on stable-baselines3's DQN.

What SB3's lacks: masks in greedy choice, in random choice and in the target; targets for two players; self-play in
hundreds of games a step. The value of a position s' that follows (s, a, r) enters the target as

    r + gamma * factor * max over the legal a' of Q_target(s', a')        0 for the second term once the game has ended

or, with ``double=True``, with Q_target at the legal action that the online network values most. `target` says what s'
is:

``negamax``   the next position, seen by whoever moves there; factor -1 if that is the opponent, 1 if the same seat
``own_next``  the seat's own next decision, after everybody else's; factor 1. The only target against opponents
``literal``   the next position, seen by the seat that has just moved: as S2 (docs/deviations.md) prints it

With `n_steps` (Sutton 1988; in self-play with every step's own factor) the rewards of that many decisions come before
the value. With `average` (Izmailov et al. 2018) the running mean of the weights plays, not the latest weights.
`prioritized` draws transitions by their last error (Schaul et al. 2016); those drawn more often weigh less in the loss,
by a power of 0.4 at first, fully at the end of learning. A network that gives quantiles learns them by Huber's loss
(Dabney et al. 2018): each quantile of the best action in s' is compared with all quantiles of the action played.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from gymnasium.vector import VectorEnv
from stable_baselines3 import DQN as PlainDQN  # noqa: N811 - ours bears the algorithm's name
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.type_aliases import Schedule
from stable_baselines3.common.utils import polyak_update
from stable_baselines3.common.vec_env import VecEnv
from torch.nn import functional

from ...envs.engine.errors import BoyiError, chosen, is_number, is_whole, shown, unknown
from ...envs.records.files import PathOf
from ...wrappers.sb3 import SB3VecEnv, game_of, plays_itself
from ..agent import Agent
from .chain import Chain
from .model_agent import ModelAgent, write_model
from .network_evaluator import pick_device
from .policies import MASK, POLICIES, MaskedDQNPolicy, MaskedQNetwork, best, masked, observation_key, random_legal
from .replay import Observation, Replay, Transitions
from .turns import Turns

TARGETS = ("negamax", "own_next", "literal")
OPTIMIZERS: dict[str, tuple[type[torch.optim.Optimizer], dict[str, float]]] = {
    "adam": (torch.optim.Adam, {}),
    "rmsprop": (torch.optim.RMSprop, {"alpha": 0.9, "eps": 1e-6}),  # NeuroHex's rho and epsilon
}
MOST_STEPS = 1000  # the most steps whose rewards come before the value
LOSSES = {"huber": functional.smooth_l1_loss, "mse": functional.mse_loss}


class DQN(PlainDQN):
    """Masked DQN, or with ``double=True`` Double DQN; everything else is SB3's: `learn`, `predict`, `save`, `load`.

    `env` is an `SB3VecEnv`, a vector environment of boyi, any single environment whose observations are one array and
    its ``action_mask``, or an id of one. `target` (None: "negamax" in self-play of two, else "own_next") is explained
    above. `double`, `optimizer` ("adam", "rmsprop"), `loss` ("huber", "mse"), `n_steps`, `average` (the share of the
    mean that a gradient step keeps, 0 for none) and `prioritized` (the power of errors by which transitions are drawn,
    0 for none) are ours; the other parameters are SB3's, with defaults for board games. `BoyiError` says what does not
    fit.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = dict(POLICIES)
    policy: MaskedDQNPolicy
    q_net: MaskedQNetwork
    q_net_target: MaskedQNetwork
    replay_buffer: Replay

    double: bool
    optimizer: str
    loss: str
    steps_ahead: int
    average: float

    def __init__(
        self,
        policy: str | type[MaskedDQNPolicy],
        env: Any,
        learning_rate: float | Schedule = 1e-3,
        buffer_size: int = 100_000,
        learning_starts: int = 1000,
        batch_size: int = 64,
        tau: float = 1.0,
        gamma: float = 0.99,
        train_freq: int | tuple[int, str] = 1,
        gradient_steps: int = 1,
        target_update_interval: int = 2000,
        exploration_fraction: float = 0.5,
        exploration_initial_eps: float = 1.0,
        exploration_final_eps: float = 0.1,
        *,
        double: bool = False,
        target: str | None = None,
        optimizer: str = "adam",
        loss: str = "huber",
        n_steps: int = 1,
        average: float = 0.0,
        prioritized: float = 0.0,
        policy_kwargs: dict[str, Any] | None = None,
        _init_setup_model: bool = True,
        **options: Any,
    ) -> None:
        if isinstance(policy, str) and policy not in POLICIES:
            raise unknown("policy", policy, POLICIES)
        policy_class = POLICIES[policy] if isinstance(policy, str) else policy
        if not (isinstance(policy_class, type) and issubclass(policy_class, MaskedDQNPolicy)):
            raise BoyiError(
                f"a policy of DQN is one of {', '.join(POLICIES)} or a MaskedDQNPolicy, not {policy_class!r}"
            )
        chosen("optimizer", optimizer, OPTIMIZERS)
        chosen("loss", loss, LOSSES)
        if target is not None:
            chosen("target", target, TARGETS)
        if options.get("seed") is not None and not is_whole(options["seed"], 0, 2**32 - 1):
            raise BoyiError(f"seed must be a whole number of 32 bits, at least 0, not {shown(options['seed'])}")
        if not is_whole(n_steps, 1, MOST_STEPS):
            raise BoyiError(f"n_steps must be a whole number from 1 to {MOST_STEPS}, not {shown(n_steps)}")
        if not is_number(average, 0, 1) or average == 1:
            raise BoyiError(f"average must be a number from 0 to below 1, not {shown(average)}")
        if not is_number(prioritized, 0, 1):
            raise BoyiError(f"prioritized must be a number from 0 to 1, not {shown(prioritized)}")
        pick_device(options.get("device", "auto"))
        for name in ("optimize_memory_usage", "replay_buffer_class", "replay_buffer_kwargs"):
            if name in options:
                raise BoyiError(f"DQN keeps transitions in a memory of its own: {name} cannot be set")
        self.double, self.target, self.optimizer, self.loss = double, target, optimizer, loss
        self.steps_ahead, self.average = int(n_steps), float(average)
        self.rng: np.random.Generator = np.random.default_rng(options.get("seed"))
        self._turns: Turns | None = None
        self._chain: Chain | None = None
        optimizer_class, optimizer_kwargs = OPTIMIZERS[optimizer]
        super().__init__(
            policy_class,
            SB3VecEnv(env) if isinstance(env, VectorEnv) else env,
            learning_rate=learning_rate,
            buffer_size=buffer_size,
            learning_starts=learning_starts,
            batch_size=batch_size,
            tau=tau,
            gamma=gamma,
            train_freq=train_freq,
            gradient_steps=gradient_steps,
            replay_buffer_class=Replay,
            replay_buffer_kwargs={"seed": options.get("seed"), "prioritized": float(prioritized)},
            target_update_interval=target_update_interval,
            exploration_fraction=exploration_fraction,
            exploration_initial_eps=exploration_initial_eps,
            exploration_final_eps=exploration_final_eps,
            policy_kwargs={
                "optimizer_class": optimizer_class,
                "optimizer_kwargs": optimizer_kwargs,
                **(policy_kwargs or {}),
            },
            _init_setup_model=_init_setup_model,
            **options,
        )

    def _setup_model(self) -> None:
        if self.env is not None:
            observation_key(self.env.observation_space)
            if self._vec_normalize_env is not None:
                raise BoyiError("DQN learns from observations as the games give them: leave VecNormalize out")
            self.target = choose_target(self.env, self.target)
            if isinstance(self.env.unwrapped, SB3VecEnv):
                self.env.unwrapped.by_seats = True
            game = game_of(self.env)
            if self.target == "own_next" and game is not None and plays_itself(self.env):
                self._turns = Turns(self.env.num_envs, game.seats)
            if self.steps_ahead > 1:
                if self._turns is not None or self.target == "literal":
                    raise BoyiError(f'n_steps above 1 takes the target "negamax" or opponents, not "{self.target}"')
                self._chain = Chain(self.env.num_envs, self.steps_ahead, self.gamma)
        super()._setup_model()
        if self.average:
            self.policy.keep_average()

    @property
    def quantiles(self) -> int:
        """How many quantiles the network gives of what an action may bring; where it is not 0, they are learned."""
        return int(getattr(self.policy.q_net.q_net, "choices", {}).get("quantiles", 0))

    @property
    def playing(self) -> MaskedQNetwork:
        """The network that plays without exploration: the mean of the weights, if that is kept."""
        return self.policy.playing

    # Acting

    def predict(
        self,
        observation: np.ndarray | Observation,
        state: tuple[np.ndarray, ...] | None = None,
        episode_start: np.ndarray | None = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, tuple[np.ndarray, ...] | None]:
        """Choose legal actions: the best ones or, unless `deterministic`, random ones at the exploration rate."""
        assert isinstance(observation, dict)
        actions, state = self.policy.predict(observation, state, episode_start, deterministic)
        if deterministic:
            return actions, state
        masks = np.asarray(observation[MASK])
        rows = masks.reshape(-1, masks.shape[-1])
        explored = self.rng.random(len(rows)) < self.exploration_rate
        chosen = np.where(explored, random_legal(rows, self.rng), actions.reshape(-1))
        return chosen.reshape(masks.shape[:-1]), state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        assert isinstance(self._last_obs, dict)
        if self.num_timesteps < learning_starts:
            actions = random_legal(self._last_obs[MASK], self.rng)
        else:
            actions, _ = self.predict(self._last_obs)
        return actions, actions

    # Remembering

    def _store_transition(
        self,
        replay_buffer: Any,
        buffer_action: np.ndarray,
        new_obs: Any,
        reward: np.ndarray,
        dones: np.ndarray,
        infos: list[dict[str, Any]],
    ) -> None:
        """Add what this step completes to the replay memory; where a game has ended, what follows does not count."""
        assert isinstance(self._last_obs, dict)
        if self._turns is not None:
            parts = self._turns.step(self._last_obs, buffer_action, new_obs, reward, dones, infos)
            if parts is not None:
                replay_buffer.extend(*parts)
        else:
            following, factors = new_obs, np.ones(len(dones), np.float32)
            if self.target == "negamax":
                factors[[info["seat"] != info["to_move"] for info in infos]] = -1.0
            elif self.target == "literal":
                following = self.env.observe_as(np.array([info["seat"] for info in infos]))  # type: ignore[union-attr]
            parts = self._last_obs, following, buffer_action, reward, dones, factors
            if self._chain is not None:
                parts = self._chain.step(*parts)
            if parts is not None:
                replay_buffer.extend(*parts)
        self._last_obs = new_obs

    # Learning

    def targets(self, data: Transitions) -> torch.Tensor:
        """Compute what Q should be (m, 1) for each transition."""
        mask = data.next_observations[MASK]
        with torch.no_grad():
            after = masked(self.q_net_target(data.next_observations), mask)
            return self._target(data, after.gather(1, self._chosen(data, after)))

    def _chosen(self, data: Transitions, after: torch.Tensor) -> torch.Tensor:
        """Choose the actions (m, 1) whose values are taken from `after`."""
        if self.double:
            return best(self.q_net(data.next_observations), data.next_observations[MASK])
        return after.argmax(dim=1, keepdim=True)

    def _target(self, data: Transitions, value: torch.Tensor) -> torch.Tensor:
        # It is minus infinity where there is nothing to choose from: at the end, or past the length of the game.
        value = torch.where(data.next_observations[MASK].any(dim=1, keepdim=True), value, 0.0)
        return data.rewards + (1.0 - data.dones) * self.gamma * data.factors * value

    def _losses(self, data: Transitions) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Compute loss, value and error (m, 1) of each transition."""
        if not self.quantiles:
            q, targets = self.q_net(data.observations).gather(1, data.actions), self.targets(data)
            return LOSSES[self.loss](q, targets, reduction="none"), q, (q.detach() - targets).abs()
        with torch.no_grad():
            after = self.q_net_target.quantiles(data.next_observations)
            mean = masked(after.mean(1), data.next_observations[MASK])
            chosen = self._chosen(data, mean)[:, :, None].expand(-1, self.quantiles, 1)
            targets = self._target(data, after.gather(2, chosen)[:, :, 0])
        played = data.actions[:, :, None].expand(-1, self.quantiles, 1)
        q = self.q_net.quantiles(data.observations).gather(2, played)
        chances = (torch.arange(self.quantiles, device=q.device) + 0.5)[:, None] / self.quantiles
        wrong = targets[:, None] - q
        slopes = (chances - (wrong.detach() < 0).float()).abs()
        loss = slopes * functional.smooth_l1_loss(
            q.expand_as(wrong), targets[:, None].expand_as(wrong), reduction="none"
        )
        mean_q = q.mean(1)
        return loss.mean(2).sum(1, keepdim=True), mean_q, (mean_q.detach() - targets.mean(1, keepdim=True)).abs()

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Take `gradient_steps` gradient steps; none from an empty memory, as own_next's is after the first moves."""
        if not self.replay_buffer.size():
            return
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses, values = [], []
        for _ in range(gradient_steps):
            data = self.replay_buffer.sample(batch_size, exponent=1.0 - 0.6 * self._current_progress_remaining)
            each, q, errors = self._losses(data)
            loss = (data.weights * each).mean()
            self.replay_buffer.judge(data.places, errors[:, 0].cpu().numpy())
            self.policy.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            if self.average:
                polyak_update(self.q_net.parameters(), self.playing.parameters(), 1 - self.average)
            losses.append(loss.item())
            values.append(q.detach().mean().item())
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/loss", float(np.mean(losses)))
        self.logger.record("train/q_mean", float(np.mean(values)))

    # Playing elsewhere

    def agent(self) -> Agent:
        """Return an agent that plays what the model has learned so far, for the arena or as an opponent."""
        return ModelAgent(self)

    def export(self, path: PathOf) -> None:
        """Write the network that plays as one safetensors file, for ``"dqn:PATH"`` (`double`: ``"ddqn:PATH"``)."""
        write_model(path, self)


def choose_target(env: VecEnv, target: str | None) -> str:
    """Return the target that fits the environment, or check the one given; `BoyiError` says what it takes."""
    game, alone = game_of(env), plays_itself(env)
    duel = alone and game is not None and game.seats == 2 and game.spec.zero_sum
    if target is None:
        return "negamax" if duel else "own_next"
    if target == "negamax" and not duel:
        raise BoyiError('target="negamax" takes zero-sum self-play (opponent="self") of two seats; use "own_next"')
    if target == "literal" and not (alone and isinstance(env.unwrapped, SB3VecEnv)):
        raise BoyiError('target="literal" takes self-play in an SB3VecEnv made with opponent="self"')
    return target
