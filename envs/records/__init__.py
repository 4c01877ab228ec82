"""Games as files and as text."""
