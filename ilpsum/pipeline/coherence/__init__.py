"""What makes an answer of sentences from many places read as one: which may stand there, with which other, once each.

The rules are constraints of the ILP, so that the best set that keeps them is found, and proved, as ever.
"""

from ilpsum.pipeline.coherence.rules import Constraints, Room, constraints

__all__ = ["Constraints", "Room", "constraints"]
