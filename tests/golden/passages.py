"""Fit passages of the demo's abstracts into budgets, and summarise them as a topic, by the Python API."""

import json
import sys
from pathlib import Path

from ilpsum import Document, Summarizer, Topic, select

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.golden.inputs import records

QUESTION = "How does gentamicin kill kidney cells?"
documents = tuple(Document(id=each.pmid, title=each.title, text=each.abstract) for each in records(Path(sys.argv[1])))


def show(**row: object) -> None:
    print(json.dumps(row))


for budget in (100, 300, 800):
    for passage in select(QUESTION, documents, budget=budget, count=len):
        show(budget=budget, text=passage.text, source=passage.source, start=passage.start, end=passage.end)
for passage in select(QUESTION, [each.text for each in documents], budget=40):
    show(words=40, text=passage.text, source=passage.source, start=passage.start, end=passage.end)
summarizer = Summarizer.load("concepts")
for words in (20, 60):
    summary = summarizer(Topic(id="q1", query=QUESTION, documents=documents), words=words)
    show(words=words, text=summary.text, objective=summary.objective, gap=summary.gap)
    for sentence in summary:
        show(text=sentence.text, document=sentence.document, start=sentence.start, end=sentence.end,
             relevance=sentence.relevance)  # fmt: skip
