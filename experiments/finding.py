"""Measure how well the search finds the abstracts that BioASQ's experts named for their questions.

    python experiments/finding.py [--data ../shared/data] [--editions 1-8] [--index DIR] [--sample N]
                                  [--without abbreviations synonyms]

The collection is `bioasq/abstracts.jsonl.gz` and `answers/pile.jsonl.gz`, as two files. Questions are the distinct ones
of these editions with at least one of their abstracts in the collection; other abstracts of theirs do not count. The
scores of the first 20 abstracts: recall without the cut of abstracts far below the best, recall and number of abstracts
with it, mean reciprocal rank, nDCG, and the median processor time of a query. Below, hard cases by name: how many
abstracts two spellings of one query find, and how many of the first 20 they share.
"""

import argparse
import gzip
import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median

from ilpsum.answers import alternatives as queries
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.records import Topic

MOST = 20
# A limit above the size of the collection.
ALL = 100_000

# The functions that find alternatives.
WITHOUT = {"abbreviations": "_other_forms", "synonyms": "synonyms"}

CASES = (
    ("subarachnoid haemorrhage", "subarachnoid hemorrhage"),
    ("haemorrhage", "hemorrhage"),
    ("oesophageal tumour", "esophageal tumor"),
    ("leukaemia in paediatric patients", "leukemia in pediatric patients"),
    ("randomised trials of anaesthesia", "randomized trials of anesthesia"),
    ("brain metastasis", "brain metastases"),
    ("intestinal bacterium", "intestinal bacteria"),
    ("IL-6 receptor", "IL6 receptor"),
    ("IL 6 receptor", "IL-6 receptor"),
    ("COVID19 vaccine", "COVID-19 vaccine"),
    ("TGF-β signalling", "TGF-beta signaling"),
    ("TGFb signaling", "TGF-beta signaling"),
    ("α-synuclein", "alpha-synuclein"),
    ("NF-κB", "NF-kappaB"),
    ("Ca2+ channel", "Ca(2+) channel"),
    ("ALS therapy", "amyotrophic lateral sclerosis therapy"),
    ("DMD gene", "Duchenne muscular dystrophy gene"),
    ("heart attack", "myocardial infarction"),
    ("paracetamol", "acetaminophen"),
    ("adrenaline", "epinephrine"),
)


def questions(folder: Path, first: int, last: int) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the distinct questions of some editions with the PMIDs that the experts named."""
    seen = set()
    for edition in range(first, last + 1):
        for path in sorted(folder.glob(f"{edition}B*.json.gz")):
            for question in json.loads(gzip.decompress(path.read_bytes()))["questions"]:
                if question["id"] not in seen:
                    seen.add(question["id"])
                    named = frozenset(link.rsplit("/", 1)[1] for link in question["documents"])
                    yield " ".join(question["body"].split()), named


def pmids(files: list[Path]) -> frozenset[str]:
    """Return the PMIDs of the abstracts of the collection."""
    found = set()
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            found.update(str(record["pmid"]) for record in map(json.loads, stream) if record["abstract"].strip())
    return frozenset(found)


def scores(search: AbstractSearch, query: str, gold: frozenset[str]) -> tuple[float, ...]:
    """Return recall without and with the cut, abstracts kept, reciprocal rank, nDCG and seconds of a question."""
    start = time.process_time()
    ranked = [hit.id for hit in search(query, MOST).documents]
    seconds = time.process_time() - start
    kept = [document.id for document in with_documents(Topic("q", query), search, MOST, 0.0).documents]
    places = [place for place, name in enumerate(ranked, 1) if name in gold]
    gain = sum(1 / math.log2(1 + place) for place in places)
    ideal = sum(1 / math.log2(1 + place) for place in range(1, min(MOST, len(gold)) + 1))
    reciprocal = 1 / places[0] if places else 0.0
    return (
        len(places) / len(gold),
        len(gold.intersection(kept)) / len(gold),
        len(kept),
        reciprocal,
        gain / ideal,
        seconds,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--editions", default="1-8", help="first and last (1-8)")
    parser.add_argument("--index", help="folder of the indexes")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="every Nth question only")
    parser.add_argument("--without", nargs="+", choices=WITHOUT, default=[], help="alternatives to leave out")
    options = parser.parse_args()
    for name in options.without:
        setattr(queries, WITHOUT[name], lambda *_: [])
    files = [options.data / "bioasq" / "abstracts.jsonl.gz", options.data / "answers" / "pile.jsonl.gz"]
    first, last = map(int, options.editions.split("-"))
    held = pmids(files)
    asked = [(query, gold & held) for query, gold in questions(options.data / "bioasq", first, last) if gold & held]
    search = AbstractSearch(files, options.index)
    rows = [scores(search, query, gold) for query, gold in asked[:: options.sample]]
    recall, cut, kept, rank, ndcg, seconds = zip(*rows, strict=True)
    print("| editions | questions | recall, no cut | recall | abstracts kept | MRR | nDCG | ms a query |")
    print("|---|---|---|---|---|---|---|---|")
    means = f"{fmean(recall):.4f} | {fmean(cut):.4f} | {fmean(kept):.1f} | {fmean(rank):.4f} | {fmean(ndcg):.4f}"
    print(f"| {options.editions} | {len(rows)} | {means} | {1000 * median(seconds):.1f} |\n")
    print("| query | also written | abstracts | abstracts | of the first 20, shared |")
    print("|---|---|---|---|---|")
    for one, other in CASES:
        found = [[hit.id for hit in search(query, ALL).documents] for query in (one, other)]
        shared = len({*found[0][:MOST]} & {*found[1][:MOST]})
        print(f"| {one} | {other} | {len(found[0])} | {len(found[1])} | {shared} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
