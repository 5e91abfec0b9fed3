"""The settings of a run, and their comparison when a run is resumed."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace

import msgspec

from ilpsum.errors import UsageError
from ilpsum.files.digests import Digests
from ilpsum.pipeline.system import System
from ilpsum.records import RunSettings

# Option of `ilpsum summarize`, or key of its `--set`, by setting; the system determines all other settings.
_OPTIONS = {
    "system.name": "--system", "format": "--to", "words": "--words", "bytes": "run.bytes",
    "objective.lambda_": "--lambda", "system.threshold": "selection.threshold", "solver.name": "--solver",
    "solver.node_limit": "solver.nodes", "text.order": "--order",
    "text.overlap": "coherence.overlap", "input.found": "--found",
    "input.coverage": "--coverage", "input.exact": "source.exact", "input.pool": "--pool",
    "sources.since": "source.since", "sources.kinds": "source.kinds", "sources.humans": "source.humans",
    "sources.preprints": "source.preprints", "sources.retracted": "source.retracted",
}  # fmt: skip
_FILES = {
    "system.model": "--model", "input.documents": "--documents", "input.answers": "--answers", "input.pmids": "--pmids",
}  # fmt: skip


def configuration_digest(system: System) -> str:
    """Return a digest of a system's configuration without its description."""
    plain = msgspec.to_builtins(msgspec.structs.replace(system, description=""))
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:12]


def file_digests(paths: Sequence[str] | None, digests: Digests) -> tuple[str, ...]:
    """Return digests of file contents, so that moved files are equal; keeps `-`. `InputError` for unreadable files."""
    return tuple(path if path == "-" else f"sha256:{digests(path)[:16]}" for path in paths or ())


def completed(settings: RunSettings, run: RunSettings) -> RunSettings:
    """Add a run's own settings (format, support, configuration, bytes, input) to those of a summarizer."""
    own = ("format", "support", "configuration", "bytes", "input")
    return replace(settings, **{name: getattr(run, name) for name in own})


def require_same(name: str, was: RunSettings, now: RunSettings) -> None:
    """Compare the settings of a run and its continuation; `UsageError` with the first difference and both values."""
    if was == now:
        return
    before, after = dict(_leaves(was)), dict(_leaves(now))
    # Report the system or format first, since they set defaults of others, and the configuration digest last.
    for place in sorted(before, key=lambda place: (place not in ("system.name", "format"), place == "configuration")):
        if before[place] != after[place]:
            what = "use the same settings, another name (--run), or --force to start over"
            difference = _difference(place, before[place], after[place])
            raise UsageError(f"the run {name} was started with {difference}; {what}")


def _leaves(settings: object, part: str = "") -> Iterator[tuple[str, object]]:
    """Yield each setting as dotted path (`solver.node_limit`) and value."""
    for field in fields(settings):  # type: ignore[arg-type]
        value = getattr(settings, field.name)
        if is_dataclass(value):
            yield from _leaves(value, f"{field.name}.")
        else:
            yield part + field.name, value


def _difference(place: str, was: object, now: object) -> str:
    """Describe a changed setting by its command line option, if it has one."""
    if place == "text.coherence" and isinstance(was, tuple) and isinstance(now, tuple):
        return f"--coherence {','.join(was) or 'none'}, now {','.join(now) or 'none'}"
    if place in _FILES:
        return f"another {_FILES[place]} (its contents differ)"
    if place not in _OPTIONS:
        return "another system (its file, rules of coherence or order differ)"
    return f"{_OPTIONS[place]} {_shown(was)}, now {_shown(now)}"


def _shown(value: object) -> str:
    """Format a value as on the command line."""
    if value is None or value == "":
        return "not given"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
