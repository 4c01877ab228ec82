"""Any game of boyi without dice or hidden tiles as a Python game of OpenSpiel's, for all of its algorithms."""

import pyspiel
from pyspiel import GameType as Is

from boyi.envs import Batch, find


class Game(pyspiel.Game):
    """What OpenSpiel asks of a game, such as "hex:board_size=5"; its tensors are what `layout="flat"` shows."""

    def __init__(self, name: str) -> None:
        self.game = game = find(name)
        kind = (Is.Dynamics.SEQUENTIAL, Is.ChanceMode.DETERMINISTIC, Is.Information.PERFECT_INFORMATION)
        ends = (Is.Utility.ZERO_SUM, Is.RewardModel.TERMINAL, game.seats, game.seats)
        info = pyspiel.GameInfo(game.actions, 0, game.seats, game.low, game.high, 0.0, game.longest)
        super().__init__(Is(f"boyi_{game.name}", str(game), *kind, *ends, False, False, True, True, {}), info, {})

    def new_initial_state(self, state: object = None) -> "State":
        return State(self)

    def observation_tensor_size(self) -> int:
        return Batch(self.game).observation.size


class State(pyspiel.State):
    """A batch of one game."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.batch, self.scores = Batch(game.game), [0.0] * game.game.seats

    def current_player(self) -> int:
        return int(self.batch.to_move[0]) if self.batch.to_move[0] >= 0 else pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        return self.batch.mask[0].nonzero()[0].tolist()

    def _apply_action(self, action: int) -> None:
        self.scores = self.batch.step([action])[0][0].tolist()

    def is_terminal(self) -> bool:
        return bool(self.batch.to_move[0] < 0)

    def returns(self) -> list[float]:
        return self.scores

    def observation_tensor(self, player: int) -> list[float]:
        return self.batch.observe(player).ravel().tolist()
