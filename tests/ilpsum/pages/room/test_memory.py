"""What the room remembers is bounded by a number and a size, and what was used last stays."""

from hypothesis import given
from hypothesis import strategies as st

from ilpsum.pages.room.session import Memory

MOST, SIZE = 3, 10


@given(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(1, 12)), max_size=30))
def test_it_keeps_what_was_used_last_within_its_bounds(calls: list[tuple[int, int | None]]) -> None:
    memory, naive = Memory[int, str](MOST, SIZE), list[tuple[int, int]]()
    for key, size in calls:
        if size is None:
            assert memory.get(key) == (str(key) if key in dict(naive) else None)
            naive.sort(key=lambda entry: entry[0] == key)
            continue
        assert memory.put(key, str(key), size) == str(key)
        naive = [entry for entry in naive if entry[0] != key] + [(key, size)]
        while len(naive) > 1 and (len(naive) > MOST or sum(size for _, size in naive) > SIZE):
            naive.pop(0)
        assert len(memory) == len(naive)
