"""The settings of a run, from the options of the verb `summarize`."""

import argparse
import hashlib
from typing import Any

from ilpsum.io.digests import Digests
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

    from ilpsum.retrieval import FOUND, known_digests

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
    digests = known_digests(options.index)
    found["documents"] = [_content(path, digests) for path in options.documents or ()]
    found["answers"] = [_content(path, digests) for path in [options.answers] if path]
    digests.save()
    # What no name above says, such as the rest of a system's own file.
    plain = msgspec.to_builtins(msgspec.structs.replace(system, description=""))
    found["configuration"] = hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:12]
    return found


def _content(path: str, digests: Digests) -> str:
    """Name a file by its content, so that a moved file is the same."""
    return path if path == "-" else f"sha256:{digests(path)[:16]}"
