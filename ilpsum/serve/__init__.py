"""The reading room: a local web page and API that answer questions from abstracts, with controls for the reader."""

from ilpsum.serve.app import application
from ilpsum.serve.room import Room, Services

__all__ = ["Room", "Services", "application"]
