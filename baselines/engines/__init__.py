"""Other authors' programs as agents here, and our agents as programs elsewhere."""
