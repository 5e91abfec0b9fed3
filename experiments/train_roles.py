"""Train and score the included classifier of rhetorical roles, on structured abstracts.

    python experiments/train_roles.py [--data ../shared/data] [--out ilpsum/data/models/roles.npz]

Abstracts whose PMID ends in 0 are held out for the score; those that end in 1 choose the penalty.
The saved model is trained on all abstracts except the held-out ones. Duplicate abstracts count
once.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ilpsum.learning import stored
from ilpsum.literature import intake
from ilpsum.papers.headings import part_of
from ilpsum.papers.layout import sentences
from ilpsum.pipeline.coherence.statements import (
    KIND,
    PROTOCOL,
    ROLES,
    LabelledSections,
    RoleModel,
    positions_in,
    role_features,
)
from ilpsum.records import Document

FILES = ("bioasq/abstracts.jsonl.gz", "pubmed-text/other_abstracts.jsonl.gz")
FEWEST = 8
"""The fewest sentences that must contain a mark."""
PENALTIES = (0.02, 0.05, 0.1, 0.2)
"""C of the regression."""
LEAST_WEIGHT = 0.02


@dataclass(frozen=True)
class Labelled:
    """A sentence of a structured abstract: PMID, text, position in [0,1], and the role of its section."""

    pmid: str
    text: str
    place: float
    role: str


def labelled(data: Path) -> Iterator[Labelled]:
    """Yield the sentences of structured abstracts whose section has a role.

    The last sentence of an `OBJECTIVE` is the aim; earlier ones are background.
    """
    seen = set()
    for name in FILES:
        for document in intake.documents(data / name):
            if document.id not in seen:
                seen.add(document.id)
                yield from _of_document(document)


def _of_document(document: Document) -> Iterator[Labelled]:
    parts = LabelledSections(document)
    found = [s for s in sentences(document) if s.section != "title"]
    roles = [part_of(parts.label(s.start)) for s in found]
    positions = positions_in(document, found)
    following = [*roles[1:], ""]
    for sentence, position, role, after in zip(found, positions, roles, following, strict=True):
        if role:
            own = "background" if role == after == "aim" else role
            yield Labelled(document.id, sentence.text, position, own)


def fit(found: Sequence[Labelled], penalty: float) -> RoleModel:
    """Train the regression, and drop marks with negligible weight."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    bags = [role_features(one.text, one.place) for one in found]
    counts = Counter(mark for bag in bags for mark in bag)
    known = sorted(mark for mark, count in counts.items() if count >= FEWEST)
    column = {mark: i for i, mark in enumerate(known)}
    held = [[column[mark] for mark in bag if mark in column] for bag in bags]
    ends = np.cumsum([0, *map(len, held)])
    places = np.array([i for bag in held for i in bag])
    matrix = csr_matrix((np.ones(len(places)), places, ends), shape=(len(held), len(known)))
    trained = LogisticRegression(C=penalty, max_iter=300).fit(
        matrix, [ROLES.index(one.role) for one in found]
    )
    heavy = np.flatnonzero(np.abs(trained.coef_).max(axis=0) >= LEAST_WEIGHT)
    return RoleModel(tuple(known[i] for i in heavy), trained.coef_[:, heavy], trained.intercept_)


def predicted(model: RoleModel, found: Sequence[Labelled]) -> np.ndarray:
    """Return the probabilities of the roles, (n, 5)."""
    return model([one.text for one in found], [one.place for one in found])


def accuracy(model: RoleModel, found: Sequence[Labelled]) -> float:
    """Return the share of sentences whose most probable role is that of their section."""
    return float(
        np.mean(predicted(model, found).argmax(axis=1) == [ROLES.index(one.role) for one in found])
    )


def report(model: RoleModel, found: Sequence[Labelled]) -> str:
    """Format precision, recall and F1 of each role."""
    best, gold = (
        predicted(model, found).argmax(axis=1),
        np.array([ROLES.index(one.role) for one in found]),
    )
    lines = ["| role | sentences | precision | recall | F1 |", "|---|---|---|---|---|"]
    for i, role in enumerate(ROLES):
        right = int(((best == i) & (gold == i)).sum())
        precision, recall = (
            right / max(1, int((best == i).sum())),
            right / max(1, int((gold == i).sum())),
        )
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        lines.append(
            f"| {role} | {int((gold == i).sum())} | {precision:.3f} | {recall:.3f} | {f1:.3f} |"
        )
    lines += [f"\naccuracy {np.mean(best == gold):.4f} of {len(found)} sentences\n"]
    return "\n".join(lines)


def save(model: RoleModel, path: Path) -> None:
    """Write a model to a file; see `ilpsum.learning.stored`."""
    weights, offsets = model.weights.astype(np.float16), model.offsets.astype(np.float32)
    stored.write(replace(model, weights=weights, offsets=offsets), path, KIND, PROTOCOL)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument("--out", type=Path, default=Path("ilpsum/data/models/roles.npz"))
    options = parser.parse_args()
    found = list(labelled(options.data))
    test = [one for one in found if one.pmid.endswith("0")]
    development = [one for one in found if one.pmid.endswith("1")]
    training = [one for one in found if not one.pmid.endswith(("0", "1"))]
    models = {penalty: fit(training, penalty) for penalty in PENALTIES}
    tried = {penalty: accuracy(model, development) for penalty, model in models.items()}
    penalty = max(tried, key=lambda p: tried[p])
    print(f"{len(training)} sentences to train on; accuracy by C: {tried}")
    print(f"development:\n\n{report(models[penalty], development)}\n")
    model = fit([*training, *development], penalty)
    abstracts = len({one.pmid for one in (*training, *development)})
    print(f"{abstracts} abstracts of {' and '.join(FILES)}, C {penalty}")
    save(model, options.out)
    print(f"{len(model.names)} marks\n")
    print(f"held out:\n\n{report(stored.read(RoleModel, options.out, KIND, PROTOCOL), test)}")


if __name__ == "__main__":
    main()
