"""What every game owes the engine, checked: shipped for authors of games."""
