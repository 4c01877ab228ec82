"""Training configs: small TOML files, those shipped in ``configs/`` by name and a user's own by path.

What a config may set depends on its `algorithm`: fields that every run has, and those of the algorithm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...envs.engine.errors import BoyiError, unknown
from ...envs.engine.schema import parse_toml
from ...envs.engine.spec import Game, Param, find
from ...envs.records.files import PathOf, as_path
from ..learning.alphazero_params import MANY, PARAMS
from ..learning.hand_dqn_params import PARAMS as HAND_PARAMS

FOLDER = Path(__file__).parent / "configs"

RUN: dict[str, Param] = {
    "algorithm": Param("dqn", "what learns", choices=("dqn", "alphazero", "hand_dqn")),
    "steps": Param(100_000, "transitions, or decisions in self-play, in all", low=1, high=MANY),
    "checkpoint_interval": Param(20_000, "steps between checkpoints: the most that a kill loses", low=1, high=MANY),
    "evaluation_interval": Param(20_000, "steps between evaluations", low=1, high=MANY),
    "evaluation_games": Param(40, "games against each of the ladder, an even number", low=2, high=1_000_000),
    "evaluation_opening": Param(0, "actions at random before anybody decides in these games", low=0, high=1000),
    "log_interval": Param(2000, "steps between lines of the log", low=1, high=MANY),
}
"""Fields of every run."""

DQN: dict[str, Param] = {
    "encoder": Param("", "what the network sees; empty: the game's default encoder"),
    "seat": Param("random", "the learner's seat against opponents: a number as text, or random"),
    "envs": Param(64, "games in progress at once", low=1, high=100_000),
    "double": Param(False, "Double DQN: the online network chooses in the target, the target network values"),
    "target": Param(
        "", "whose value follows a move; empty: what fits the game", choices=("", "negamax", "own_next", "literal")
    ),
    "policy": Param("BoardPolicy", "network", choices=("BoardPolicy", "MlpPolicy", "NeuroHexPolicy", "ResNetPolicy")),
    "optimizer": Param("adam", "optimizer", choices=("adam", "rmsprop")),
    "loss": Param("huber", "error that is minimised", choices=("huber", "mse")),
    "n_steps": Param(1, "decisions whose rewards come before the value in a target", low=1, high=1000),
    "average": Param(
        0.0, "share of the weights' running mean that a step keeps; 0: the last weights play", low=0.0, high=0.999999
    ),
    "prioritized": Param(
        0.0, "transitions are drawn by this power of their latest error; 0: all alike", low=0.0, high=1.0
    ),
    "learning_rate": Param(1e-3, "step size of the optimizer", low=0.0, high=10.0),
    "gamma": Param(0.99, "discount of what follows a move", low=0.0, high=1.0),
    "batch_size": Param(64, "transitions in a gradient step", low=1, high=1_000_000),
    "buffer_size": Param(100_000, "transitions remembered", low=1, high=MANY),
    "learning_starts": Param(1000, "transitions played at random before learning", low=0, high=MANY),
    "train_freq": Param(1, "moves in every game between two rounds of learning", low=1, high=1_000_000),
    "gradient_steps": Param(1, "gradient steps in a round of learning", low=1, high=1_000_000),
    "target_update_interval": Param(2000, "transitions between copies to the target network", low=1, high=MANY),
    "exploration_initial_eps": Param(1.0, "share of random moves at the start", low=0.0, high=1.0),
    "exploration_final_eps": Param(0.1, "share of random moves at the end", low=0.0, high=1.0),
    "exploration_steps": Param(50_000, "transitions from the first share to the last", low=1, high=MANY),
    "symmetry": Param(False, "show every game in a random symmetric image"),
    "opening": Param(0, "random moves of the learner at the start of every game", low=0, high=10_000),
    "starts": Param(
        "", "an agent: games of learning begin in positions of its games against itself; empty: at the start"
    ),
    "start_games": Param(
        200, "such games, an even number, each with `opening` moves at random, at least one", low=2, high=MANY
    ),
    "scale_reward": Param(False, "scale returns to [-1, 1]"),
    "line_reward": Param(False, "Gomoku: also pay for the longest line made and the longest blocked"),
    "threads": Param(1, "threads that torch uses on a CPU; 0: as many as it likes", low=0, high=1024),
    "seed": Param(0, "same seed, same run", low=0, high=2**32 - 1),
}
"""Fields of DQN's runs."""

ALPHAZERO: dict[str, Param] = {
    **PARAMS,
    "evaluation_sims": Param(0, "simulations in evaluations; 0: those of a full search", low=0, high=1_000_000),
}
"""Fields of AlphaZero's runs."""

