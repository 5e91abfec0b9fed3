"""How long the sentence splitter takes: a paper, ten million characters, and repetitions that trap regular expressions.

    python experiments/benchmarks/sentence_splitting.py

Processor time, the best of five. The repetitions are split at 25,000 and at 200,000 characters: eight times the text
takes eight times as long if time is linear and 64 times if it is quadratic; above 24 the exit status is 1.
"""

import random
import sys
import time

from features.sentences import split_sentences

UNITS = (
    *(
        ".",
        "a",
        "A. ",
        "a. ",
        ".[1",
        ".)",
        '."',
        "x.1",
        "[1],",
        "aaa. [1]",
        "(",
        "¹",
        "\n",
        "\n ",
        " •",
        "!?",
        "et al. ",
    ),
    "\u00a0.",
)
_WORDS = ("cells", "grew", "in", "the", "(Fig. 2)", "et al.", "p53.", "There.", "it")


def seconds(text: str, repetitions: int = 5) -> float:
    best = float("inf")
    for _ in range(repetitions):
        begin = time.process_time()
        split_sentences(text)
        best = min(best, time.process_time() - begin)
    return best


def main() -> int:
    paper = " ".join(random.Random(1).choices(_WORDS, k=12_000))
    print(f"a paper of 12,000 words: {1000 * seconds(paper):.1f} ms")
    print(f"ten million characters of one line: {seconds('word ' * 2_000_000, 1):.2f} s")
    worst = 0.0
    for unit in UNITS:
        short, long = (seconds("See." + unit * (size // len(unit)), 3) for size in (25_000, 200_000))
        worst = max(worst, long / short)
        print(f"{unit!r:10} 200,000 characters {1000 * long:7.1f} ms, {long / short:4.1f} times 25,000")
    return int(worst > 24)


if __name__ == "__main__":
    sys.exit(main())
