"""What is known of Surakarta besides its rules."""

from ..engine.facts import Facts

FACTS = Facts(
    small={"no_capture_limit": 12},
    golden={"no_capture_limit": 12},
    images=8,
    judge="alphabeta:nodes=20000",
)
