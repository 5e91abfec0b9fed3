"""Extractive multi-document summaries by exact integer linear programming."""

from importlib import import_module
from importlib.machinery import PathFinder

# Nothing but what Python has loaded when it starts is imported here: until the package stands,
# Ctrl-C ends the command in a traceback (see `__main__`). So this is not `typing.TYPE_CHECKING`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ilpsum.answers.sources import Sources
    from ilpsum.answers.steps import Summarizer
    from ilpsum.api.asking import Answered, ask, summarize
    from ilpsum.api.inputs import topics_of
    from ilpsum.api.runs import WrittenRun, write_run
    from ilpsum.api.scoring import compare, evaluate, scores
    from ilpsum.api.shortening import compress
    from ilpsum.api.sweeping import sweep
    from ilpsum.api.tables import Table
    from ilpsum.api.training import link, train, train_links
    from ilpsum.learning.judging.judge import Judge
    from ilpsum.passages import Passage, Passages, select
    from ilpsum.records import Citance, Document, Sentence, Span, Summary, Topic
    from ilpsum.version import __version__

_LAZY = {
    "Summarizer": "ilpsum.answers.steps",
    "Sources": "ilpsum.answers.sources",
    "Table": "ilpsum.api.tables",
    "Judge": "ilpsum.learning.judging.judge",
    "compress": "ilpsum.api.shortening",
    "sweep": "ilpsum.api.sweeping",
    "topics_of": "ilpsum.api.inputs",
    "__version__": "ilpsum.version",
    **dict.fromkeys(
        ("Citance", "Document", "Sentence", "Span", "Summary", "Topic"), "ilpsum.records"
    ),
    **dict.fromkeys(("Answered", "ask", "summarize"), "ilpsum.api.asking"),
    **dict.fromkeys(("WrittenRun", "write_run"), "ilpsum.api.runs"),
    **dict.fromkeys(("Passage", "Passages", "select"), "ilpsum.passages"),
    **dict.fromkeys(("compare", "evaluate", "scores"), "ilpsum.api.scoring"),
    **dict.fromkeys(("link", "train", "train_links"), "ilpsum.api.training"),
}

__all__ = [
    "Answered", "Citance", "Document", "Judge", "Passage", "Passages", "Sentence", "Sources",
    "Span", "Summarizer", "Summary",
    "Table", "Topic", "WrittenRun", "__version__", "ask", "compare", "compress", "evaluate", "link",
    "scores", "select",
    "summarize", "sweep", "topics_of", "train", "train_links", "write_run",
]  # fmt: skip


def _check_features() -> None:
    """Raise an error that names the file shadowing our package `features`, such as a user's
    features.py beside a script.
    """
    spec = PathFinder.find_spec("features")
    if spec is None or spec.origin is None:
        return
    registry = PathFinder.find_spec("features.registry", spec.submodule_search_locations or [])
    if registry is None:
        raise ImportError(
            f"{spec.origin} hides the package `features` that ilpsum needs; rename it"
        )


_check_features()


def __getattr__(name: str) -> "Any":
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
