"""Agents that neither search nor learn here: greedy, two in one, several as one, OpenSpiel's search, and models."""
