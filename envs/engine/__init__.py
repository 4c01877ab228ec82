"""What every game stands on: its facts, the protocol of its kernels, and many games in one batch."""
