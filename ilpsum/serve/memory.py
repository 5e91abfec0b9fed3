"""What the room remembers, within a number and a size."""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Memory(Generic[Key, Value]):
    """At most so many values by key, of so many characters together; those asked for longest ago are forgotten first.

    The last one is remembered whatever its size.
    """

    def __init__(self, most: int, size: int) -> None:
        self._most, self._size, self._lock = most, size, Lock()
        # The values that were used last come last.
        self._values: dict[Key, tuple[Value, int]] = {}

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None."""
        with self._lock:
            if known := self._values.pop(key, None):
                self._values[key] = known
            return known[0] if known else None

    def put(self, key: Key, value: Value, size: int) -> Value:
        """Remember and return a value of so many characters."""
        with self._lock:
            self._values.pop(key, None)
            while self._values and not self._has_room(size):
                del self._values[next(iter(self._values))]
            self._values[key] = value, size
        return value

    def drop(self, unwanted: Callable[[Key], bool]) -> None:
        """Forget the values of some keys."""
        with self._lock:
            self._values = {key: value for key, value in self._values.items() if not unwanted(key)}

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def _has_room(self, size: int) -> bool:
        return len(self._values) < self._most and size + sum(size for _, size in self._values.values()) <= self._size
