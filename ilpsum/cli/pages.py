"""Where a page may be written: never over a file that is not one."""

from pathlib import Path

from ilpsum.errors import UsageError

# The start of every page: other files are never replaced.
_PAGE = b"<!doctype html"


def require_place(path: Path, option: str) -> None:
    """Check before any work that a page can be written to the path of an option.

    Raises:
        UsageError: it cannot, or another file would be replaced.
    """
    if path.is_dir():
        raise UsageError(f"{option} {path}: is a folder; name a file in it, such as report.html")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.parent}; create it or name another")
    if path.exists() and not _is_page(path, option):
        raise UsageError(f"{option} {path}: exists and is not an earlier page; name another file")


def _is_page(path: Path, option: str) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(_PAGE)).lower() == _PAGE
    except OSError as error:
        raise UsageError(f"{option} {path}: cannot be read: {error.strerror}; name another file") from None
