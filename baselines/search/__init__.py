"""Searches that play any game their facts fit: mcts, puct, alphabeta, expectimax and exact, each beside its kernels."""
