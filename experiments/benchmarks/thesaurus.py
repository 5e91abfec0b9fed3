"""Time the longest match of a thesaurus with half a million terms, in milliseconds per sentence of 25 words.

    python experiments/benchmarks/thesaurus.py

Well under a millisecond is expected.
"""

import argparse
import random
import time

from ilpsum.task1.thesaurus import Concept, Thesaurus

TERMS, SENTENCES = 500_000, 2000


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    generator = random.Random(5)
    vocabulary = [f"w{i}" for i in range(60_000)]
    terms = (" ".join(generator.choices(vocabulary, k=generator.choice((1, 2, 2, 3)))) for _ in range(TERMS))
    thesaurus = Thesaurus(Concept(str(i), term) for i, term in enumerate(terms))
    sentences = [generator.choices(vocabulary, k=25) for _ in range(SENTENCES)]
    start = time.process_time()
    matches = sum(len(thesaurus.find(sentence)) for sentence in sentences)
    seconds = time.process_time() - start
    print(f"{1000 * seconds / SENTENCES:.3f} ms per sentence, {matches} matches")


if __name__ == "__main__":
    main()
