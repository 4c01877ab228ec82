"""Work shared out to processes, of this machine or of a cluster."""
