"""Extractive multi-document summaries by exact integer linear programming."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilpsum.records import Citance, Document, Sentence, Span, Summary, Topic
from ilpsum.version import __version__

if TYPE_CHECKING:
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
    from ilpsum.passages import Passage, Passages, select

# Modules that import numpy, which `ilpsum --help` does not need.
_LAZY = {
    "Summarizer": "ilpsum.answers.steps",
    "Sources": "ilpsum.answers.sources",
    "Table": "ilpsum.api.tables",
    "compress": "ilpsum.api.shortening",
    "sweep": "ilpsum.api.sweeping",
    "topics_of": "ilpsum.api.inputs",
    **dict.fromkeys(("Answered", "ask", "summarize"), "ilpsum.api.asking"),
    **dict.fromkeys(("WrittenRun", "write_run"), "ilpsum.api.runs"),
    **dict.fromkeys(("Passage", "Passages", "select"), "ilpsum.passages"),
    **dict.fromkeys(("compare", "evaluate", "scores"), "ilpsum.api.scoring"),
    **dict.fromkeys(("link", "train", "train_links"), "ilpsum.api.training"),
}

__all__ = [
    "Answered", "Citance", "Document", "Passage", "Passages", "Sentence", "Sources", "Span",
    "Summarizer", "Summary",
    "Table", "Topic", "WrittenRun", "__version__", "ask", "compare", "compress", "evaluate", "link",
    "scores", "select",
    "summarize", "sweep", "topics_of", "train", "train_links", "write_run",
]  # fmt: skip


def _check_features() -> None:
    """Raise an error that names the file shadowing our package `features`, e.g.

    a user's features.py by a script.
    """
    spec = find_spec("features")
    origin = Path((spec and spec.origin) or "")
    if origin.is_file() and not (
        origin.name == "__init__.py" and origin.with_name("registry.py").is_file()
    ):
        raise ImportError(f"{origin} hides the package `features` that ilpsum needs; rename it")


_check_features()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
