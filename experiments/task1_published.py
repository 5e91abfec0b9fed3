"""Where the signs of the published queries of Task 1a come from: each setting of retrieval, one
factor at a time.

    python -m experiments.task1_published --umls FILE [--data ../shared/data]

The queries of Cohan et al. (2014), `published-*.toml`, are run with the settings that we inferred,
and with each of these settings changed alone. --umls takes a thesaurus, such as the table of
experiments/task1_vocabularies.py. Scores are the official one, weighted by annotator, and the one
against what any annotator marked (`span-union-f1`). Random spans are drawn from the index of the
baseline. Intervals: bootstrap over topics of the gain in percent.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from experiments.archives import unpacked
from experiments.odds_ratio import health_terms, reference_texts
from features.arrays import Floats
from ilpsum.metrics.spans import GoldSpans
from ilpsum.papers.layout import PROSE
from ilpsum.records import Span, Topic
from ilpsum.task1.linker import Query, Spans, spans
from ilpsum.task1.reformulation import Background
from ilpsum.task1.retrieval import SpanIndex
from ilpsum.task1.thesaurus import Thesaurus
from ilpsum.tasks import read_topics

QUERIES = {
    "noun-phrases": "+13", "mesh": "-37", "idf": "-30", "health-terms": "-54", "umls": "+9", "comb-1": "+20",
    "comb-2": "+20",
}  # fmt: skip
"""The published queries, and their gain over the baseline in percent."""
DRAWS, SAMPLES, SEED = 40, 10_000, 1
BASELINE = Query.load("published-citance")
INFERRED = BASELINE.spans


def settings() -> dict[str, Spans]:
    """Return the settings of retrieval: the inferred ones, each factor changed alone, and those of `citance`."""
    change = msgspec.structs.replace
    return {
        "inferred": INFERRED,
        "inferred, prose, top 10": change(INFERRED, parts=(), top=10),
        "tf-idf": change(INFERRED, weighting="tf-idf"),
        "without stop words": change(INFERRED, stop_words=False),
        "stems": change(INFERRED, stem=True),
        "merged up to five": change(INFERRED, merge="limit"),
        "prose": change(INFERRED, parts=()),
        "top 10": change(INFERRED, top=10),
        "`citance`": Query.load("citance").spans,
    }


@dataclass(frozen=True)
class Scores:
    """F1 of the citances of all topics, (draws * citances,), official and against the union, with their topics."""

    topics: np.ndarray
    official: Floats
    union: Floats
    precision: Floats

    def gain(self, baseline: "Scores") -> str:
        """Return the gain over a baseline in percent, and its interval over topics."""
        own, other = (self._sums(), baseline._sums())
        n = len(own)
        drawn = np.random.default_rng(SEED).integers(n, size=(SAMPLES, n))
        low, high = np.percentile(own[drawn].sum(axis=1) / other[drawn].sum(axis=1), [2.5, 97.5])
        return f"{_percent(self.official, baseline.official)} [{100 * low - 100:+.0f}, {100 * high - 100:+.0f}]"

    def _sums(self) -> Floats:
        return np.bincount(self.topics, weights=self.official)


def _percent(one: Floats, other: Floats) -> str:
    return f"{100 * one.mean() / other.mean() - 100:+.0f}"


def scored(
    topics: Sequence[Topic], answers: Sequence[tuple[int, Sequence[Sequence[Span]]]]
) -> Scores:
    """Score the answers, each the spans of all citances of the topic with this number."""
    found = []
    for number, of_topic in answers:
        for citance, answer in zip(topics[number].citances, of_topic, strict=True):
            gold = [annotation.spans for annotation in citance.annotations]
            one, both = (
                GoldSpans(gold).score(answer),
                GoldSpans([[s for own in gold for s in own]]).score(answer),
            )
            found.append((number, one.f1, both.f1, one.precision))
    numbers, official, union, precision = zip(*found, strict=True)
    return Scores(np.array(numbers), np.array(official), np.array(union), np.array(precision))


def linked(topics: Sequence[Topic], query: Query, sources: Background) -> Scores:
    return scored(
        topics, [(k, spans(topic, query, None, sources)) for k, topic in enumerate(topics)]
    )


def drawn(topics: Sequence[Topic], of: Spans) -> Scores:
    """Score three random spans a citance, drawn `DRAWS` times from the index of some settings."""
    generator, answers = np.random.default_rng(SEED), []
    for number, topic in enumerate(topics):
        index = SpanIndex.of(topic.reference, PROSE | frozenset(of.parts))
        for _ in range(DRAWS):
            picks = generator.integers(len(index.spans), size=(len(topic.citances), 3))
            answers.append(
                (number, [[index.characters(*index.spans[i]) for i in own] for own in picks])
            )
    return scored(topics, answers)


def density(topics: Sequence[Topic]) -> float:
    """Return the mean share of a paper's characters that an annotator marks for a citance."""
    shares = []
    for topic in topics:
        for citance in topic.citances:
            gold = GoldSpans([a.spans for a in citance.annotations])
            shares.append(gold.total / gold.annotators / len(topic.reference.text))
    return float(np.mean(shares))


