"""The settings of a run, from the options of the verb `summarize`."""

import argparse
import hashlib
from typing import Any

from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.runs.formats import is_read


def settings(options: argparse.Namespace, summarizer: Summarizer, words: int, form: str, to: str) -> dict[str, Any]:
    """What the topics of a run are made with, as JSON has it; see `ilpsum.runs.settings`.

    Args:
        options: those of the verb.
        summarizer: the system as it is used.
        words: the word limit.
        form: format of the topics.
        to: format of the run.

    Raises:
        InputError: a file that is named cannot be read.
    """
    import msgspec

    from ilpsum.retrieval import FOUND

    system = summarizer.system
    found: dict[str, Any] = {
        "system": system.name,
        **summarizer.details(words),
        "labels": system.order.labels,
        "format": to,
        "node_limit": summarizer.limits.nodes if summarizer.limits else None,
        "time_limit": summarizer.limits.seconds if summarizer.limits else None,
        "fallback": summarizer.fallback,
    }
    if form == "biogen":
        found |= {"found": options.found or FOUND, "coverage": options.coverage or 0.0}
    if form == "bioasq":
        found["pool"] = options.pool or "snippets"
    if is_read(to):
        found["support"] = options.support
    found |= {"documents": _contents(options.documents), "answers": _contents(options.answers and [options.answers])}
    # What no name above says, such as the rest of a system's own file.
    plain = msgspec.to_builtins(msgspec.structs.replace(system, description=""))
    found["configuration"] = hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:12]
    return found


def _contents(paths: list[str] | None) -> list[str]:
    """Files by their contents: one that was moved is the same."""
    from ilpsum.io.files import digest

    return [path if path == "-" else f"sha256:{digest(path)[:16]}" for path in paths or ()]
