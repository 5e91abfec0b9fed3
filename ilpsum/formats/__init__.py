"""The public name of the readers of topics: `from ilpsum.formats import read_topics`.

Formats of topics and runs are in `ilpsum.tasks`, records of articles in `ilpsum.literature`, the
text of papers in `ilpsum.papers`.
"""

from ilpsum.tasks import read_topics

__all__ = ["read_topics"]
