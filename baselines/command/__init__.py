"""The command `boyi`."""
