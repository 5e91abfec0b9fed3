"""What the room remembers is bounded by a number and a size, and what was used last stays."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from ilpsum.pages.room.asking import Ask
from ilpsum.pages.room.session import Memory

MOST, SIZE = 3, 10


def prepared(size: int) -> SimpleNamespace:
    return SimpleNamespace(sentences=[SimpleNamespace(text="a" * size)])


@given(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(1, 12)), max_size=30))
def test_it_keeps_what_was_used_last_within_its_bounds(calls: list[tuple[int, int | None]]) -> None:
    memory, naive = Memory(MOST, SIZE), list[tuple[int, SimpleNamespace]]()
    for key, size in calls:
        if size is None:
            assert memory.get(Ask(str(key))) is dict(naive).get(key)
            naive.sort(key=lambda entry: entry[0] == key)
            continue
        new = prepared(size)
        assert memory.put(Ask(str(key)), new) is new  # type: ignore[comparison-overlap, arg-type]
        naive = [entry for entry in naive if entry[0] != key] + [(key, new)]
        while len(naive) > 1 and (len(naive) > MOST or sum(len(own.sentences[0].text) for _, own in naive) > SIZE):
            naive.pop(0)
