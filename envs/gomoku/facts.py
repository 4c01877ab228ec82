"""What is known of Gomoku besides its rules."""

from ..engine.facts import Facts

FACTS = Facts(
    small={"board_size": 5},
    golden={"board_size": 6, "rule": "standard"},
    images=8,
    opponents=("alphabeta:depth=5", "az:gomoku", "puct:sims=100", "mcts:sims=1000", "random"),
    judge="alphabeta:nodes=50000",
    program="gomocup",
    openspiel="gomoku(size={board_size})",
    goals={"openspiel": 3.0, "mcts": 10.0},
)
