"""The reading room: a local web page and API that answer questions from abstracts, with controls
for the reader.
"""

from ilpsum.pages.room.app import application
from ilpsum.pages.room.session import Session

__all__ = ["Session", "application"]
