"""Topics over processes."""

from collections.abc import Iterator

from ilpsum.engine import map_in_order


def square(number: int) -> int:
    return number * number


def test_results_come_in_the_order_of_the_items() -> None:
    assert list(map_in_order(square, range(20), jobs=2)) == [n * n for n in range(20)]
    assert list(map_in_order(square, range(5), jobs=1)) == [0, 1, 4, 9, 16]


def test_items_are_taken_as_places_become_free() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for n in range(1000):
            taken += 1
            yield n

    results = map_in_order(square, items(), jobs=2)
    assert next(results) == 0
    assert taken <= 8
    results.close()
