"""The odds ratio of health terms (equation 1 of Cohan et al. 2014), and the query that keeps them.

    python -m experiments odds-ratio

A word is kept if it is in more than five times as many documents on health as other documents.
Published: pages of Wikipedia; the query `wiki-health-terms` loses 54 % against the whole citance
(F1 .0755 of .1635). Here: PubMed abstracts against papers on computational linguistics, in
collections of several sizes, since the ratio depends on them. The baseline is `citance`.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from experiments.archives import unpacked
from experiments.page import Page, Progress, markdown, parser
from experiments.task1_spans import linked, score
from ilpsum.files.reading import read_lines
from ilpsum.learning.embedding_training import Texts, count
from ilpsum.records import Topic
from ilpsum.task1.linker import Query
from ilpsum.task1.reformulation import Background
from ilpsum.tasks import read_topics

LEAST_ODDS = 5.0
LEAST_DOCUMENTS = 3
# The count of a word that no other document has.
ABSENT = 0.5


@dataclass(frozen=True)
class Collections:
    """Documents on health, the first `most` of a file (None for all), and other documents."""

    name: str
    abstracts: Path
    most: int | None
    others: Sequence[str]


def odds_ratios(collections: Collections) -> dict[str, float]:
    """Return for each word of three or more documents on health OR(t).

    That is the number of documents on health with the word over that of others with it, .5 if none
    has it.
    """
    with tempfile.TemporaryDirectory() as folder:
        health = Path(folder, "health.jsonl")
        others = Path(folder, "other.txt")
        lines = islice(read_lines(collections.abstracts), collections.most)
        health.write_bytes(b"\n".join(line for _, line in lines))
        texts = "\n".join(collections.others) + "\n"
        others.write_text(texts, encoding="utf-8", errors="replace")
        ours = count(Texts([health])).counts
        theirs = count(Texts([others])).counts
    return {
        word: number / (theirs.get(word, 0) or ABSENT)
        for word, number in ours.items()
        if number >= LEAST_DOCUMENTS
    }


def health_terms(abstracts: Path, others: Sequence[str], most: int | None) -> frozenset[str]:
    """Return the words whose odds ratio exceeds 5."""
    ratios = odds_ratios(Collections("", abstracts, most, others))
    return frozenset(word for word, ratio in ratios.items() if ratio > LEAST_ODDS)


def reference_texts(path: Path) -> list[str]:
    """Return the reference papers of topics of CL-SciSumm or ScisummNet, each on one line."""
    topics = (t for t in read_topics([path], form="scisumm") if isinstance(t, Topic))
    return [" ".join(topic.reference.text.split()) for topic in topics]


def collections_of(data: Path) -> Iterator[Collections]:
    """Yield the pairs of collections, by size and unit."""
    abstracts = data / "pubmed-text" / "other_abstracts.jsonl.gz"
    topics = [t for t in read_topics([data / "scisumm"]) if isinstance(t, Topic)]
    documents = [document for topic in topics for document in topic.documents]
    papers = [" ".join(document.text.split()) for document in documents]
    lines = [line for d in documents for line in d.text.splitlines() if line.strip()]
    more = reference_texts(unpacked(data / "scisummnet.tar.gz"))
    yield Collections("all abstracts, papers", abstracts, None, papers)
    yield Collections("as many abstracts as papers", abstracts, len(papers), papers)
    yield Collections("all abstracts, more papers", abstracts, None, more)
    yield Collections("as many abstracts as papers, more papers", abstracts, len(more), more)
    yield Collections("all abstracts, lines of papers", abstracts, None, lines)


def main(argv: Sequence[str]) -> None:
    arguments = parser("experiments odds-ratio", __doc__).parse_args(argv)
    page = Page.begin(arguments, argv)
    progress = Progress()
    topics = [t for t in read_topics([arguments.data / "tac2014"]) if isinstance(t, Topic)]
    *_, baseline = score(topics, linked(topics, Query.load("citance"), Background()))
    query = Query.load("health-terms")
    rows = []
    for collections in collections_of(arguments.data):
        progress(collections.name)
        ratios = odds_ratios(collections)
        terms = frozenset(word for word, ratio in ratios.items() if ratio > LEAST_ODDS)
        recall, precision, f1 = score(topics, linked(topics, query, Background(health=terms)))
        sizes = [collections.most or "all", len(collections.others), len(ratios), len(terms)]
        gain = f"{f1 / baseline - 1:+.0%}"
        rows.append([collections.name, *sizes, recall, precision, f1, gain])
    head = ["collections", "on health", "others", "words", "over 5"]
    page.write(
        "Equation 1 of Cohan et al. (2014): the odds ratio of health terms",
        [
            f"{len(topics)} of the 20 training topics; baseline `citance` {baseline:.4f}. Published: "
            "F1 .0755, -54 %, with Wikipedia's pages, whose numbers the paper does not give.",
            markdown([*head, "recall", "precision", "F1", "to the baseline"], rows),
        ],
    )
