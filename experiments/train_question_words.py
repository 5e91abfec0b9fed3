"""Count how much the experts' snippets say of a question's words: the table of
`ilpsum.answers.question_words`.

    python -m experiments.train_question_words [--data ../shared/data] [--editions 1 2 ...]
        [--out ilpsum/data/models/question-words.npz]

For each term in at least three questions of BioASQ, the mean over these questions of the share of
snippets that hold it, smoothed towards the mean of rarer terms, which counts as four questions. For
other terms that have a word vector, a ridge regression on this vector and the number of background
texts with the word predicts the mean, learned from all terms of the questions. `other` is the mean
of rarer terms without a vector.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge

from experiments.training_topics import ALL, questions
from features.arrays import Floats
from ilpsum import resources
from ilpsum.answers.question_words import KIND, NAME, PROTOCOL
from ilpsum.answers.weights import in_background
from ilpsum.files import persistence
from ilpsum.learning import embeddings
from ilpsum.learning.seen import packed, topic_key
from ilpsum.pipeline.terms import terms, terms_of_word
from ilpsum.records import Topic

LEAST, PRIOR = 3, 4
# Penalty of the ridge regression, and the number of questions at which a term has half of the
# greatest weight.
PENALTY, HALF = 2.0, 5


def shares_of(topics: Iterable[Topic]) -> dict[str, list[float]]:
    """Return for each term the share of snippets with it in each question that has it."""
    shares = defaultdict[str, list[float]](list)
    for topic in topics:
        snippets = [frozenset(terms(snippet)) for snippet in topic.snippets]
        for term in dict.fromkeys(terms(topic.query)):
            shares[term].append(sum(term in snippet for snippet in snippets) / len(snippets))
    return shares


def columns() -> dict[str, Floats]:
    """Return what predicts the share of each term with a word vector: the vector of its most
    frequent word, of length 1, and ln(1 + background texts with this word).
    """
    vectors = embeddings.load()
    found = dict[str, Floats]()
    for word, row in vectors.index.items():
        term = terms_of_word(word)
        if term and term[-1] not in found:
            vector = vectors.vectors[row].astype(float)
            texts = math.log1p(in_background(word))
            found[term[-1]] = np.append(vector / np.linalg.norm(vector), texts)
    return found


def predicted(shares: Mapping[str, list[float]]) -> dict[str, float]:
    """Return the predicted share of each term with a word vector."""
    every = columns()
    known = [term for term in shares if term in every]
    numbers = np.array([len(shares[term]) for term in known])
    means = [float(np.mean(shares[term])) for term in known]
    model = Ridge(alpha=PENALTY)
    model.fit([every[term] for term in known], means, numbers / (numbers + HALF))
    values = model.predict(list(every.values())).clip(0.0, 1.0)
    return dict(zip(every, values.tolist(), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--editions", type=int, nargs="+", default=list(ALL))
    parser.add_argument("--out", type=Path, default=resources.models() / f"{NAME}.npz")
    options = parser.parse_args()
    topics = [t for t in questions(options.data, "snippets", options.editions) if t.snippets]
    shares = shares_of(topics)
    smoothed = predicted(shares)
    rare = {term: each for term, each in shares.items() if len(each) < LEAST}
    prior = float(np.mean([s for each in rare.values() for s in each]))
    other = float(np.mean([s for term in rare.keys() - smoothed.keys() for s in rare[term]]))
    for term in shares.keys() - rare.keys():
        each = shares[term]
        smoothed[term] = (sum(each) + PRIOR * prior) / (len(each) + PRIOR)
    smoothed = dict(sorted(smoothed.items()))
    print(f"{len(topics)} questions, {len(smoothed)} terms; others {other:.3f}")
    arrays = {
        "terms": persistence.pack(smoothed),
        "shares": np.array([*smoothed.values()], dtype=np.float32),
        "questions": np.array([len(shares.get(term, ())) for term in smoothed], dtype=np.uint16),
        **packed(frozenset(map(topic_key, topics))),
    }
    persistence.save(options.out, KIND, PROTOCOL, {"other": round(other, 3)}, arrays)


if __name__ == "__main__":
    main()
