"""What is known of EinStein besides its rules."""

from ..engine.facts import Facts

FACTS = Facts(
    small={"board_size": 3, "stones": 2},
    solvable={"board_size": 3, "stones": 2},
    images=8,
    opponents=("expectimax:depth=3", "az:einstein", "mcts:sims=100", "random"),
    openspiel="einstein_wurfelt_nicht",
    goals={"openspiel": 3.0, "mcts": 5.0, "core": 2e6, "published": 3000.0},
)
