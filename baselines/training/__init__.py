"""A learner's run from a config, in a folder from which it can go on after a kill."""
