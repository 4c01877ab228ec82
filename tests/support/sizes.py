"""Sizes of games at which agents are tried."""

# Small enough that 20 games of each take seconds.
SIZES = {
    "einstein": "einstein:board_size=3,stones=2",
    "gomoku": "gomoku:board_size=6",
    "hex": "hex:board_size=4",
    "jiu": "jiu:board_size=6,max_turns=40",
    "mahjong": "mahjong",
}


# Where an agent wants another size: everything that can follow must fit into memory, OpenSpiel has one EinStein.
OTHER_SIZES = {("exact", "hex"): "hex:board_size=3", ("openspiel", "einstein"): "einstein"}


TOO_LARGE = {("exact", "gomoku"), ("exact", "jiu")}
