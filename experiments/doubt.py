"""Count the doubts under answers whose abstracts were in the collection, and under answers whose abstracts were not.

    python experiments/silence_cases.py whole later
    python experiments/doubt.py whole later [--cache silence] [--show]

Each question that gets an answer is answered in 100 words, as `ilpsum ask` does. `--show` prints the doubts.
"""

import argparse
from collections import Counter
from pathlib import Path

from silence_cases import cases
from tqdm import tqdm

from ilpsum.api.systems import summarizer

WORDS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("piles", nargs="+")
    parser.add_argument("--cache", type=Path, default=Path("silence"))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    answer = summarizer(searched=True, options={"ends": True, "explained": False})
    print("| collection | abstracts | answers | with a doubt | |\n|---|---|---|---|---|")
    for pile in options.piles:
        answered, doubted = Counter[str](), Counter[str]()
        for case in tqdm(cases(options.cache, pile), pile, disable=None):
            search = answer(case.topic, WORDS).search
            if search and search.outcome == "answer":
                answered[case.kind] += 1
                doubted[case.kind] += bool(search.doubt)
                if options.show and search.doubt:
                    print(f"{case.kind}: {case.topic.query} -> {search.doubt}")
        for kind, number in answered.items():
            print(f"| {pile} | {kind} | {number} | {doubted[kind]} | {doubted[kind] / number:.2f} |")


if __name__ == "__main__":
    main()
