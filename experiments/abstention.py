"""Measure which questions get no answer, and fit the coefficients of `ilpsum.retrieval.answerability`.

    python experiments/abstention.py [--data ../shared/data] [--fit] [--final [--off FILE]]

Development: questions of BioASQ 1-8 and `everyday.txt`. Searched are the abstracts and, for each other PMID with
snippets, a text made of these. Editions 7 and 8 are taken as new: their PMIDs have only snippets, as those of editions
9-11 have in `answers/pile.jsonl.gz`. `--final`: editions 9-11 with that pile, and the everyday questions of `--off`.
The kinds of question are those of the acceptance check:

    own        at least two of its abstracts are searched, and every long word is in some abstract
    one        the same, with all but one of its abstracts left out
    renamed    the same, with an invented word for its rarest one
    absent     all its abstracts left out, and a long word in no other one
    everyday   of cooking, sport, law, ...
    other      (small collections) no abstract of its own

A question should get an answer if it is `own` or `one`, otherwise none.
"""

import argparse
import gzip
import json
import math
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from plots import curves

from ilpsum.records import Document, SearchResult
from ilpsum.retrieval import AbstractSearch
from ilpsum.retrieval.analysis import terms
from ilpsum.retrieval.answerability import Answerability, evidence

SIZES = (1, 5, 20, 200)
SAMPLED = 100
NEW = 7
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
# The share of the `own` questions of editions 7 and 8 that the threshold refuses.
REFUSED = 0.03
# Weight of each kind in the regression; the whole collection counts twice.
WEIGHTS = {
    "own": 0.7,
    "old own": 0.3,
    "one": 0.2,
    "old one": 0.1,
    "everyday": 1.0,
    "absent": 0.2,
    "renamed": 0.4,
    "old renamed": 0.1,
    "other": 0.4,
}
SEED = 3
INVENTED = "zanthexol"
_WORD = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True)
class Question:
    """A question of BioASQ, its edition, the PMIDs of its documents, and its snippets by PMID."""

    text: str
    edition: int
    own: frozenset[str]
    snippets: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Case:
    """A question asked of a collection.

    Attributes:
        kind: see the module; `own` and `one` of editions 1-6 are `old own` and `old one`.
        size: the size of the collection; 0 for the whole.
        question: the question.
        evidence: for an answer.
    """

    kind: str
    size: int
    question: str
    evidence: Answerability


class Collection:
    """The abstracts, by PMID, with their index."""

    def __init__(self, texts: Mapping[str, tuple[str, str]], folder: Path) -> None:
        self.texts = {pmid: f"{title}\n{text}" if title else text for pmid, (title, text) in texts.items()}
        self.words = {pmid: frozenset(_words(text)) for pmid, text in self.texts.items()}
        self.holding = Counter(word for found in self.words.values() for word in found)
        file = folder / "abstracts.jsonl"
        lines = (json.dumps({"pmid": p, "title": title, "abstract": text}) for p, (title, text) in texts.items())
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.search = AbstractSearch([file], folder / "index")

    def names(self, question: str, left_out: frozenset[str]) -> bool:
        """Return whether a long word of the question, after the first word, is in no abstract, as the check does."""
        gone = Counter(word for pmid in left_out & self.words.keys() for word in self.words[pmid])
        long = (word.lower() for word in _WORD.findall(question)[1:] if len(word) > 5)
        return any(all(self.holding[w] <= gone[w] for w in (word, word.rstrip("s"), word + "s")) for word in long)

    def evidence(self, question: str, left_out: frozenset[str] = frozenset()) -> Answerability:
        """Return the evidence for a question if some abstracts were not there."""
        left_out &= self.texts.keys()
        found = self.search(question, 20 + len(left_out))
        gone = Counter(term for pmid in left_out for term in set(terms(self.texts[pmid])))
        holding = {term: number - gone[term] for term, number in found.holding.items()}
        texts = [hit.document.text for hit in found.hits if hit.document.id not in left_out][:20]
        searched = self.search.documents - len(left_out)
        return evidence(SearchResult(searched, question, alternatives=found.alternatives), texts, holding)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def renamed(question: str, search: AbstractSearch) -> str:
    """Return a question with an invented word for its rarest one."""
    found = search(question, 1)
    rarest = max(found.weights, key=lambda term: found.weights[term], default="")
    return re.sub(re.escape(found.words.get(rarest, "")) or "$", INVENTED, question, count=1, flags=re.IGNORECASE)


