"""Networks and linear classifiers that learn what somebody has played in recorded games: behavioural cloning."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ...envs.engine.batch import Batch
from ...envs.engine.machine import usable_cores
from ...envs.engine.spec import find
from ...envs.faces.frame import Frame
from ...envs.records.game_record import GameRecord
from .network_evaluator import torch_threads
from .networks import Network, build
from .policies import best, masked

ROWS = 256  # games that are replayed side by side, and decisions that a network is shown at once
BATCH = 256  # decisions in a gradient step
LEARNING_RATE = 1e-3
CLASSIFIERS = ("linear", "svm")
"""Linear classifiers: logistic regression and a support vector machine."""
ROUNDS = 100  # of their solvers, at the most
NEVER = -1e9  # the value of an action that was never played


class Decisions(NamedTuple):
    """What was seen (m, …) float32, legal (m, outputs) int8 and done (m,) int64, and in which game (m,) int64."""

    x: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    games: np.ndarray

    def take(self, rows: np.ndarray) -> Decisions:
        """Return some of them."""
        return Decisions(*(array[rows] for array in self))


def decisions(records: Sequence[GameRecord], frame: Frame, outputs: int = 0) -> Decisions:
    """Gather all seats' decisions in games, only those for one of the first `outputs` actions (0: for any)."""
    game, outputs = find(records[0].game), outputs or frame.game.actions
    parts: list[Decisions] = []
    for first in range(0, len(records), ROWS):
        some = records[first : first + ROWS]
        batch, plies = Batch(game, len(some), 0, encoder=None), np.array([record.plies for record in some])
        batch.reset([record.seed for record in some])
        for ply in range(plies.max()):
            rows = np.flatnonzero(plies > ply)
            actions = np.array([some[row].actions[ply] for row in rows.tolist()])
            view = batch.view(rows).take(known := np.flatnonzero(actions < outputs))
            seen = frame.arrange(view.observe(frame.encoder))
            masks = frame.masks(view.mask, view.seat)[:, :outputs]
            done = [frame.seen(*each) for each in zip(actions[known].tolist(), view.seat.tolist(), strict=True)]
            parts.append(Decisions(seen, masks, np.array(done, np.int64), first + rows[known]))
            batch.step(actions, rows)
    return Decisions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def split(every: Decisions) -> tuple[Decisions, Decisions, Decisions]:
    """Split decisions 3:1:1 into those to learn from, to test by and to choose by; those of a game stay together."""
    fifth = every.games % 5
    return every.take(fifth < 3), every.take(fifth == 3), every.take(fifth == 4)


def classify(kind: str, learned: Decisions, seed: int = 0) -> Network:
    """Fit one of the linear `CLASSIFIERS` by scikit-learn; return it as a network of one layer."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    kinds = {"linear": LogisticRegression(max_iter=ROUNDS), "svm": LinearSVC(max_iter=ROUNDS, random_state=seed)}
    fitted = kinds[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(learned.x.reshape(len(learned.x), -1), learned.actions)
    net = build("mlp", learned.x.shape[1:], learned.masks.shape[1], hidden=[])
    weight, bias = net.layers[1].weight, net.layers[1].bias  # type: ignore[index,union-attr]
    with torch.no_grad():
        weight.zero_()
        bias.fill_(NEVER)
        weight[fitted.classes_] = torch.from_numpy(fitted.coef_).float()
        bias[fitted.classes_] = torch.from_numpy(fitted.intercept_).float()
    return net.eval()


def imitate(
    net: Network,
    learned: Decisions,
    chosen_by: Decisions,
    epochs: int,
    seed: int = 0,
    report: Callable[[int, float], None] | None = None,
) -> Network:
    """Train a network on decisions for `epochs` epochs; return it as it was when it foretold `chosen_by` best.

    `report` is called after every epoch with its number and the share of `chosen_by` that is foretold.
    """
    rng, optimizer = np.random.default_rng(seed), torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    best_net, most = net, -1.0
    with torch_threads(usable_cores()):
        for epoch in range(1, epochs + 1):
            for rows in np.array_split(rng.permutation(len(learned.actions)), -(-len(learned.actions) // BATCH)):
                some = learned.take(rows)
                logits = masked(net(torch.from_numpy(some.x)), torch.from_numpy(some.masks))
                loss = functional.cross_entropy(logits, torch.from_numpy(some.actions))
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
            found = accuracy(net, chosen_by)
            if report is not None:
                report(epoch, found)
            if found > most:
                best_net, most = deepcopy(net), found
    return best_net.eval()


def accuracy(net: nn.Module, decisions: Decisions) -> float:
    """Compute the share of decisions that a network's best legal action foretells."""
    foretold = 0
    with torch.inference_mode():
        for first in range(0, len(decisions.actions), ROWS):
            some = decisions.take(np.arange(first, min(first + ROWS, len(decisions.actions))))
            actions = best(net(torch.from_numpy(some.x)), torch.from_numpy(some.masks))[:, 0]
            foretold += int((actions.numpy() == some.actions).sum())
    return foretold / max(1, len(decisions.actions))
