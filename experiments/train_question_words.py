"""Count how much the experts' snippets say of a question's words: the table of
`ilpsum.answers.question_words`.

    python -m experiments.train_question_words [--data ../shared/data] [--editions 1 2 ...]
        [--out ilpsum/data/models/question-words.npz]

For each term in at least three questions of BioASQ, the mean over these questions of the share of
snippets that hold it, smoothed towards the mean of rarer terms, which counts as four questions.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from experiments.training_topics import ALL, questions
from ilpsum import resources
from ilpsum.answers.question_words import KIND, NAME, PROTOCOL
from ilpsum.files import persistence
from ilpsum.learning.seen import packed, topic_key
from ilpsum.pipeline.terms import terms
from ilpsum.records import Topic

LEAST, PRIOR = 3, 4


def shares_of(topics: Iterable[Topic]) -> dict[str, list[float]]:
    """Return for each term the share of snippets with it in each question that has it."""
    shares = defaultdict[str, list[float]](list)
    for topic in topics:
        snippets = [frozenset(terms(snippet)) for snippet in topic.snippets]
        for term in dict.fromkeys(terms(topic.query)):
            shares[term].append(sum(term in snippet for snippet in snippets) / len(snippets))
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--editions", type=int, nargs="+", default=list(ALL))
    parser.add_argument("--out", type=Path, default=resources.models() / f"{NAME}.npz")
    options = parser.parse_args()
    topics = [t for t in questions(options.data, "snippets", options.editions) if t.snippets]
    shares = shares_of(topics)
    other = float(np.mean([s for each in shares.values() if len(each) < LEAST for s in each]))
    smoothed = {
        term: (sum(each) + PRIOR * other) / (len(each) + PRIOR)
        for term, each in sorted(shares.items())
        if len(each) >= LEAST
    }
    print(f"{len(topics)} questions, {len(smoothed)} terms; others {other:.3f}")
    arrays = {
        "terms": persistence.pack(smoothed),
        "shares": np.array([*smoothed.values()], dtype=np.float32),
        "questions": np.array([len(shares[term]) for term in smoothed], dtype=np.uint16),
        **packed(frozenset(map(topic_key, topics))),
    }
    persistence.save(options.out, KIND, PROTOCOL, {"other": round(other, 3)}, arrays)


if __name__ == "__main__":
    main()
