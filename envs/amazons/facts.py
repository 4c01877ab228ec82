"""What is known of Amazons besides its rules."""

from ..engine.facts import Facts

FACTS = Facts(
    small={"board_size": 4},
    golden={"board_size": 4},
    images=8,
    judge="alphabeta:nodes=20000",
    openspiel="amazons",  # fixed at 10x10
)
