"""Score spans on CL-SciSumm's Task 1A: sentence overlap of the baseline, BM25 and learned spans.

    python experiments/task1_scisumm.py [--data ../shared/data]

The included ranker (trained on TAC 2014) is compared with rankers trained on these topics in five folds. Each citance
is scored against each of its annotators. Prints means over citances as Markdown, with ROUGE-2 F1 of the answer's text
against the gold text.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from ilpsum.formats import read_topics
from ilpsum.metrics.rouge import References
from ilpsum.metrics.spans import sentence_overlap
from ilpsum.records import BrokenTopic, Span, Topic
from ilpsum.task1 import ranker
from ilpsum.task1.linker import Linker, spans
from ilpsum.task1.models import Query
from ilpsum.task1.ranker import choose_spans
from ilpsum.task1.reformulation import Background
from ilpsum.task1.retrieval import SpanIndex

FOLDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    options = parser.parse_args()
    topics = [t for t in read_topics([options.data / "scisumm"]) if not isinstance(t, BrokenTopic)]
    annotated = sum(any(a.spans for a in c.annotations) for t in topics for c in t.citances)
    print(f"{len(topics)} topics, {annotated} citances with gold spans.\n")
    print("| spans | sentences: recall | precision | F1 | ROUGE-2 F1 |\n|---|---:|---:|---:|---:|")
    for name in ("citance", "prose", "bm25"):
        _row(name, topics, [spans(topic, Query.load(name), None, Background()) for topic in topics])
    included = Linker.load("best")
    _row("best, included model", topics, [spans(t, included.query, included.model, Background()) for t in topics])
    _row(f"best, trained here in {FOLDS} folds", topics, _learned(topics))


def _learned(topics: Sequence[Topic]) -> list[list[list[Span]]]:
    examples = [ranker.examples(topic) for topic in topics]
    models = [
        ranker.train([e for i, e in enumerate(examples) if e is not None and i % FOLDS != fold])
        for fold in range(FOLDS)
    ]
    return [
        choose_spans(SpanIndex.of(topic.reference), topic.citances, topic.documents, models[i % FOLDS])
        for i, topic in enumerate(topics)
    ]


def _row(name: str, topics: Sequence[Topic], answers: Sequence[Sequence[Sequence[Span]]]) -> None:
    rows = []
    for topic, of_topic in zip(topics, answers, strict=True):
        paper = topic.reference
        for citance, answer in zip(topic.citances, of_topic, strict=True):
            for gold in (a.spans for a in citance.annotations if a.spans):
                score = sentence_overlap(answer, gold, paper.sentences)
                texts = [" ".join(paper.text[s.start : s.end] for s in some) for some in (gold, answer)]
                rouge = References([texts[0]], ["ROUGE-2"]).score(texts[1])["ROUGE-2"].f1
                rows.append((score.recall, score.precision, score.f1, rouge))
    means = (sum(values) / len(rows) for values in zip(*rows, strict=True))
    print(f"| {name} | " + " | ".join(f"{mean:.4f}" for mean in means) + " |", flush=True)


if __name__ == "__main__":
    main()
