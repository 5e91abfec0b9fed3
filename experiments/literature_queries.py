"""Measure the queries for services of the literature (`ilpsum.answers.finding`) on questions of BioASQ.

    python experiments/literature_queries.py [--data ../shared/data] [--questions 1200] [--editions 1-8]

The services cannot be asked here, so texts stand in for them: an abstract matches a query if it has all its terms, in
the normal form of `ilpsum.pipeline.terms`. PubMed also maps words to MeSH and finds more. The table has, for each
way to weigh terms and for the k heaviest terms, the share of the abstracts named by experts that match, and the share
of 1,500 drawn abstracts, which says how far a query narrows.
"""

import argparse
import gzip
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

from ilpsum.answers.alternatives import known_terms
from ilpsum.answers.finding import MESH, NAME, Term, terms
from ilpsum.files.idf import load_idf
from ilpsum.pipeline.terms import terms as analysed

MOST, DRAWN, SEED = 6, 1500, 1
Weigh = Callable[[Term], float]


def collection(data: Path) -> dict[str, frozenset[str]]:
    """Return the terms of each whole abstract, by PMID."""
    found = {}
    for name in ("bioasq/abstracts.jsonl.gz", "evidence/abstracts-more.jsonl.gz"):
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                found[str(line["pmid"])] = frozenset(analysed(f"{line['title']} {line['abstract']}"))
    return found


def questions(data: Path, editions: range, known: dict[str, frozenset[str]]) -> list[tuple[str, list[str]]]:
    """Return questions with the PMIDs of their abstracts in the collection."""
    found = []
    for edition in editions:
        for path in sorted((data / "bioasq").glob(f"{edition}B*_golden.json.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as stream:
                for question in json.load(stream)["questions"]:
                    pmids = sorted({url.rpartition("/")[2] for url in question["documents"]} & known.keys())
                    if pmids:
                        found.append((question["body"], pmids))
    return found


def weights() -> dict[str, Weigh]:
    """Return the ways to weigh a term; each takes what the others add from the weight of the module."""
    idf = load_idf()

    def mesh(term: Term) -> bool:
        parts = analysed(term.text)
        return bool(parts) and known_terms().issuperset(parts)

    def name(term: Term) -> bool:
        return term.weight - idf(term.text) - MESH * mesh(term) > NAME / 2

    return {
        "IDF": lambda t: idf(t.text),
        "and names": lambda t: idf(t.text) + NAME * name(t),
        "and MeSH": lambda t: idf(t.text) + MESH * mesh(t),
        "**names and MeSH**": lambda t: t.weight,
        "names first, then MeSH, then IDF": lambda t: 1000 * name(t) + 100 * mesh(t) + idf(t.text),
    }


def row(asked: list[tuple[str, list[str]]], texts: dict[str, frozenset[str]], drawn: list[str], weigh: Weigh) -> str:
    """Return a row: of the k heaviest terms, the share of named and of drawn abstracts that match."""
    cells = []
    for k in range(1, MOST + 1):
        matched = named = within = count = 0
        for question, pmids in asked:
            heaviest = sorted((t for t in terms(question) if analysed(t.text)), key=weigh, reverse=True)[:k]
            if len(heaviest) == k:
                needed = {part for term in heaviest for part in analysed(term.text)}
                matched += sum(needed <= texts[pmid] for pmid in pmids)
                within += sum(needed <= texts[pmid] for pmid in drawn)
                named, count = named + len(pmids), count + 1
        cells.append(f"{matched / named:.3f} / {within / (count * len(drawn)):.5f}")
    return " | ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--questions", type=int, default=1200)
    parser.add_argument("--editions", default="1-8")
    options = parser.parse_args()
    first, last = map(int, options.editions.split("-"))
    texts = collection(options.data)
    asked = questions(options.data, range(first, last + 1), texts)
    random.Random(SEED).shuffle(asked)
    asked = asked[: options.questions]
    drawn = random.Random(SEED + 1).sample(sorted(texts), DRAWN)
    print(f"{len(asked)} questions, {len(texts)} abstracts")
    print(f"| weight | {' | '.join(f'k = {k}' for k in range(1, MOST + 1))} |")
    for name, weigh in weights().items():
        print(f"| {name} | {row(asked, texts, drawn, weigh)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
