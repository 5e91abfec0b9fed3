"""Score cited spans on TAC 2014 Task 1a: every query in one table, with the published numbers.

    python -m experiments.task1_spans [--data ../shared/data] [--umls FILE] [--tables NAME...]
                                      [--without]

The data folder needs tac2014/, mesh/, pubmed-text/, scisumm/ and scisummnet.tar.gz. --umls takes a
thesaurus, such as `python -m experiments.task1_vocabularies` writes. Rankers are trained on the other
topics. Prints Markdown; --tables chooses tables, --without adds rows for the ranker without groups
of features.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path

import msgspec
import numpy as np

from ilpsum.metrics.spans import GoldSpans
from ilpsum.papers.layout import PROSE
from ilpsum.records import BrokenTopic, Span, Topic
from ilpsum.task1 import ranker
from ilpsum.task1.linker import Query, Spans, spans
from ilpsum.task1.ranker import best_spans
from ilpsum.task1.reformulation import Background
from ilpsum.task1.retrieval import SpanIndex
from ilpsum.task1.thesaurus import Thesaurus
from ilpsum.tasks import read_topics

PUBLISHED = {
    "random": ".0401", "citance": ".1635", "mesh": ".1038", "umls": ".1782", "noun-phrases": ".1846",
    "idf-known": ".1143", "health-terms": ".0755", "comb-1": ".1957", "comb-2": ".1967",
}  # fmt: skip
# Draws of random spans.
DRAWS = 40
Answers = list[list[list[Span]]]
Rows = Iterator[tuple[str, Callable[[], Answers]]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument("--umls", type=Path, help="a thesaurus, for umls, comb-1 and comb-2")
    parser.add_argument(
        "--tables", nargs="+", default=list(TABLES), choices=list(TABLES), metavar="NAME"
    )
    parser.add_argument(
        "--without", action="store_true", help="also the ranker without groups of features"
    )
    options = parser.parse_args()
    topics = [t for t in read_topics([options.data / "tac2014"]) if not isinstance(t, BrokenTopic)]
    concepts = Thesaurus.read([options.umls]) if options.umls else None
    sources = Background(
        Thesaurus.read([options.data / "mesh/mesh2019_entry_terms.tsv.gz"]), concepts
    )
    _, _, baseline = score(topics, _linked(topics, Query.load("citance"), sources)())
    for table_name in options.tables:
        print(
            f"\n{table_name}\n\n| spans | recall | precision | F1 | to the baseline | published |"
        )
        print("|---|---:|---:|---:|---:|---:|")
        for name, answer in TABLES[table_name](topics, sources, options):
            recall, precision, f1 = score(topics, answer())
            row = (
                f"| {name} | {recall:.4f} | {precision:.4f} | {f1:.4f} | {f1 / baseline - 1:+.0%} |"
            )
            print(f"{row} {PUBLISHED.get(name, '')} |", flush=True)


def linked(topics: Sequence[Topic], query: Query, sources: Background) -> Answers:
    """Return the spans of all citances, by topic."""
    return [spans(topic, query, None, sources) for topic in topics]


def _linked(topics: Sequence[Topic], query: Query, sources: Background) -> Callable[[], Answers]:
    return lambda: linked(topics, query, sources)


def _reformulations(topics: Sequence[Topic], sources: Background, _: argparse.Namespace) -> Rows:
    """Yield the published queries over the whole paper, the baseline first."""
    citance = Query.load("citance")
    yield "citance", _linked(topics, citance, sources)
    yield "random", lambda: random_spans(topics, citance)
    for name in (
        "mesh",
        "noun-phrases",
        "idf",
        "idf-known",
        *(("umls", "comb-1", "comb-2") if sources.umls else ()),
    ):
        yield name, _linked(topics, Query.load(name), sources)
    union = msgspec.structs.replace(citance.terms, keep=("mesh", "noun-phrases"))
    yield (
        "mesh and noun phrases",
        _linked(topics, msgspec.structs.replace(citance, terms=union), sources),
    )
    union = msgspec.structs.replace(union, expand=True)
    yield (
        "mesh and noun phrases, expanded",
        _linked(topics, msgspec.structs.replace(citance, terms=union), sources),
    )


def _filtered(topics: Sequence[Topic], sources: Background, _: argparse.Namespace) -> Rows:
    """Yield the published queries over the filtered index: the paper's run 5 is its best query over that index."""
    filtered = Query.load("prose").spans
    concepts = ("umls", "comb-1", "comb-2") if sources.umls else ()
    for name in ("citance", "mesh", "noun-phrases", "idf", "idf-known", *concepts):
        query = msgspec.structs.replace(Query.load(name), spans=filtered)
        yield f"{name}, prose", _linked(topics, query, sources)


def _merging(topics: Sequence[Topic], sources: Background, _: argparse.Namespace) -> Rows:
    """Yield the baseline with overlapping spans merged up to five sentences, and always, as published."""
    parts = Query.load("citance").spans.parts
    for merge in ("limit", "always"):
        for top in (3, 5, 10, 20, 30):
            query = msgspec.structs.replace(
                Query.load("citance"), spans=Spans(parts=parts, top=top, merge=merge)
            )
            yield f"citance, top {top}, merged {merge}", _linked(topics, query, sources)


