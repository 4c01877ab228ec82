"""Games between agents, and what they say about strength."""
