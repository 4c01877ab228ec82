"""What turns the environments into what a library or an experiment wants."""

from .opening import RandomOpening

__all__ = ["RandomOpening"]
