"""A set of ids that stays small when there are a million of them."""

from array import array
from hashlib import blake2b


class Seen:
    """Which ids came before, kept as 64-bit digests in an open hash table: at most 24 bytes an id.

    Two different ids share a digest with a chance of about n^2 / 2^65 (1 in 37 million for a million ids).

    >>> seen = Seen()
    >>> seen.add("D1401"), seen.add("D1402"), seen.add("D1401")
    (True, True, False)
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._count = 0

    def add(self, name: str) -> bool:
        """Adds an id; False if it was there before."""
        # 0 marks an empty slot.
        digest = int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") or 1
        if not self._put(digest):
            return False
        self._count += 1
        if 3 * self._count > 2 * len(self._slots):
            self._grow()
        return True

    def _put(self, digest: int) -> bool:
        mask = len(self._slots) - 1
        place = digest & mask
        while self._slots[place]:
            if self._slots[place] == digest:
                return False
            place = (place + 1) & mask
        self._slots[place] = digest
        return True

    def _grow(self) -> None:
        before, self._slots = self._slots, array("Q", bytes(16 * len(self._slots)))
        for digest in before:
            if digest:
                self._put(digest)
