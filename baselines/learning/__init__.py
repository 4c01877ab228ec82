"""Learners, their networks and memories, and agents that play what a run has learned."""