def _settings(topics: Sequence[Topic], sources: Background, _: argparse.Namespace) -> Rows:
    """Yield the plain citance by parts, top and re-ranking, and the other rankings."""
    citance = Query.load("citance")
    for parts, where in ((citance.spans.parts, "whole paper"), ((), "prose")):
        for top in (10, 30, 100):
            for rerank in (True, False):
                query = msgspec.structs.replace(
                    citance, spans=Spans(parts=parts, top=top, rerank=rerank)
                )
                name = f"citance, {where}, top {top}, {'' if rerank else 'not '}re-ranked"
                yield name, _linked(topics, query, sources)
    for name in ("bm25", "language-model", "embeddings"):
        yield name, _linked(topics, Query.load(name), sources)


def _rankers(topics: Sequence[Topic], _: Background, options: argparse.Namespace) -> Rows:
    """Yield `best`, and what it could choose at most."""
    examples = [ranker.examples(topic) for topic in topics]
    yield "best", lambda: _learned(topics, examples)
    yield "oracle of whole sentences", lambda: [_oracle(topic) for topic in topics]
    for group, prefixes in (_GROUPS if options.without else {}).items():
        yield (
            f"best without {group}",
            lambda prefixes=prefixes: _learned(topics, examples, prefixes),
        )


TABLES: dict[str, Callable[[Sequence[Topic], Background, argparse.Namespace], Rows]] = {
    "queries": _reformulations,
    "filtered": _filtered,
    "merging": _merging,
    "settings": _settings,
    "rankers": _rankers,
}

_GROUPS = {
    "the other citances": ("others-", "all-"),
    "word vectors": ("aligned", "centroid", "others-aligned"),
    "properties of the sentence": (
        "central", "abstract-", "place", "begins-", "ends-", "length", "references", "figure", "section-", "cue-",
    ),
    "headings, paragraphs, names, context": ("cosine-heading", "cosine-paragraph", "names", "cosine-around"),
}  # fmt: skip


def _learned(
    topics: Sequence[Topic],
    examples: Sequence[ranker.SpanExamples],
    without: Sequence[str] = (),
) -> Answers:
    """Link each topic by a ranker trained on the others, without features whose names have a prefix
    in `without`.
    """
    columns = examples[0].columns
    keep = [i for i, name in enumerate(columns) if not name.startswith(tuple(without) or ("\0",))]
    cut = [_with_columns(e, keep) for e in examples]
    by_topic = []
    for k, topic in enumerate(topics):
        model = ranker.train([t for i, t in enumerate(cut) if i != k])
        index = SpanIndex.of(topic.reference)
        shares = np.clip(model.regression(cut[k].values), 0.0, 1.0).reshape(
            len(topic.citances), len(index)
        )
        lengths = cut[k].lengths[: len(index)]
        answers = [best_spans(row, lengths, index.joins, model.marked) for row in shares]
        by_topic.append([[index.characters(a, b) for a, b in answer] for answer in answers])
    return by_topic


def _with_columns(examples: ranker.SpanExamples, keep: Sequence[int]) -> ranker.SpanExamples:
    """Keep some columns of examples."""
    names = tuple(examples.columns[i] for i in keep)
    return ranker.SpanExamples(
        names, examples.values[:, keep], examples.shares, examples.lengths, examples.marked
    )


def _oracle(topic: Topic) -> list[list[Span]]:
    """Return the answer that the ranker would choose if it knew the shares."""
    index = SpanIndex.of(topic.reference)
    lengths = np.array([s.end - s.start for s in index.sentences], dtype=float)
    answers = []
    for citance in topic.citances:
        gold = GoldSpans([a.spans for a in citance.annotations])
        chosen = best_spans(
            ranker.shares_of(index, gold), lengths, index.joins, gold.total / gold.annotators
        )
        answers.append([index.characters(a, b) for a, b in chosen])
    return answers


def random_spans(topics: Sequence[Topic], query: Query) -> Answers:
    """Draw three spans for each citance, `DRAWS` times, from the index of a query."""
    generator, answers = np.random.default_rng(1), Answers()
    indexes = [
        SpanIndex.of(topic.reference, PROSE | frozenset(query.spans.parts)) for topic in topics
    ]
    for _ in range(DRAWS):
        for topic, index in zip(topics, indexes, strict=True):
            picks = generator.integers(len(index.spans), size=(len(topic.citances), 3))
            answers.append([[index.characters(*index.spans[i]) for i in own] for own in picks])
    return answers


def score(topics: Sequence[Topic], answers: Answers) -> tuple[float, float, float]:
    """Return weighted recall, precision and F1, averaged over citances; several answers a topic follow each other."""
    scores = [
        GoldSpans([a.spans for a in citance.annotations]).score(answer)
        for topic, of_topic in zip(cycle(topics), answers, strict=False)
        for citance, answer in zip(topic.citances, of_topic, strict=True)
    ]
    n = len(scores)
    return (
        sum(s.recall for s in scores) / n,
        sum(s.precision for s in scores) / n,
        sum(s.f1 for s in scores) / n,
    )


if __name__ == "__main__":
    main()
