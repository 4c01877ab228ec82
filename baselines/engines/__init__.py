"""Programs of other authors as agents here, and agents of ours as programs elsewhere."""
