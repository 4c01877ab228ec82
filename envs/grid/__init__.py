"""What games on a board of cells share."""
