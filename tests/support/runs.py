"""A training run small enough for a test."""

TINY = """
game = "hex:board_size=3"
policy = "MlpPolicy"
choices = { hidden = [16] }
envs = 8
steps = 1200
learning_starts = 100
buffer_size = 700
exploration_steps = 800
evaluation_interval = 500
evaluation_games = 4
checkpoint_interval = 300
log_interval = 200
double = true
symmetry = true
opening = 1
"""
