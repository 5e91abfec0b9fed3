"""What the topics of one run are made with, which a run that is resumed must not change."""

import hashlib
from collections.abc import Mapping
from typing import Any

from ilpsum.errors import UsageError
from ilpsum.records import Summary, Topic

KEPT = "settings"
"""Where a summary's details, and so the provenance, keep the settings of the run."""

GIVEN = "topic_digest"
"""Where a summary's details keep the digest of the topic that it was made of."""

# Each stands in a summary's details, if anywhere.
_OF_DETAILS = (
    "method", "words", "lambda", "formulation", "solver", "alpha", "concepts", "threshold", "seed", "features", "model"
)  # fmt: skip

# What is not switched on is not written.
_SWITCHED = ("coherence", "order")


def require_same(name: str, then: Summary, now: Summary | Mapping[str, Any]) -> None:
    """Compares the settings of a run with those of a summary, or those that are given, under their names.

    Settings that were kept are compared in whole; a summary without kept ones by what else its details tell.

    Raises:
        UsageError: one differs; the error names it, what it was and what it is.
    """
    before, after = _of(then), _of(now) if isinstance(now, Summary) else dict(now)
    kept = KEPT in then.details and (isinstance(now, Mapping) or KEPT in now.details)
    if kept:
        keys = [*after, *(key for key in before if key not in after)]
    else:
        keys = [key for key in ("system", *_OF_DETAILS) if key in before.keys() & after.keys()] + list(_SWITCHED)
    for key in keys:
        was, is_ = before.get(key), after.get(key)
        if was != is_:
            what = "give the same settings, another name (--run), or --force to begin anew"
            raise UsageError(f"the run {name} was begun with {key} {_shown(was)}, this is {_shown(is_)}; {what}")


def content(topic: Topic) -> str:
    """A digest of all that a topic's summary is made of.

    Gold is none of it, nor is what a search said of itself.
    """
    import msgspec

    given = msgspec.msgpack.encode((topic.query, topic.documents, topic.citances))
    return hashlib.blake2b(given, digest_size=8).hexdigest()


def _of(summary: Summary) -> dict[str, Any]:
    plain = {key: summary.details[key] for key in (*_OF_DETAILS, *_SWITCHED) if key in summary.details}
    return {"system": summary.system, **plain, **summary.details.get(KEPT, {})}


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
