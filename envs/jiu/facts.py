"""What is known of Jiu besides its rules."""

from ..engine.facts import Facts

FACTS = Facts(
    small={"board_size": 6, "max_turns": 40},
    golden={"board_size": 6},
    images=4,
    opponents=("alphabeta:nodes=2000", "greedy", "mcts:sims=30", "random"),
    judge="alphabeta:nodes=20000",
    goals={"hex": 0.5, "core_mask": 1e6},
)
