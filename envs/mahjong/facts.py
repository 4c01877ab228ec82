"""What is known of mahjong besides its rules."""

from ..engine.facts import Facts

FACTS = Facts(
    images=12,
    opponents=("expectimax", "expectimax:evaluator=ddqn:mahjong", "greedy", "random"),
    rlcard="mahjong",  # of 13 tiles, without tai
    goals={"rlcard": 50.0, "observation": 500.0},
)
