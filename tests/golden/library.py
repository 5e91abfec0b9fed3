"""What Python users call, on the files that a case names: `library answers|passages|tables FILE...`."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import ilpsum
from tests.golden.inputs import records

QUESTION = "How does gentamicin kill kidney cells?"


def answers(questions: str, collection: str) -> Iterable[dict[str, object]]:
    """Yield the answers to the questions of a file from a collection of abstracts."""
    sources = ilpsum.Sources(documents=(Path(collection),))
    for question in Path(questions).read_text(encoding="utf-8").splitlines():
        yield ilpsum.ask(question, sources, words=100).to_dict()


def passages(abstracts: str) -> Iterable[dict[str, object]]:
    """Yield the abstracts' passages within budgets, and their summary as a topic."""
    documents = tuple(
        ilpsum.Document(id=each.pmid, title=each.title, text=each.abstract)
        for each in records(Path(abstracts))
    )
    for budget in (100, 300, 800):
        for passage in ilpsum.select(QUESTION, documents, budget=budget, count=len):
            yield {
                "budget": budget,
                "text": passage.text,
                "source": passage.source,
                "start": passage.start,
            }
    for passage in ilpsum.select(QUESTION, [each.text for each in documents], budget=40):
        yield {"budget": 40, "text": passage.text, "source": passage.source, "start": passage.start}
    summarizer = ilpsum.Summarizer.load("concepts")
    for words in (20, 60):
        summary = summarizer(
            ilpsum.Topic(id="q1", query=QUESTION, documents=documents), words=words
        )
        yield {
            "words": words,
            "text": summary.text,
            "objective": summary.objective,
            "gap": summary.gap,
        }
        for each in summary:
            yield {
                "text": each.text,
                "document": each.document,
                "start": each.start,
                "relevance": each.relevance,
            }


def tables(topics: str) -> Iterable[dict[str, object]]:
    """Yield the scores of a summary by the library, its links, and compressions."""
    read = ilpsum.topics_of(topics)
    summarizer = ilpsum.Summarizer.load("ilp-sum-1-tuned")
    for scored in ilpsum.evaluate(
        [summarizer(topic, words=100) for topic in read], topics, ("ROUGE-2",)
    ):
        yield {
            "topic": scored.topic,
            "metric": scored.metric,
            "recall": scored.recall,
            "f1": scored.f1,
        }
    for link in ilpsum.link(topics, "bm25"):
        yield {
            "topic": link.topic,
            "citance": link.citance,
            "spans": [(span.start, span.end) for span in link.spans],
        }
    for short in ilpsum.compress(["A study of the effect of zinc on mice: a trial"]):
        yield {"text": short.text}


if __name__ == "__main__":
    name, *files = sys.argv[1:]
    rows = (
        answers(*files)
        if name == "answers"
        else passages(*files)
        if name == "passages"
        else tables(*files)
    )
    for row in rows:
        print(json.dumps(row))
