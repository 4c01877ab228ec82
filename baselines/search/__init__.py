"""Searches that play any game whose facts fit: mcts, puct, alphabeta, expectimax and exact, each beside its kernels."""
