"""What services have answered, as files in the user's cache folder.

Plain files rather than a database of a caching library: the readers and the index of abstracts take them as they are,
no pickle is involved, and to empty the cache is to remove its folder. A file is named after its service and a digest of
its request.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ilpsum.errors import UsageError
from ilpsum.io.atomic import write_errors, write_file
from ilpsum.resources import user_cache

DAYS = 30.0
"""The age to which an answer is used, unless another is asked for."""

_SECONDS_A_DAY = 86400.0
# Older files are removed, whatever age is asked for.
_OLDEST = 365.0


class Cache:
    """Answers of services, by request.

    Args:
        days: older answers are asked for again; 0 for all.
        folder: in which they are; by default `ilpsum/literature` in the user's cache.

    Raises:
        UsageError: the folder cannot be made.
    """

    def __init__(self, days: float = DAYS, folder: Path | None = None) -> None:
        self._folder, self._days = folder or user_cache() / "literature", days
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for path in self._folder.iterdir():
                # Another process may remove it first.
                with suppress(FileNotFoundError):
                    if path.is_file() and _age(path) > _OLDEST:
                        path.unlink()
        except OSError as error:
            what = f"{error.filename or self._folder}: cannot be written ({error.strerror})"
            raise UsageError(f"{what}; name another cache by XDG_CACHE_HOME") from None

    def __call__(self, service: str, request: str, suffix: str, fetch: Callable[[], bytes]) -> tuple[Path, bool]:
        """Return the file of a request and whether it was fetched now; what `fetch` returns is kept.

        Raises:
            IlpsumError: the file cannot be written, or what `fetch` raises; nothing is kept then.
        """
        digest = sha256(request.encode()).hexdigest()[:32]
        path = self._folder / f"{service.lower().replace(' ', '-')}-{digest}{suffix}"
        if path.is_file() and _age(path) < self._days:
            return path, False
        data = fetch()
        with write_errors(path):
            write_file(path, data)
        return path, True


def _age(path: Path) -> float:
    """Return the age of a file in days."""
    return (time.time() - path.stat().st_mtime) / _SECONDS_A_DAY
