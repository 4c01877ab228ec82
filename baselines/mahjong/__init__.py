"""The published search over the hands of mahjong: its tree, and evaluators of the hands at its leaves."""
