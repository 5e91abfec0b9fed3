"""Score cited spans on TAC 2014 Task 1a: every query in one table, with the published numbers.

    python experiments/task1_spans.py [--data ../shared/data] [--without]

The data folder needs tac2014/, mesh/ and pubmed-text/. Rankers are trained on the other topics. Prints Markdown;
--without adds rows for the ranker without groups of features.
"""

import argparse
import os
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

PUBLISHED = {"random": ".0401", "citance": ".1635", "mesh": ".1038", "noun-phrases": ".1846", "idf": ".1143"}
Answers = list[list[list[Span]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--without", action="store_true", help="also the ranker without groups of features")
    options = parser.parse_args()
    topics = [t for t in read_topics([options.data / "tac2014"]) if not isinstance(t, BrokenTopic)]
    files = [options.data / "mesh" / name for name in ("mesh2019_entry_terms.tsv.gz", "mtrees2019.bin.gz")]
    thesaurus = mesh.read(files)
    table = embeddings.default()
    idf = {word: float(table.idf[row]) for word, row in table.index.items()}
    sources = Sources(mesh=thesaurus, idf=idf)
    print("| spans | recall | precision | F1 | to the baseline | published |\n|---|---:|---:|---:|---:|---:|")
    baseline = 0.0
    for name, answer in _methods(topics, sources, _GROUPS if options.without else {}):
        answers = answer()
        recall, precision, f1 = score(topics, answers)
        baseline = f1 if name == "citance" else baseline
        gain = f"{f1 / baseline - 1:+.0%}" if baseline else ""
        print(
            f"| {name} | {recall:.4f} | {precision:.4f} | {f1:.4f} | {gain} | {PUBLISHED.get(name, '')} |", flush=True
        )


def _methods(
    topics: Sequence[Topic], sources: Sources, without: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, Callable[[], Answers]]]:
    """Yield every method with its name, the baseline first; `without` are groups of features to leave out."""

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
                query = msgspec.structs.replace(citance, spans=Spans(parts=parts, top=top, rerank=rerank))
                yield f"citance, {where}, top {top}, {'' if rerank else 'not '}re-ranked", linked(query)
    for name in ("bm25", "language-model", "embeddings"):
        yield name, linked(Query.load(name))
    examples = [ranker.examples(topic) for topic in topics]
    yield "best", lambda: _learned(topics, examples)
    yield "oracle of whole sentences", lambda: [_oracle(topic) for topic in topics]
    for group, prefixes in without.items():
        yield f"best without {group}", lambda prefixes=prefixes: _learned(topics, examples, prefixes)


_GROUPS = {
    "the other citances": ("others-", "all-"),
    "word vectors": ("aligned", "centroid", "others-aligned"),
    "properties of the sentence": (
        "central", "abstract-", "place", "begins-", "ends-", "length", "references", "figure", "section-", "cue-",
    ),
    "headings, paragraphs, names, context": ("cosine-heading", "cosine-paragraph", "names", "cosine-around"),
}  # fmt: skip


def _learned(topics: Sequence[Topic], examples: Sequence[ranker.SpanExamples], without: Sequence[str] = ()) -> Answers:
    """Link each topic by a ranker trained on the others, without features whose names have a prefix in `without`."""
    columns = examples[0].columns
    keep = [i for i, name in enumerate(columns) if not name.startswith(tuple(without) or ("\0",))]
    cut = [_with_columns(e, keep) for e in examples]
    by_topic = []
    for k, topic in enumerate(topics):
        model = ranker.train([t for i, t in enumerate(cut) if i != k])
        index = SpanIndex.of(topic.reference)
        shares = np.clip(model.regression(cut[k].values), 0.0, 1.0).reshape(len(topic.citances), len(index))
        lengths = cut[k].lengths[: len(index)]
        answers = [best_spans(row, lengths, index.joins, model.marked) for row in shares]
        by_topic.append([[index.characters(a, b) for a, b in answer] for answer in answers])
    return by_topic


def _with_columns(examples: ranker.SpanExamples, keep: Sequence[int]) -> ranker.SpanExamples:
    """Keep some columns of examples."""
    names = tuple(examples.columns[i] for i in keep)
    return ranker.SpanExamples(names, examples.values[:, keep], examples.shares, examples.lengths, examples.marked)


def _oracle(topic: Topic) -> list[list[Span]]:
    """Return the answer that the ranker would choose if it knew the shares."""
    index = SpanIndex.of(topic.reference)
    lengths = np.array([s.end - s.start for s in index.sentences], dtype=float)
    answers = []
    for citance in topic.citances:
        gold = GoldSpans([a.spans for a in citance.annotations])
        chosen = best_spans(ranker.shares_of(index, gold), lengths, index.joins, gold.total / gold.annotators)
        answers.append([index.characters(a, b) for a, b in chosen])
    return answers


def _random(topic: Topic, seed: int) -> list[list[Span]]:
    generator = np.random.default_rng(seed)
    index = SpanIndex.of(topic.reference)
    draws = [generator.integers(len(index.spans), size=3) for _ in topic.citances]
    return [[index.characters(*index.spans[i]) for i in draw] for draw in draws]


def score(topics: Sequence[Topic], answers: Answers) -> tuple[float, float, float]:
    """Return weighted recall, precision and F1, averaged over citances."""
    scores = [
        GoldSpans([a.spans for a in citance.annotations]).score(answer)
        for topic, of_topic in zip(topics, answers, strict=True)
        for citance, answer in zip(topic.citances, of_topic, strict=True)
    ]
    n = len(scores)
    return sum(s.recall for s in scores) / n, sum(s.precision for s in scores) / n, sum(s.f1 for s in scores) / n


if __name__ == "__main__":
    main()
