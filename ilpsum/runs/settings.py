"""What the topics of one run are made with, which a run that is resumed must not change."""

from collections.abc import Mapping
from typing import Any

from ilpsum.errors import UsageError
from ilpsum.records import Summary

KEPT = "settings"
"""Where a summary's details, and so the provenance, keep the settings of the run."""

GIVEN = "topic_digest"
"""Where a summary's details keep the digest of the topic that it was made of."""

# Each stands in a summary's details, if anywhere.
_OF_DETAILS = (
    "method", "words", "lambda", "formulation", "solver", "alpha", "concepts", "threshold", "seed", "features", "model"
)  # fmt: skip

# The options of `ilpsum summarize` that set them; what has none comes with the system.
_OPTIONS = {
    name: "--" + name.replace("_", "-")
    for name in (
        "system", "words", "lambda", "formulation", "solver", "seed", "order", "labels", "same", "node_limit",
        "time_limit", "fallback", "found", "coverage", "pool", "support"
    )
} | {"format": "--to", "compression": "--compress"}  # fmt: skip
_FILES = {name: f"--{name}" for name in ("model", "documents", "answers")}

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
            raise UsageError(f"the run {name} was begun with {_difference(key, was, is_)}; {what}")


def _of(summary: Summary) -> dict[str, Any]:
    plain = {key: summary.details[key] for key in (*_OF_DETAILS, *_SWITCHED) if key in summary.details}
    return {"system": summary.system, **plain, **summary.details.get(KEPT, {})}


def _difference(key: str, was: Any, is_: Any) -> str:
    """A setting that differs, as the option that sets it, where one does."""
    if key == "coherence":
        rules, now = _rules(was), _rules(is_)
        if rules != now:
            return f"--coherence {rules}, this is {now}"
        key, was, is_ = "same", (was or {}).get("same"), (is_ or {}).get("same")
    if key == "compression":
        was, is_ = bool(was), bool(is_)
    if key in _FILES:
        return f"another {_FILES[key]} (what is in it differs)"
    if key not in _OPTIONS or was == is_:
        return "another system (its own file, its rules of coherence or its order differ)"
    was, is_ = ("not given" if key in ("same", "order") and value is None else _shown(value) for value in (was, is_))
    return f"{_OPTIONS[key]} {was}, this is {is_}"


def _rules(coherence: Mapping[str, Any] | None) -> str:
    return ",".join(rule for rule, value in (coherence or {}).items() if value is True) or "none"


def _shown(value: Any) -> str:
    """A value as an option takes it."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "on", False: "off"}[value]
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
