"""How long the first answer to a question takes on a page of a warm server, and what the time is made of.

    python experiments/page_latency.py ABSTRACTS... --questions *_golden.json.gz [--index FOLDER] [--number 100]

Every question is asked once; the first ten warm the caches and do not count. Times are those of the processor, which
other work on the machine does not lengthen.
"""

import argparse
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from time import process_time
from typing import Any

from ilpsum.answers.searching import AbstractSearch
from ilpsum.pages.room import Session, drawing
from ilpsum.pages.room import session as session_module
from ilpsum.pages.room.asking import Ask
from ilpsum.pipeline.pipeline import Pipeline

WARM = 10
SEED = 1
SPENT: dict[str, float] = {}


def timed(part: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that adds the seconds of the processor that it takes to a part."""

    def run(*arguments: Any, **options: Any) -> Any:
        start = process_time()
        try:
            return work(*arguments, **options)
        finally:
            SPENT[part] = SPENT.get(part, 0.0) + process_time() - start

    return run


def main() -> None:
    """Print the median, the quartiles, and the median of each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("abstracts", nargs="+")
    parser.add_argument("--questions", nargs="+", type=Path, required=True)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--number", type=int, default=100)
    options = parser.parse_args()
    bodies = {
        question["body"]
        for path in options.questions
        for question in json.loads(gzip.decompress(path.read_bytes()))["questions"]
    }
    asked = random.Random(SEED).sample(sorted(bodies), WARM + options.number)
    room = Session(AbstractSearch(options.abstracts, options.index))
    session_module.with_documents = timed("searching", session_module.with_documents)
    Pipeline.prepare = timed("reading", Pipeline.prepare)  # type: ignore[method-assign]
    Pipeline.select = timed("choosing", Pipeline.select)  # type: ignore[method-assign]
    page = timed("drawing", drawing.page)
    rows = []
    for question in asked:
        SPENT.clear()
        start = process_time()
        page(room, ask := Ask(question), room.answer(ask))
        rows.append({"all": process_time() - start, **SPENT})
    rows = rows[WARM:]
    print(f"{room.search.documents if room.search else 0} abstracts, {len(rows)} questions")
    low, middle, high = (1000 * value for value in quantiles((row["all"] for row in rows), n=4))
    print(f"median {middle:.0f} ms, quartiles {low:.0f} and {high:.0f} ms")
    for part in ("searching", "reading", "choosing", "drawing"):
        own = median(row.get(part, 0.0) for row in rows)
        print(f"{part}: {1000 * own:.0f} ms, {1000 * own / middle:.0%} of the median")


if __name__ == "__main__":
    main()
