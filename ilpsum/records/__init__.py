"""The records that pass between rooms: small, frozen, typed, without behaviour.

Offsets are Unicode code points into a document's text, end exclusive.
"""

from ilpsum.records.publications import *  # noqa: F403
from ilpsum.records.summaries import *  # noqa: F403
from ilpsum.records.topics import *  # noqa: F403
