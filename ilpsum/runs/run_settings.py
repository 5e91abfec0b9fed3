"""The settings of a run: in words, and compared when a run is resumed."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import msgspec

from ilpsum.errors import UsageError
from ilpsum.files.reading import digest_of
from ilpsum.pipeline.system import System, names, plain
from ilpsum.records import RunSettings
from ilpsum.records.tables import Table, graded_by
from ilpsum.runs.seen import system_and_kind

# Digests of input files and of the configuration, which no reader compares.
_DIGESTS = frozenset(("configuration", "input.documents", "input.answers", "input.pmids"))


# Settings in force, and the key of the table that each comes from.
_USED = {
    "system.method": "selection.method",
    "system.threshold": "selection.threshold",
    "objective.lambda": "selection.lambda",
    "text.order": "order.by",
    "text.labels": "order.labels",
}


def configuration_digest(system: System) -> str:
    """Return a digest of a system's configuration without its description, and of a judge only what
    its grades depend on.
    """
    content = plain(system) | {"description": ""}
    content["judge"] = msgspec.to_builtins(graded_by(system.judge))
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:12]


def file_digests(paths: Iterable[str | Path]) -> tuple[str, ...]:
    """Return digests of file contents, so that moved files are equal; keeps `-`.

    `InputError` for unreadable files.
    """
    files = map(str, paths)
    return tuple(file if file == "-" else f"sha256:{digest_of(file)[:16]}" for file in files)


def completed(settings: RunSettings, run: RunSettings) -> RunSettings:
    """Add a run's own settings (format, support, configuration, bytes, input) to those of a
    summarizer.
    """
    names = ("format", "support", "configuration", "bytes", "input")
    return replace(settings, **{name: getattr(run, name) for name in names})


def described(settings: RunSettings) -> tuple[str, ...]:
    """Return the settings that differ from the defaults, and who set them.

    >>> from ilpsum.records import ObjectiveSettings, SystemSettings
    >>> described(RunSettings(words=250, system=SystemSettings(method="ilp"),
    ...     objective=ObjectiveSettings(0.4)))
    ('words 250', 'system.method ilp', 'objective.lambda 0.4')
    """
    usual = dict(_leaves(RunSettings()))
    phrases = []
    for place, value in _leaves(settings):
        if place in _DIGESTS or place in _USED.values() or value == usual.get(place):
            continue
        origin = _origin(settings, _USED.get(place, place))
        phrases.append(f"{place} {_shown(value)}" + (f" ({origin})" if origin else ""))
    return tuple(phrases)


def shared(settings: Sequence[RunSettings]) -> tuple[str, str, str]:
    """Return the systems of a run, its lambda, threshold or selector's parameters, and the settings
    that all its summaries share.
    """
    if not settings:
        return "", "", "no provenance"
    # Most topics of a run have equal settings; they cannot be hashed.
    distinct = list[RunSettings]()
    for one in settings:
        if not any(one == other and one.origins == other.origins for other in distinct):
            distinct.append(one)
    systems = dict.fromkeys(one.system.name for one in distinct)
    tuned = dict.fromkeys(_tuned(one) for one in distinct)
    first, *others = [described(one) for one in distinct]
    common = [phrase for phrase in first if all(phrase in other for other in others)]
    return ", ".join(systems), "; ".join(filter(None, tuned)), "; ".join(common)


def _tuned(settings: RunSettings) -> str:
    """Return the lambda, the threshold or the selector's own parameters that somebody set, in
    words, and where each comes from.
    """
    system = settings.system
    for name, value in (("lambda", settings.objective.lambda_), ("threshold", system.threshold)):
        if value is not None:
            return f"{name} {value:g}, {_origin(settings, f'selection.{name}') or 'default'}"
    written = []
    for name, parameter in system.parameters.items():
        if origin := _origin(settings, f"{system.method}.{name}"):
            written.append(f"{name} {_shown(parameter)}, {origin}")
    return "; ".join(written)


def _origin(settings: RunSettings, key: str) -> str:
    """Return who set a key, in words; empty if nobody did. An included file is named by its system,
    since users type the system's name.
    """
    origin = settings.origins.get(key, "")
    name = origin.removesuffix(".toml")
    if name == origin or name not in names():
        return origin
    return f"system {name if name == settings.system.name else system_and_kind(name)[0]}"


def require_same(name: str, was: RunSettings, now: RunSettings) -> None:
    """Compare the settings of a run and its continuation; `UsageError` with the first difference
    and both values.
    """
    before, after = (dict(_leaves(replace(s, judge=graded_by(s.judge)))) for s in (was, now))
    changed = [place for place in before if before[place] != after.get(place)]
    if not changed:
        return
    # Report the system or format first, since they set defaults of others, and the configuration
    # digest last.
    first = ("system.name", "format")
    place = min(changed, key=lambda place: (place not in first, place == "configuration"))
    difference = f"{place} {_shown(before[place])}, now {_shown(after.get(place))}"
    if place in _DIGESTS or place == "system.model":
        difference = f"another {place} (its contents differ)"
    what = "use the same settings, another name (--run), or --force to start over"
    raise UsageError(f"the run {name} was started with {difference}; {what}")


def _leaves(settings: object, part: str = "") -> Iterator[tuple[str, object]]:
    """Yield each setting as dotted path (`solver.node_limit`) and value."""
    names = [*getattr(settings, "__struct_fields__", ())]
    if is_dataclass(settings):
        names = [field.name for field in fields(settings) if field.compare]
    for name in names:
        value = getattr(settings, name)
        if is_dataclass(value) or isinstance(value, Table):
            yield from _leaves(value, f"{part}{name}.")
        else:
            yield part + name.rstrip("_"), value


def _shown(value: object) -> str:
    """Format a value as on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items()) or "none"
    return "not given" if value is None or value == "" else str(value)
