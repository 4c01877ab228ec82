"""Published systems, repeated with one command each: trained as printed, measured, and set beside what was claimed."""
