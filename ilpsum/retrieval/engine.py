"""Failures of tantivy, the library that builds and searches indexes."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

_SYSTEM_ERROR = re.compile(r"os error (\d+)")


class EngineError(Exception):
    """A failure of tantivy; `number` and `reason` are of the system's error, if that is what failed."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error).partition("\n")[0][:160])
        found = _SYSTEM_ERROR.search(str(error))
        self.number = int(found[1]) if found else 0
        self.reason = os.strerror(self.number) if found else ""


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