def of_texts(question: str, texts: Sequence[str], *, rename: bool = False) -> Answerability:
    """Return the evidence of texts given with a question, or with the question renamed."""
    search = AbstractSearch.of_documents(Document(str(i), text) for i, text in enumerate(texts))
    if rename:
        question = renamed(question, search)
    found = search(question, 20)
    result = SearchResult(search.documents, question, alternatives=found.alternatives)
    return evidence(result, [hit.document.text for hit in found.hits], found.holding)


def questions(data: Path, editions: Sequence[int]) -> list[Question]:
    """Read the questions of BioASQ editions."""
    found = []
    files = ((e, file) for e in editions for file in sorted((data / "bioasq").glob(f"{e}B[0-9]_golden*")))
    for edition, file in files:
        for entry in json.loads(gzip.decompress(file.read_bytes()))["questions"]:
            own = frozenset(map(_pmid, entry.get("documents", [])))
            snippets = tuple((_pmid(s["document"]), " ".join(s["text"].split())) for s in entry.get("snippets", []))
            found.append(Question(" ".join(entry["body"].split()), edition, own, snippets))
    return found


def _pmid(url: object) -> str:
    return str(url).rstrip("/").rpartition("/")[2]


def abstracts(file: Path) -> dict[str, tuple[str, str]]:
    """Return title and text of each abstract of a file, by PMID."""
    entries = map(json.loads, gzip.decompress(file.read_bytes()).decode("utf-8").splitlines())
    return {str(entry["pmid"]): (entry.get("title") or "", entry["abstract"]) for entry in entries}


def pile(asked: Sequence[Question]) -> dict[str, tuple[str, str]]:
    """Return a text for each PMID of the questions' snippets, made of these."""
    texts: dict[str, dict[str, None]] = {}
    for pmid, text in (snippet for question in asked for snippet in question.snippets):
        texts.setdefault(pmid, {})[text] = None
    return {pmid: ("", " ".join(parts)) for pmid, parts in texts.items()}


def whole(asked: Sequence[Question], everyday: Sequence[str], collection: Collection) -> Iterator[Case]:
    """Yield the cases of the whole collection."""
    draw = random.Random(SEED)
    old = [question for question in asked if question.edition < NEW]
    sampled = [*draw.sample(old, min(len(old), 6 * SAMPLED)), *(q for q in asked if q.edition >= NEW)]
    for question in sampled:
        held = sorted(question.own & collection.texts.keys())
        if len(held) < 2:
            continue
        kept = draw.choice(held)
        name = "renamed" if question.edition >= NEW else "old renamed"
        text = renamed(question.text, collection.search)
        yield Case(name, 0, text, collection.evidence(text))
        for kind, left_out in (("own", frozenset[str]()), ("one", frozenset(held) - {kept})):
            if not collection.names(question.text, left_out):
                name = kind if question.edition >= NEW else f"old {kind}"
                yield Case(name, 0, question.text, collection.evidence(question.text, left_out))
    for question in asked:
        if collection.names(question.text, question.own):
            yield Case("absent", 0, question.text, collection.evidence(question.text, question.own))
    for text in everyday:
        yield Case("everyday", 0, text, collection.evidence(text))


def small(asked: Sequence[Question], everyday: Sequence[str], texts: Mapping[str, str]) -> Iterator[Case]:
    """Yield the cases of small random collections, given as texts: up to five of them are a question's own."""
    draw = random.Random(SEED)
    pmids = sorted(texts)
    held = [(question, sorted(question.own & texts.keys())) for question in asked]
    sampled = draw.sample([entry for entry in held if entry[1]], SAMPLED)
    for size in SIZES:
        for question, own in sampled:
            rest = [pmid for pmid in draw.sample(pmids, size + len(own)) if pmid not in question.own][:size]
            mine = ([*draw.sample(own, min(len(own), 5)), *rest])[:size]
            for kind, chosen in (("own", mine), ("renamed", mine), ("other", rest)):
                found = of_texts(question.text, [texts[pmid] for pmid in chosen], rename=kind == "renamed")
                yield Case(kind, size, question.text, found)
        for text in everyday[::2]:
            yield Case("everyday", size, text, of_texts(text, [texts[p] for p in draw.sample(pmids, size)]))


