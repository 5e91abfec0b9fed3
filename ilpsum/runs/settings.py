"""The settings of a run, and the comparison with those of a resumed run."""

import hashlib
from collections.abc import Sequence
from dataclasses import fields

import msgspec

from ilpsum.errors import UsageError
from ilpsum.io.digests import Digests
from ilpsum.pipeline.system import System
from ilpsum.records import RunSettings

# The options of `ilpsum summarize` that set them; the system sets the others.
_OPTIONS = {
    name: "--" + name.replace("_", "-")
    for name in (
        "system", "words", "solver", "seed", "order", "labels", "overlap", "node_limit", "time_limit", "fallback",
        "found", "coverage", "pool", "support"
    )
} | {"lambda_": "--lambda", "format": "--to"}  # fmt: skip
_FILES = {name: f"--{name}" for name in ("model", "documents", "answers", "pmids")}


def configuration_digest(system: System) -> str:
    """Return a digest of a system's whole configuration, without its description."""
    plain = msgspec.to_builtins(msgspec.structs.replace(system, description=""))
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:12]


def file_digests(paths: Sequence[str] | None, digests: Digests) -> tuple[str, ...]:
    """Return digests of files' contents (`-` stays as it is), so that a moved file counts as the same.

    Raises:
        InputError: a file cannot be read.
    """
    return tuple(path if path == "-" else f"sha256:{digests(path)[:16]}" for path in paths or ())


def require_same(name: str, was: RunSettings, now: RunSettings) -> None:
    """Compare the settings of a run with those of its continuation.

    Raises:
        UsageError: a setting differs; the error names it with both values.
    """
    # The system and the format set defaults of other settings, so they come first.
    for field in sorted(fields(RunSettings), key=lambda field: field.name not in ("system", "format")):
        before, after = getattr(was, field.name), getattr(now, field.name)
        if before != after:
            what = "use the same settings, another name (--run), or --force to start over"
            raise UsageError(f"the run {name} was started with {_difference(field.name, before, after)}; {what}")


def _difference(name: str, was: object, now: object) -> str:
    """Describe a setting that differs, by its option if it has one."""
    if name == "coherence" and isinstance(was, tuple) and isinstance(now, tuple):
        return f"--coherence {','.join(was) or 'none'}, now {','.join(now) or 'none'}"
    if name == "compression":
        return f"--compress {_shown(bool(was))}, now {_shown(bool(now))}"
    if name in _FILES:
        return f"another {_FILES[name]} (its contents differ)"
    if name not in _OPTIONS:
        return "another system (its file, rules of coherence or order differ)"
    return f"{_OPTIONS[name]} {_shown(was)}, now {_shown(now)}"


def _shown(value: object) -> str:
    """Return a value as its option takes it."""
    if value is None or value == "":
        return "not given"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
