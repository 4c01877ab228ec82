"""What is known of Hex besides its rules."""

from ..engine.facts import Facts

FACTS = Facts(
    small={"board_size": 3},
    solvable={"board_size": 3},
    golden={"board_size": 5, "swap": True},
    images=2,
    opponents=("alphabeta:depth=2", "az:hex", "mcts:sims=1000", "mcts:sims=60", "random"),
    program="gtp",
    openspiel="hex(board_size={board_size},swap={swap})",
    pgx="hex",  # fixed at 11x11
    goals={
        "connect_four": 20.0,
        "openspiel": 4.0,
        "observation": 15.0,
        "mask": 50.0,
        "mcts": 15.0,
        "replay": 5.0,
        "selfplay": 1.0,
    },
)
