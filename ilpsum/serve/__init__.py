"""The reading room: a page and an API on this machine that answer questions from abstracts and let a reader steer."""

from ilpsum.serve.app import application
from ilpsum.serve.room import Room, Services

__all__ = ["Room", "Services", "application"]
