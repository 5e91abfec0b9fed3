"""How far the numbers of rouge-score are from ROUGE-1.5.5's, which ours are, on human summaries of TAC 2014.

    python experiments/rouge_differences.py [--data ../shared/data]        in an environment that has rouge-score

Each human summary is compared with each other one of its topic, and with all others at once. Printed are means of F1.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-not-found]

from ilpsum import topics_of
from ilpsum.metrics.rouge import rouge_batch

NAMES = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeLsum"}
Pairs = Sequence[tuple[str, Sequence[str]]]


def differences(pairs: Pairs, *, stem: bool) -> dict[str, tuple[float, float, float]]:
    """Return, for each metric, our mean F1, theirs, and the largest difference of a pair."""
    theirs = RougeScorer(list(NAMES.values()), use_stemmer=stem)
    ours = list(rouge_batch(pairs, list(NAMES), stem=stem))
    found = {}
    for name, other in NAMES.items():
        one = [scores[name].f1 for scores in ours]
        two = [float(theirs.score_multi(references, text)[other].fmeasure) for text, references in pairs]
        found[name] = sum(one) / len(one), sum(two) / len(two), max(abs(a - b) for a, b in zip(one, two, strict=True))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    topics = topics_of(parser.parse_args().data / "tac2014", "tac")
    single: Pairs = [(a, [b]) for t in topics for a in t.summaries for b in t.summaries if a is not b]
    several: Pairs = [(a, [b for b in t.summaries if b is not a]) for t in topics for a in t.summaries]
    print("references\tstems\tmetric\tours\trouge-score\tlargest difference")
    for what, pairs in (("one", single), ("all others", several)):
        for stem in (True, False):
            for name, values in differences(pairs, stem=stem).items():
                print(what, "yes" if stem else "no", name, *(f"{value:.4f}" for value in values), sep="\t")


if __name__ == "__main__":
    main()
