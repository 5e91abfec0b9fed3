"""Small, frozen, typed records without behaviour that the rooms exchange.

Offsets count Unicode code points in a document's text; ends are exclusive.
"""

from ilpsum.records import notices as notices
from ilpsum.records.publications import *  # noqa: F403
from ilpsum.records.summaries import *  # noqa: F403
from ilpsum.records.topics import *  # noqa: F403
