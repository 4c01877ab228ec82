"""The parameters of `AlphaZero`, without what it needs to run."""

from __future__ import annotations

from ...envs.engine.spec import Param
from ..search.guided import PARAMS as GUIDED
from ..search.knowledge import EXAMINE

MANY = 10**12
LEAF = Param(
    "network", "what values positions: the network, or one random playout of each", choices=("network", "playout")
)
PROOFS = Param(
    0,
    "most positions that alpha-beta by the game's evaluation meets in each leaf, to prove who wins; 0: none",
    low=0,
    high=1_000_000,
)

PARAMS: dict[str, Param] = {
    "network": Param("board", "network", choices=("board", "mlp", "layout", "policy42_value36")),
    "encoder": Param("", "what the network sees; empty: the game's default encoder"),
    "start": Param("", "weights to begin with, as einstein (weights that ship), runs/NAME or a file; empty: new ones"),
    "records": Param("", "recorded games to learn from before any are played: a file that boyi arena --out wrote"),
    "precision": Param(
        "auto", "numbers that networks compute with; auto: the quicker", choices=("auto", "float32", "bfloat16")
    ),
    "envs": Param(128, "games in progress at once, of every game", low=1, high=100_000),
    "halves": Param(2, "parts of them that play side by side, each on a thread of its own", low=1, high=1024),
    "moves": Param(8, "decisions in every game between two rounds of learning", low=1, high=1_000_000),
    "sims": Param(64, "simulations of a full search", low=2, high=1_000_000),
    "quick_sims": Param(16, "simulations of a quick search, which nothing is learned from", low=2, high=1_000_000),
    "full_share": Param(1.0, "share of the searches that are full (playout cap)", low=0.0, high=1.0),
    **GUIDED,
    "leaf": LEAF,
    "proofs": PROOFS,
    "examine": EXAMINE,
    "c": Param(1.5, GUIDED["c"].doc, low=0.0, high=1000.0),
    "keep_tree": Param(True, "keep the part of the tree that was played (root=puct)"),
    "noise": Param(
        "root",
        "root: in the priors of the root; published: in the shares of visits after the search",
        choices=("none", "root", "published"),
    ),
    "noise_share": Param(0.25, "share of the noise", low=0.0, high=1.0),
    "dirichlet": Param(0.3, "concentration of the noise", low=0.0001, high=1000.0),
    "temperature": Param(1.0, "self-play draws moves by visits ** (1 / temperature)", low=0.0, high=100.0),
    "temperature_plies": Param(10, "for this many plies; after them the most visited is played", low=0, high=1_000_000),
    "opening": Param(0, "first actions of a game, each of them random in half of the games", low=0, high=1000),
    "openings": Param(
        0,
        "three games in four begin with the most even, by the network, of this many random openings of up to `opening` "
        "actions, the others with one of them; 0: as `opening` says",
        low=0,
        high=1000,
    ),
    "outcome_share": Param(1.0, "share of the outcome in the target; the rest is the root's value", low=0.0, high=1.0),
    "symmetry": Param(
        "game",
        "show every sample in a random image: of the game's symmetries; of the board's, or S3's two (jiu)",
        choices=("game", "board", "printed", "none"),
    ),
    "surprise": Param(
        0.0, "share of the samples given out by how much their searches surprised the network", low=0.0, high=1.0
    ),
    "window": Param(20_000, "samples that are learned from at first, the newest", low=1, high=MANY),
    "window_growth": Param(0.75, "the window grows as the count of samples to this power", low=0.0, high=1.0),
    "buffer_size": Param(500_000, "most samples that are kept, of every game", low=1, high=MANY),
    "learning_starts": Param(2000, "samples before learning", low=0, high=MANY),
    "draws": Param(4.0, "how often a sample is drawn, on average, when it is new", low=0.0, high=1000.0),
    "batch_size": Param(256, "samples in a gradient step", low=1, high=1_000_000),
    "kl_stop": Param(
        0.0, "learning after a round ends early when policies moved this far, in nats; 0: never", low=0.0, high=100.0
    ),
    "optimizer": Param("adam", "optimizer; adam decays weights separately from the gradient", choices=("adam", "sgd")),
    "learning_rate": Param(1e-3, "step size of the optimizer", low=0.0, high=10.0),
    "decay_games": Param(0, "games between two divisions of the learning rate; 0: never", low=0, high=MANY),
    "decay": Param(10.0, "what it is divided by", low=1.0, high=1000.0),
    "momentum": Param(0.9, "of optimizer=sgd", low=0.0, high=0.9999),
    "weight_decay": Param(1e-4, "weight of the squared weights", low=0.0, high=1.0),
    "clip": Param(0.0, "longest gradient; 0: any", low=0.0, high=1e6),
    "value_weight": Param(1.0, "weight of the squared error of the value", low=0.0, high=1000.0),
    "reply_weight": Param(0.0, "weight of the cross entropy with what is played next", low=0.0, high=1000.0),
    "owner_weight": Param(
        0.0,
        "weight of the squared error of whose stone is on each cell at the end, where the first two planes are stones",
        low=0.0,
        high=1000.0,
    ),
    "average": Param(
        0.0,
        "share of the weights' mean that a step keeps; the mean plays; 0: the latest weights do",
        low=0.0,
        high=0.9999,
    ),
    "gate_interval": Param(
        0, "decisions between two matches of the newest network with the best; 0: none", low=0, high=MANY
    ),
    "gate_games": Param(40, "games in such a match, an even number", low=2, high=1_000_000, even=True),
    "gate_threshold": Param(0.55, "score at which the newest becomes the best, which plays", low=0.0, high=1.0),
    "workers": Param(0, "processes that play, each on a core; 0: threads of this one do", low=0, high=1024),
    "cluster": Param(
        "", "ray: these are on the nodes of a Ray cluster; with workers=0 on each core", choices=("", "ray")
    ),
    "threads": Param(0, "threads in all; 0: one for each core", low=0, high=1024),
    "seed": Param(0, "same seed, same run", low=0, high=2**32 - 1),
}