def rows(topics: Sequence[Topic], sources: Background) -> Iterator[str]:
    """Yield the lines of the page."""
    loaded = {name: Query.load(f"published-{name}") for name in QUERIES}
    table, details = [], []
    for title, own in settings().items():
        base = linked(topics, msgspec.structs.replace(BASELINE, spans=own), sources)
        random = drawn(topics, own)
        cells, unions = [], []
        for name, query in loaded.items():
            result = linked(topics, msgspec.structs.replace(query, spans=own), sources)
            cells.append(_percent(result.official, base.official))
            unions.append(_percent(result.union, base.union))
            if own == INFERRED:
                terms = msgspec.structs.replace(query.terms, empty="citance")
                kept = linked(
                    topics, msgspec.structs.replace(query, spans=own, terms=terms), sources
                )
                row = f"| {name} | {result.official.mean():.4f} | {result.gain(base)} | {QUERIES[name]} |"
                row += f" {_percent(kept.official, base.official)} |"
                details.append(
                    f"{row} {result.union.mean():.4f} | {_percent(result.union, base.union)} |"
                )
        numbers = [f"{value.mean():.4f}" for value in (base.official, random.official)]
        table.append(f"| {title} | {' / '.join(numbers)} | {' | '.join(cells)} |")
        numbers = [f"{value.mean():.4f}" for value in (base.union, random.union)]
        table.append(f"| {title}, union | {' / '.join(numbers)} | {' | '.join(unions)} |")
        if own == INFERRED:
            details.insert(
                0,
                f"Baseline {base.official.mean():.4f}, against the union {base.union.mean():.4f}.",
            )
            details.insert(
                1,
                f"Random {random.official.mean():.4f}, precision {random.precision.mean():.4f}, {DRAWS} draws.",
            )
            details.insert(
                2, f"An annotator marks {density(topics):.4f} of a paper for a citance, on average."
            )
            head = "\n| query | F1 | gain, % [95 %] | published | gain, whole citance if empty | union F1 | gain |"
            details.insert(3, f"{head}\n|---|---:|---:|---:|---:|---:|---:|")
    yield from details
    yield f"\n| setting | baseline / random | {' | '.join(QUERIES)} |"
    yield "|---|---:" + "|---:" * len(QUERIES) + "|"
    yield f"| published | .1635 / .0401 | {' | '.join(QUERIES.values())} |"
    yield from table


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument("--umls", type=Path, required=True, help="a thesaurus")
    options = parser.parse_args()
    topics = [t for t in read_topics([options.data / "tac2014"]) if isinstance(t, Topic)]
    papers = reference_texts(unpacked(options.data / "scisummnet.tar.gz"))
    abstracts = options.data / "pubmed-text" / "other_abstracts.jsonl.gz"
    files = options.data / "mesh/mesh2019_entry_terms.tsv.gz", options.umls
    thesauri = (Thesaurus.read([file]) for file in files)
    sources = Background(*thesauri, health=health_terms(abstracts, papers, len(papers)))
    for line in rows(topics, sources):
        print(line, flush=True)


if __name__ == "__main__":
    main()
