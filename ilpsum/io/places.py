"""Where files may be written: never over another file."""

from pathlib import Path

from ilpsum.errors import UsageError
from ilpsum.io.atomic import require_file

# How a file starts that may be replaced.
_STARTS = {"page": b"<!doctype html", "provenance": b'{"version":'}


def require_place(path: Path, option: str, kind: str = "page") -> None:
    """Check before any work that a `page` or `provenance` can be written at an option's path; `UsageError` if not."""
    if path.is_dir():
        raise UsageError(f"{option} {path}: is a folder; name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.parent}; create it or name another")
    if path.exists() and not _starts(path, option, _STARTS[kind]):
        raise UsageError(f"{option} {path}: exists and is not an earlier {kind}; name another file")


def _starts(path: Path, option: str, start: bytes) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(start)).lower() == start
    except OSError as error:
        raise UsageError(f"{option} {path}: cannot be read: {error.strerror}; name another file") from None


def require_new(path: Path, *, force: bool) -> None:
    """Check before any work that --out can be written, replacing a file only with --force; `UsageError` if not."""
    if not path.parent.is_dir():
        raise UsageError(f"--out {path}: the folder {path.parent} does not exist")
    if path.exists() and not force:
        raise UsageError(f"--out {path} exists; choose another name, or replace it with --force")
    require_file(path)
