"""Compare sets of word vectors on BioASQ's editions 1 and 2, to choose the included ones.

    python experiments/embedding_choice.py VECTORS... [--data ../shared/data] [--seed 1]

The snippets of each question are compared with as many snippets of random other questions. For one column of each of
features 2.1-2.4, the table has the area under the ROC curve for distinguishing a question's own snippets, averaged over
questions; and Spearman's correlation of the column with the training target (mean of ROUGE-2 and ROUGE-SU4 recall) over
a question's own snippets, averaged over questions where both vary.
"""

import argparse
import os
import random
import sys
from pathlib import Path

import numpy as np
from scipy.stats import rankdata
from tqdm import tqdm

from features.embeddings import all_similarities
from features.text import Passage
from ilpsum.formats import bioasq
from ilpsum.learning import embeddings
from ilpsum.metrics import rouge

COLUMNS = {"2.1": 0, "2.2": 1, "2.3 average": 2, "2.3 top-3": 6, "2.4 average": 10, "2.4 top-3": 14}


def area(own: np.ndarray, other: np.ndarray) -> float:
    """Return the probability that a value of `own` exceeds one of `other`; ties count half."""
    ranks = rankdata(np.concatenate([own, other]))
    return float((ranks[: len(own)].sum() - len(own) * (len(own) + 1) / 2) / (len(own) * len(other)))


def correlation(values: np.ndarray, target: np.ndarray) -> float:
    """Return Spearman's correlation; nan if one of the two is constant."""
    if np.ptp(values) == 0 or np.ptp(target) == 0:
        return float("nan")
    return float(np.corrcoef(rankdata(values), rankdata(target))[0, 1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("vectors", nargs="+")
    parser.add_argument("--data", type=Path, default=os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = Path(options.data) / "bioasq"
    questions = []
    for path in sorted(folder.glob("[12]B?_golden.json.gz")):
        for topic in bioasq.read(path, answers=folder / "training2b.json.gz"):
            texts = list(dict.fromkeys(document.text for document in topic.documents))
            if len(texts) >= 3 and topic.summaries:
                scores = rouge.References(topic.summaries[:1])
                found = [scores.score(text) for text in texts]
                target = np.array([(s["ROUGE-2"].recall + s["ROUGE-SU4"].recall) / 2 for s in found])
                questions.append((Passage(topic.query), [Passage(text) for text in texts], target))
    print("vectors\tcolumn\tarea\tSpearman\tquestions")
    for name in options.vectors:
        loaded = embeddings.load(name)
        rng = random.Random(options.seed)
        areas, correlations = [], []
        for i, (query, own, target) in enumerate(tqdm(questions, desc=name, file=sys.stderr)):
            pool = [text for j in rng.sample(range(len(questions)), 3) if j != i for text in questions[j][1]]
            other = rng.sample(pool, min(len(own), len(pool)))
            values = all_similarities(loaded, query, [*own, *other])[:, list(COLUMNS.values())]
            areas.append([area(column[: len(own)], column[len(own) :]) for column in values.T])
            correlations.append([correlation(column[: len(own)], target) for column in values.T])
        rows = zip(COLUMNS, np.mean(areas, axis=0), np.nanmean(correlations, axis=0), strict=True)
        for column, a, c in rows:
            print(f"{Path(name).stem}\t{column}\t{a:.4f}\t{c:.4f}\t{len(questions)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
