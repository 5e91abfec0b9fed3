"""Topics over processes."""

from collections.abc import Iterator

from ilpsum.engine import Processes, libraries


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


def threads(_: int) -> list[int]:
    return [library["num_threads"] for library in libraries().info() if library["user_api"] == "blas"]


def test_products_of_matrices_have_one_thread_wherever_they_are_made() -> None:
    for engine in (Processes(1), Processes(2)):
        # scipy brings a library of its own, where it was loaded before.
        assert [set(found) for found in engine.map(threads, range(3))] == [{1}] * 3
