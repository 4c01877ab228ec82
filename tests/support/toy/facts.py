"""What is known of the toy besides its rules."""

from boyi.envs.engine.facts import Facts

FACTS = Facts(images=9)
