"""Cited spans of TAC 2014 Task 1a: every query and idea in one table, the published numbers beside.

    python experiments/task1_spans.py [DATA] [--without]

DATA is a folder with tac2014/, mesh/ and pubmed-text/, by default $ILPSUM_TEST_DATA or ../shared/data. What learns is
trained with the topic that is scored left out. Prints Markdown; with --without also what groups of signals are worth.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from ilpsum.citances import mesh, ranker
from ilpsum.citances.index import SpanIndex
from ilpsum.citances.linker import spans
from ilpsum.citances.queries import Query, Spans
from ilpsum.citances.ranker import best_spans
from ilpsum.citances.reformulation import Sources
from ilpsum.corpora import read_topics
from ilpsum.learning import embeddings
from ilpsum.metrics.spans import GoldSpans
from ilpsum.records import BrokenTopic, Span, Topic

PUBLISHED = {
    "random": ".0401",
    "citance": ".1635",
    "mesh": ".1038",
    "noun-phrases": ".1846",
    "idf": ".1143",
}
Answers = list[list[list[Span]]]


def main() -> None:
    given = [word for word in sys.argv[1:] if not word.startswith("--")]
    data = Path(given[0] if given else os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    topics = [t for t in read_topics([data / "tac2014"]) if not isinstance(t, BrokenTopic)]
    thesaurus = mesh.read([data / "mesh" / name for name in ("mesh2019_entry_terms.tsv.gz", "mtrees2019.bin.gz")])
    table = embeddings.default()
    idf = {word: float(table.idf[row]) for word, row in table.index.items()}
    sources = Sources(mesh=thesaurus, idf=idf)
    print("| spans | recall | precision | F1 | to the baseline | published |\n|---|---:|---:|---:|---:|---:|")
    baseline = 0.0
    for name, make in _ways(topics, sources):
        answers = make()
        recall, precision, f1 = score(topics, answers)
        baseline = f1 if name == "citance" else baseline
        gain = f"{f1 / baseline - 1:+.0%}" if baseline else ""
        print(
            f"| {name} | {recall:.4f} | {precision:.4f} | {f1:.4f} | {gain} | {PUBLISHED.get(name, '')} |", flush=True
        )


def _ways(topics: Sequence[Topic], sources: Sources) -> Iterator[tuple[str, Callable[[], Answers]]]:
    """Every way with its name, the baseline first."""

    def linked(query: Query) -> Callable[[], Answers]:
        return lambda: [spans(topic, query, None, sources) for topic in topics]

    citance = Query.load("citance")
    yield "citance", linked(citance)
    yield "random", lambda: [_random(topic, seed) for seed, topic in enumerate(topics)]
    for name in ("mesh", "noun-phrases", "idf"):
        yield name, linked(Query.load(name))
    union = msgspec.structs.replace(citance.terms, keep=("mesh", "noun-phrases"))
    yield "mesh and noun phrases", linked(msgspec.structs.replace(citance, terms=union))
    union = msgspec.structs.replace(union, expand=True)
    yield "mesh and noun phrases, expanded", linked(msgspec.structs.replace(citance, terms=union))
    for parts, where in ((citance.spans.parts, "whole paper"), ((), "prose")):
        for top in (10, 30, 100):
            for rerank in (True, False):
                way = Spans(parts=parts, top=top, rerank=rerank)
                how = "re-ranked" if rerank else "not re-ranked"
                yield f"citance, {where}, top {top}, {how}", linked(msgspec.structs.replace(citance, spans=way))
    for name in ("bm25", "language-model", "embeddings"):
        yield name, linked(Query.load(name))
    taught = [ranker.examples(topic) for topic in topics]
    yield "best", lambda: _learned(topics, taught)
    yield "oracle of whole sentences", lambda: [_oracle(topic) for topic in topics]
    for group, words in _GROUPS.items() if "--without" in sys.argv else ():
        yield f"best without {group}", lambda words=words: _learned(topics, taught, words)


_GROUPS = {
    "the other citances": ("others-", "all-"),
    "word vectors": ("aligned", "centroid", "others-aligned"),
    "what the sentence is by itself": (
        "central", "abstract-", "place", "begins-", "ends-", "length", "references", "figure", "section-", "cue-",
    ),
    "headings, paragraphs, names, context": ("cosine-heading", "cosine-paragraph", "names", "cosine-around"),
}  # fmt: skip


def _learned(topics: Sequence[Topic], taught: Sequence[ranker.Examples], without: Sequence[str] = ()) -> Answers:
    """The ranker, each topic linked by one that was trained on the others."""
    columns = taught[0].columns
    keep = [i for i, name in enumerate(columns) if not name.startswith(tuple(without) or ("\0",))]
    cut = [_with_columns(t, keep) for t in taught]
    found = []
    for k, topic in enumerate(topics):
        model = ranker.train([t for i, t in enumerate(cut) if i != k])
        index = SpanIndex.of(topic.reference)
        shares = np.clip(model.regression(cut[k].values), 0.0, 1.0).reshape(len(topic.citances), len(index))
        lengths = cut[k].lengths[: len(index)]
        answers = [best_spans(row, lengths, index.joins, model.marked) for row in shares]
        found.append([[index.span(a, b) for a, b in answer] for answer in answers])
    return found


def _with_columns(examples: ranker.Examples, keep: Sequence[int]) -> ranker.Examples:
    """Examples with some of their columns."""
    names = tuple(examples.columns[i] for i in keep)
    return ranker.Examples(names, examples.values[:, keep], examples.shares, examples.lengths, examples.marked)


def _oracle(topic: Topic) -> list[list[Span]]:
    """The answer that the ranker would choose if it knew the shares."""
    index = SpanIndex.of(topic.reference)
    lengths = np.array([s.end - s.start for s in index.sentences], dtype=float)
    found = []
    for citance in topic.citances:
        gold = GoldSpans([a.spans for a in citance.annotations])
        chosen = best_spans(ranker.shares_of(index, gold), lengths, index.joins, gold.total / gold.annotators)
        found.append([index.span(a, b) for a, b in chosen])
    return found


def _random(topic: Topic, seed: int) -> list[list[Span]]:
    generator = np.random.default_rng(seed)
    index = SpanIndex.of(topic.reference)
    return [[index.span(*index.runs[i]) for i in generator.integers(len(index.runs), size=3)] for _ in topic.citances]


def score(topics: Sequence[Topic], answers: Answers) -> tuple[float, float, float]:
    """Mean weighted recall, precision and F1 over all citances."""
    scores = [
        GoldSpans([a.spans for a in citance.annotations]).score(answer)
        for topic, found in zip(topics, answers, strict=True)
        for citance, answer in zip(topic.citances, found, strict=True)
    ]
    n = len(scores)
    return sum(s.recall for s in scores) / n, sum(s.precision for s in scores) / n, sum(s.f1 for s in scores) / n


if __name__ == "__main__":
    main()
