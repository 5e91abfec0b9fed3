"""Python for what the command line does: train, sweep, evaluate, compare, link and compress, on topics in memory.

Each function takes topics, or paths that hold them, and returns small records; `Table` is a list of such records that
turns into columns, or into a table of pandas or polars. `ilpsum.Summarizer` and `ilpsum.select` need no wrapper.
"""

from ilpsum.api.inputs import topics_of
from ilpsum.api.scoring import Scored, compare, evaluate
from ilpsum.api.shortening import Shortened, compress
from ilpsum.api.sweeping import Optimum, Swept, sweep
from ilpsum.api.tables import Table
from ilpsum.api.training import link, train

__all__ = [
    "Optimum", "Scored", "Shortened", "Swept", "Table",
    "compare", "compress", "evaluate", "link", "sweep", "topics_of", "train",
]  # fmt: skip
