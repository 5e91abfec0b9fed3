"""The settings of a run in words."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from ilpsum.records import RunSettings

# Digests of input files and of the configuration, which no reader compares.
_DIGESTS = frozenset(("configuration", "documents", "answers", "pmids"))


def described(settings: RunSettings) -> tuple[str, ...]:
    """Return the settings that differ from the defaults.

    >>> from ilpsum.records import ObjectiveSettings, SystemSettings
    >>> described(RunSettings(words=250, system=SystemSettings(method="ilp"), objective=ObjectiveSettings(0.4)))
    ('words 250', 'system.method ilp', 'objective.lambda 0.4')
    """
    return tuple(_changed(settings, RunSettings(), ""))


def _changed(settings: object, default: object, prefix: str) -> Iterator[str]:
    for name in (field.name for field in fields(settings) if field.name not in _DIGESTS):  # type: ignore[arg-type]
        value, usual = getattr(settings, name), getattr(default, name)
        if is_dataclass(value):
            yield from _changed(value, usual, f"{prefix}{name}.")
        elif value != usual:
            shown = ", ".join(map(str, value)) if isinstance(value, tuple) else "yes" if value is True else value
            yield f"{prefix}{name.rstrip('_')} {'no' if shown is False else shown}"


def shared(settings: Sequence[RunSettings]) -> tuple[str, str, str]:
    """Return the systems of a run, its lambda or threshold, and the settings that all its summaries share."""
    phrases = [described(own) for own in settings]
    common = (phrase for phrase in phrases[0] if all(phrase in own for own in phrases)) if phrases else ()
    values = [_tuned(own) for own in settings]
    names = (own.system.name for own in settings)
    listed = (", ".join(filter(None, dict.fromkeys(each))) for each in (names, values))
    return (*listed, "; ".join(common) if phrases else "no provenance")  # type: ignore[return-value]


def _tuned(settings: RunSettings) -> str:
    """Return the lambda or the threshold in words; empty if the system has neither."""
    lambda_, threshold = settings.objective.lambda_, settings.system.threshold
    return f"lambda {lambda_:g}" if lambda_ is not None else "" if threshold is None else f"threshold {threshold:g}"
