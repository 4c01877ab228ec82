"""A learner's run from a config, in a folder that a kill leaves fit to go on from."""
