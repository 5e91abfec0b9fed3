"""Topics over processes."""

from collections.abc import Iterator

from ilpsum.engine import Processes


def square(number: int) -> int:
    return number * number


def test_results_come_in_the_order_of_the_items() -> None:
    assert list(Processes(2).map(square, range(20))) == [n * n for n in range(20)]
    assert list(Processes(1).map(square, range(5))) == [0, 1, 4, 9, 16]


def test_items_are_taken_as_places_become_free() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for n in range(1000):
            taken += 1
            yield n

    results = Processes(2).map(square, items())
    assert next(results) == 0
    assert taken <= 8
    results.close()
