"""Task 1A on CL-SciSumm's topics: sentence-overlap F1 of the baseline, BM25 and the learned spans.

    python experiments/task1_scisumm.py [DATA]

DATA is a folder with scisumm/, by default $ILPSUM_TEST_DATA or ../shared/data. The ranker is tried as it ships
(trained on TAC 2014) and trained on four fifths of these topics at a time. Each citance is scored against each of its
annotators, the mean over citances is printed, in Markdown, with ROUGE-2 F1 of the answer's text against the gold's.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ilpsum.citances import ranker
from ilpsum.citances.index import SpanIndex
from ilpsum.citances.linker import Linker, spans
from ilpsum.citances.queries import Query
from ilpsum.citances.ranker import choose_spans
from ilpsum.citances.reformulation import Sources
from ilpsum.corpora import read_topics
from ilpsum.metrics.rouge import References
from ilpsum.metrics.sentence_overlap import sentence_overlap
from ilpsum.records import BrokenTopic, Span, Topic

FOLDS = 5


def main() -> None:
    data = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    topics = [t for t in read_topics([data / "scisumm"]) if not isinstance(t, BrokenTopic)]
    annotated = sum(any(a.spans for a in c.annotations) for t in topics for c in t.citances)
    print(f"{len(topics)} topics, {annotated} citances with gold spans.\n")
    print("| spans | sentences: recall | precision | F1 | ROUGE-2 F1 |\n|---|---:|---:|---:|---:|")
    for name in ("citance", "prose", "bm25"):
        _row(name, topics, [spans(topic, Query.load(name), None, Sources()) for topic in topics])
    shipped = Linker.load("best")
    _row("best, as it ships", topics, [spans(t, shipped.query, shipped.model, Sources()) for t in topics])
    _row(f"best, trained here in {FOLDS} folds", topics, _learned(topics))


def _learned(topics: Sequence[Topic]) -> list[list[list[Span]]]:
    taught = [ranker.examples(topic) for topic in topics]
    models = [
        ranker.train([t for i, t in enumerate(taught) if t is not None and i % FOLDS != fold]) for fold in range(FOLDS)
    ]
    return [
        choose_spans(SpanIndex.of(topic.reference), topic.citances, topic.documents, models[i % FOLDS])
        for i, topic in enumerate(topics)
    ]


def _row(name: str, topics: Sequence[Topic], answers: Sequence[Sequence[Sequence[Span]]]) -> None:
    rows = []
    for topic, found in zip(topics, answers, strict=True):
        paper = topic.reference
        for citance, answer in zip(topic.citances, found, strict=True):
            for gold in (a.spans for a in citance.annotations if a.spans):
                score = sentence_overlap(answer, gold, paper.sentences)
                texts = [" ".join(paper.text[s.start : s.end] for s in some) for some in (gold, answer)]
                rouge = References([texts[0]], ["ROUGE-2"]).score(texts[1])["ROUGE-2"].f1
                rows.append((score.recall, score.precision, score.f1, rouge))
    means = (sum(values) / len(rows) for values in zip(*rows, strict=True))
    print(f"| {name} | " + " | ".join(f"{mean:.4f}" for mean in means) + " |", flush=True)


if __name__ == "__main__":
    main()