def fit(cases: Sequence[Case]) -> NDArray[np.float64]:
    """Return intercept and coefficients (subject, near, missing, words, searched), with the threshold at 0."""
    from sklearn.linear_model import LogisticRegression

    found = [case.evidence for case in cases]
    x = np.array([(e.subject, e.near, e.missing, math.log(max(1, e.words)), math.log1p(e.searched)) for e in found])
    numbers = Counter((case.kind, case.size) for case in cases)
    weight = [WEIGHTS[c.kind] * (1 + (c.size == 0)) / numbers[c.kind, c.size] for c in cases]
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    model = LogisticRegression(max_iter=1000)
    model.fit((x - mean) / deviation, [c.kind.endswith(("own", "one")) for c in cases], np.array(weight) * 1000)
    coefficients = model.coef_[0] / deviation
    own = np.array([case.kind == "own" and case.size == 0 for case in cases])
    return np.array([-np.quantile(x[own] @ coefficients, REFUSED), *coefficients])


def refused(cases: Sequence[Case], kind: str, size: int, threshold: float) -> NDArray[np.bool_]:
    """Return for each question of a kind whether it gets no answer."""
    return np.array([case.evidence.score < threshold for case in cases if (case.kind, case.size) == (kind, size)])


def interval(values: NDArray[np.bool_]) -> str:
    """Return a share with its 95 % bootstrap interval over questions."""
    draws = np.random.default_rng(SEED).choice(values, (2000, len(values))).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return f"{values.mean():.3f} [{low:.3f}, {high:.3f}]"


def report(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the lines of the tables: refused by threshold, and by size of the collection."""
    kinds = ("own", "one", "renamed", "absent", "everyday")
    yield "| threshold | " + " | ".join(kinds) + " |"
    yield "|---" * 6 + "|"
    for threshold in THRESHOLDS:
        yield f"| {threshold} | " + " | ".join(interval(refused(cases, k, 0, threshold)) for k in kinds) + " |"
    counts = Counter((case.kind, case.size) for case in cases)
    yield "Questions: " + ", ".join(f"{counts[kind, 0]} {kind}" for kind in kinds)
    yield ""
    yield "| abstracts | own | renamed | everyday | other |"
    yield "|---" * 5 + "|"
    for size in SIZES:
        shares = " | ".join(
            interval(refused(cases, kind, size, 0.5)) for kind in ("own", "renamed", "everyday", "other")
        )
        yield f"| {size} | {shares} |"


def main() -> None:
    """Print the tables; with `--fit` also the coefficients."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--fit", action="store_true", help="print the coefficients fitted on the development data")
    parser.add_argument("--final", action="store_true", help="editions 9-11 instead of the development data")
    parser.add_argument("--off", type=Path, help="everyday questions, one a line")
    parser.add_argument("--plot", type=Path, help="SVG of refused against threshold")
    options = parser.parse_args()
    off = options.off or Path(__file__).with_name("everyday.txt")
    everyday = [line.strip() for line in off.read_text(encoding="utf-8").splitlines() if line.strip()]
    asked = questions(options.data, (9, 10, 11) if options.final else range(1, 9))
    full = abstracts(options.data / "bioasq" / "abstracts.jsonl.gz")
    if options.final:
        texts = full | abstracts(options.data / "answers" / "pile.jsonl.gz")
        given = texts
    else:
        texts = pile(asked) | full | pile([question for question in asked if question.edition >= NEW])
        given = full
    plain = {pmid: f"{title}\n{text}" for pmid, (title, text) in given.items()}
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(texts, Path(folder))
        cases = [*whole(asked, everyday, collection), *small(asked, everyday, plain)]
    print(f"{len(texts)} abstracts")
    if options.fit:
        names = ("intercept", "subject", "near", "missing", "words", "searched")
        print(", ".join(f"{name} {value:.3f}" for name, value in zip(names, fit(cases), strict=True)))
    print("\n".join(report(cases)))
    if options.plot:
        kinds = ("own", "one", "renamed", "absent", "everyday")
        series = {kind: [float(refused(cases, kind, 0, t).mean()) for t in THRESHOLDS] for kind in kinds}
        curves(options.plot, THRESHOLDS, series, "threshold", "share of questions refused")


if __name__ == "__main__":
    main()
