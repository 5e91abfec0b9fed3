"""Growth of the time for the layout of a paper: eight times the text should take about eight times as long.

    python experiments/benchmarks/layout.py

Prints, for each repeated piece of text, the ratio of processor times for 800,000 and 100,000 characters.
"""

from time import process_time

from ilpsum.formats.papers.layout import outline
from ilpsum.records import Document

UNITS = ("Abstract\nfoo\n", "Figure 1\nfoo\n", "Foo.\n", "Text\nfoo\n", "References\nMethods\n3\n", "owl ", "Figure 1 ")
SIZES = (100_000, 800_000)


def seconds(text: str) -> float:
    """Return the least processor time of three runs."""
    times = []
    for _ in range(3):
        begin = process_time()
        outline(Document("x", text))
        times.append(process_time() - begin)
    return min(times)


def main() -> None:
    for unit in UNITS:
        small, large = (seconds("Go to:\n" + unit * (size // len(unit))) for size in SIZES)
        print(f"{unit!r:32} {large / small:5.1f}")


if __name__ == "__main__":
    main()
