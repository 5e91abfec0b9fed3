"""Measure which share of exact answers the answers to searched questions contain, beside simple rankings.

    pip install sumy
    python experiments/answers.py [--data ../shared/data] [--editions 9 10 11] [--documents FILE...] [--model FILE]

Each factoid and list question of BioASQ of which an abstract is in the pile is searched there, as `ilpsum summarize
--pool searched` does, but always answered. Every contestant chooses among the same candidates. Rankings fill the limit:
in their order, each sentence that still fits. The model named is one for `concepts-searched` that has not seen the
editions.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from context import by_bm25, by_mmr, by_sumy
from tqdm import tqdm

from ilpsum import Document, Summarizer, Topic
from ilpsum.corpora import ReaderOptions, pubmed, read_topics
from ilpsum.metrics.answers import answer_recall, searchable
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.candidates import candidates
from ilpsum.pipeline.system import CandidateTable, System
from ilpsum.records import Sentence
from ilpsum.retrieval import AbstractSearch, with_documents

REFERENCE = "BM25 sentences"

Chooser = Callable[[Topic, Sequence[Sentence], int], list[str]]
"""A topic, its candidates and a word limit to the texts of the chosen sentences."""


def ranked(ranking: Callable[[str, Sequence[str]], Sequence[int]]) -> Chooser:
    """Return the contestant that takes each sentence of a ranking that still fits."""

    def choose(topic: Topic, found: Sequence[Sentence], words: int) -> list[str]:
        chosen: list[str] = []
        for i in ranking(topic.query, [s.text for s in found]):
            if found[i].words <= words:
                chosen.append(found[i].text)
                words -= found[i].words
        return chosen

    return choose


def in_order(question: str, found: Sequence[str]) -> Sequence[int]:  # noqa: ARG001
    """Rank as the sentences stand: the best document first."""
    return range(len(found))


def lead(topic: Topic, found: Sequence[Sentence], words: int) -> list[str]:
    """Take the first sentence of every document, then the second, and so on."""
    counts: dict[str, int] = {}
    places = []
    for i, sentence in enumerate(found):
        places.append((counts.get(sentence.document, 0), i))
        counts[sentence.document] = places[-1][0] + 1
    return ranked(lambda *_: [i for _, i in sorted(places)])(topic, found, words)


def by_system(summarizer: Summarizer) -> Chooser:
    """Return the contestant that a system is."""
    return lambda topic, found, words: [s.text for s in summarizer(topic, words)]  # noqa: ARG005


def contestants(model: Path | None, systems: Sequence[str]) -> dict[str, Chooser]:
    """Return the contestants by name; LexRank only where sumy is installed."""
    named = {
        REFERENCE: ranked(by_bm25),
        "first sentences": lead,
        "documents in order": ranked(in_order),
        "MMR": ranked(by_mmr),
    }
    if find_spec("sumy"):
        named[f"LexRank (sumy {version('sumy')})"] = ranked(partial(by_sumy, "lexrank"))
    for name in systems:
        system = System.load(name).for_reader(strict=True)
        named[name] = by_system(Summarizer.load(system, model if name == "concepts-searched" else None))
    return named


@dataclass(frozen=True)
class Result:
    """What a contestant did: (questions, limits) recall and share of the words used, of those there are."""

    recall: np.ndarray
    used: np.ndarray


def measure(chooser: Chooser, topics: Sequence[Topic], limits: Sequence[int], name: str) -> Result:
    recall, used = np.zeros((len(topics), len(limits))), np.zeros((len(topics), len(limits)))
    for i, topic in enumerate(tqdm(topics, name, disable=None)):
        found = candidates(topic, CandidateTable())
        for k, limit in enumerate(limits):
            text = " ".join(chooser(topic, found, limit))
            recall[i, k] = answer_recall(text, topic.answers)
            used[i, k] = len(text.split()) / max(1, min(limit, sum(s.words for s in found)))
    return Result(recall, used)


def table(results: dict[str, Result], topics: Sequence[Topic], limits: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a table."""
    whole = np.mean([answer_recall(" ".join(d.text for d in t.documents), t.answers) for t in topics])
    yield f"{len(topics)} questions; all abstracts that were found hold {whole:.3f} of the answers."
    yield ""
    yield f"| | {' | '.join(f'{n} words' for n in limits)} | mean | over BM25 sentences | words used |"
    yield f"|---|{'---|' * (len(limits) + 3)}"
    reference = results[REFERENCE].recall.mean(axis=1).tolist()
    for name, result in results.items():
        each = result.recall.mean(axis=1)
        test = paired_bootstrap(each.tolist(), reference)
        gain = "" if name == REFERENCE else f"{test.difference:+.3f} [{test.low:+.3f}, {test.high:+.3f}]"
        scores = " | ".join(f"{value:.3f}" for value in result.recall.mean(axis=0))
        yield f"| {name} | {scores} | {each.mean():.3f} | {gain} | {result.used.mean():.0%} |"


def questions(files: Sequence[Path], known: frozenset[str]) -> Iterator[Topic]:
    """Yield the questions with exact answers that list a document of the collection."""
    for topic in read_topics(files, "bioasq", ReaderOptions(pool="searched")):
        if isinstance(topic, Topic) and searchable(topic.answers) and not known.isdisjoint(topic.relevant):
            yield topic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = os.environ.get("ILPSUM_TEST_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data), help="folder that contains bioasq/ and answers/")
    parser.add_argument("--editions", type=int, nargs="+", default=[9, 10, 11])
    parser.add_argument("--words", type=int, nargs="+", default=[25, 50, 100, 200])
    parser.add_argument("--documents", type=Path, nargs="+", help="the pile (default: answers/pile and the abstracts)")
    parser.add_argument("--model", type=Path, help="a model for concepts-searched in place of the one that ships")
    parser.add_argument("--systems", nargs="*", default=["ilp-sum-2", "concepts-abstracts", "concepts-searched"])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth question only")
    parser.add_argument("--index", type=Path, help="folder of the indexes")
    options = parser.parse_args()
    folder = options.data / "bioasq"
    pile = options.documents or [options.data / "answers" / "pile.jsonl.gz", folder / "abstracts.jsonl.gz"]
    known = frozenset(d.id for file in pile for d in pubmed.documents(file) if isinstance(d, Document))
    files = [path for n in options.editions for path in sorted(folder.glob(f"{n}B[0-9]*_golden.json.gz"))]
    search = AbstractSearch(pile, options.index)
    topics = [with_documents(t, search, least_coverage=0.0) for t in [*questions(files, known)][:: options.every]]
    chosen = contestants(options.model, options.systems)
    results = {name: measure(chooser, topics, options.words, name) for name, chooser in chosen.items()}
    print(f"Editions {options.editions}, ilpsum {version('ilpsum')}, numpy {np.__version__}.\n")
    print("\n".join(table(results, topics, options.words)))


if __name__ == "__main__":
    main()
