"""Failures of tantivy, the library that builds and searches indexes."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

_SYSTEM_ERROR = re.compile(r"os error (\d+)")


class EngineError(Exception):
    """tantivy failed; the message is the system's reason, if it was the system that failed."""

    def __init__(self, error: BaseException) -> None:
        found = _SYSTEM_ERROR.search(str(error))
        super().__init__(os.strerror(int(found[1])) if found else str(error).partition("\n")[0][:160])


@contextmanager
def engine() -> Iterator[None]:
    """Turn whatever a call of tantivy raises into an `EngineError`."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise EngineError(error) from None
    except BaseException as error:
        # A panic of the library, on a damaged index; its class, below BaseException, cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise EngineError(error) from None
