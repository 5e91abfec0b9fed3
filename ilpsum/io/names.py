"""Ids of topics: which are safe as file names, and which came before."""

from array import array
from hashlib import blake2b


def unsafe_name(name: str) -> str:
    """Return why a name from input must not become a file name; empty if it may.

    >>> unsafe_name("D1401_TRAIN"), unsafe_name("../D1401")
    ('', 'is empty, starts with a dot, or has white space around it')
    """
    if not name or name.startswith(".") or name != name.strip():
        return "is empty, starts with a dot, or has white space around it"
    if any(character in "/\\" or not character.isprintable() for character in name):
        return "contains a slash, a backslash or a control character"
    if len(name.encode("utf-8", "replace")) > 250:
        return "is longer than 250 bytes"
    return ""


class Seen:
    """A set of ids, kept as 64-bit digests in an open hash table: 12 to 24 bytes per id.

    A `set` of the digests takes 64 bytes per id, one of the ids 90, and a run keeps several for up to a million topics.
    Two of n ids share a digest with a probability of about n^2 / 2^65 (1 in 37 million for a million ids).

    >>> seen = Seen()
    >>> seen.add("D1401"), seen.add("D1402"), seen.add("D1401"), "D1402" in seen
    (True, True, False, True)
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, name: str) -> bool:
        return bool(self._slots[self._place(_digest(name))])

    def add(self, name: str) -> bool:
        """Add an id; return False if it was there before."""
        digest = _digest(name)
        place = self._place(digest)
        if self._slots[place]:
            return False
        self._slots[place] = digest
        self._count += 1
        if 3 * self._count > 2 * len(self._slots):
            self._grow()
        return True

    def _place(self, digest: int) -> int:
        # The slot of the digest, or the free slot where it belongs.
        mask = len(self._slots) - 1
        place = digest & mask
        while self._slots[place] not in (0, digest):
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        before, self._slots = self._slots, array("Q", bytes(16 * len(self._slots)))
        for digest in before:
            if digest:
                self._slots[self._place(digest)] = digest


def _digest(name: str) -> int:
    # 0 marks a free slot.
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") or 1