HAND_DQN: dict[str, Param] = {
    **HAND_PARAMS,
    "evaluated": Param(
        "network", "what plays in evaluations: the network, or the search with it", choices=("network", "search")
    ),
}
"""Fields of the runs that learn hands of mahjong."""

FIELDS = {"dqn": {**RUN, **DQN}, "alphazero": {**RUN, **ALPHAZERO}, "hand_dqn": {**RUN, **HAND_DQN}}
"""Fields by algorithm, besides `LISTS` and the table of the network's `choices`."""

LISTS = {
    "dqn": {"game": "hex", "opponent": "self", "ladder": "random"},
    "alphazero": {"game": "hex", "ladder": "random"},
    "hand_dqn": {"game": "mahjong", "ladder": "random"},
}
"""Fields that hold a game's or an agent's string, or a list of them: those that play, and the yardsticks."""


@dataclass(frozen=True)
class Config:
    """A checked config: `values` by field name, `choices` of the network, `lists` of games and agents, as strings."""

    name: str
    values: Mapping[str, Any]
    choices: Mapping[str, Any]
    lists: Mapping[str, tuple[str, ...]]

    def __getitem__(self, field: str) -> Any:
        return self.values[field]

    @property
    def game(self) -> Game:
        """The game that evaluations play: the first, if there are several."""
        return self.games[0]

    @property
    def games(self) -> list[Game]:
        return [find(game) for game in self.lists["game"]]

    @property
    def ladder(self) -> tuple[str, ...]:
        """The agents that evaluations play against."""
        return self.lists["ladder"]

    @property
    def opponent(self) -> tuple[str, ...]:
        """The agents that the learner plays against, or "self"."""
        return self.lists.get("opponent", ("self",))

    @property
    def agents(self) -> list[str]:
        """The agents that a run makes: opponents, the ladder's, and the one that plays the games that it starts in."""
        starts = self.values.get("starts", "")
        return [agent for agent in (*self.opponent, *self.lists["ladder"], starts) if agent not in ("self", "")]

    @property
    def facts(self) -> dict[str, Any]:
        """Everything but the name, as JSON holds it."""
        return {**self.values, **{name: list(found) for name, found in self.lists.items()}, "choices": self.choices}


def shipped() -> list[str]:
    """List the names of the configs that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_config(name: PathOf, **changes: Any) -> Config:
    """Read a shipped config by name or a file by path, with fields changed; `BoyiError` says what is wrong."""
    path = FOLDER / f"{name}.toml" if name in shipped() else as_path(name)
    if path.suffix != ".toml":
        raise unknown("config", name, [*shipped(), "PATH.toml"])
    try:
        given = parse_toml(path.read_bytes(), str(path))
    except OSError as error:
        raise BoyiError(f"cannot read {path}: {error.strerror}") from None
    return check_config(path.stem, {**given, **{key: value for key, value in changes.items() if value is not None}})


def check_config(name: str, given: Mapping[str, Any]) -> Config:
    """Check fields and fill in defaults; `BoyiError` names the field."""
    owner = f"config {name}"
    algorithm = RUN["algorithm"].check(owner, "algorithm", given.get("algorithm", "dqn"))
    fields = FIELDS[algorithm]
    known = [*fields, *LISTS[algorithm], "choices"]
    for field in given:
        if field not in known:
            raise unknown(f"field of config {name}", field, known)
    values = {field: param.check(owner, field, given.get(field, param.default)) for field, param in fields.items()}
    if values["evaluation_games"] % 2:
        raise BoyiError(f"{owner}: evaluation_games must be even, not {values['evaluation_games']}")
    if values.get("start_games", 0) % 2:
        raise BoyiError(f"{owner}: start_games must be even, not {values['start_games']}")
    choices = given.get("choices", {})
    if not isinstance(choices, dict):
        raise BoyiError(f"{owner}: choices must be a table of the network's choices, not {choices!r}")
    lists = {}
    for field, default in LISTS[algorithm].items():
        found = given.get(field, default)
        found = [found] if isinstance(found, str) else found
        if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
            kind = "a game" if field == "game" else "an agent"
            raise BoyiError(f"{owner}: {field} must be {kind} string or a list of them, not {found!r}")
        lists[field] = tuple(found)
    if algorithm != "alphazero" and len(lists["game"]) > 1:
        raise BoyiError(f"{owner}: {algorithm} learns one game, not {len(lists['game'])}")
    if "self" in lists.get("opponent", ()) and len(lists["opponent"]) > 1:
        raise BoyiError(f'{owner}: opponent is "self" or other agents, not both')
    for game in map(find, lists["game"]):
        game.shape(values["encoder"] or game.encoder)
    return Config(name=name, values=values, choices=choices, lists=lists)
