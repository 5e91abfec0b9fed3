"""Facets of a summary's sentences: those of the citances that cite them, or that they are part of."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ilpsum.answers.steps import Summarizer
from ilpsum.cli import main
from ilpsum.formats import read_topics
from ilpsum.pipeline.ordering import FACETS
from ilpsum.pipeline.system import System
from ilpsum.records import Sentence, Span, Topic
from ilpsum.task1.linker import Linker, facets_of, votes


def _topic(folder: Path) -> Topic:
    (topic,) = read_topics([folder])
    assert isinstance(topic, Topic)
    return topic


def _sentence(document: str, start: int, end: int) -> Sentence:
    return Sentence("Ponds freeze.", document, start, end, 2)


def test_a_place_counts_for_sentences_that_it_contains_by_more_than_half() -> None:
    places = [("a", Span(0, 15), "method"), ("a", Span(4, 20), "results"), ("b", Span(0, 99), "results")]
    sentences = [_sentence("a", 0, 10), _sentence("a", 10, 20), _sentence("b", 5, 9), _sentence("c", 0, 9)]
    # The first place contains just half of the second sentence.
    expected = [{"method": 1, "results": 1}, {"results": 1}, {"results": 1}, {}]
    assert votes(sentences, places) == [Counter(counts) for counts in expected]


def test_facets_are_those_of_task_1(tac_topic: Callable[..., Path]) -> None:
    topic = _topic(tac_topic(gold=False))
    links = Linker.load("best")(topic, "RUN")
    found = Summarizer.load("task2")(topic).candidates
    facets = facets_of(topic, found)
    for sentence, facet in zip(found, facets, strict=True):
        named = []
        for citance, link in zip(topic.citances, links, strict=True):
            spans = [(topic.reference.id, s.start, s.end) for s in link.spans] if topic.reference else []
            for document, start, end in [*spans, (citance.document, citance.start, citance.end)]:
                inside = [i for i in range(sentence.start, sentence.end) if start <= i < end]
                if document == sentence.document and len(inside) > (sentence.end - sentence.start) / 2:
                    named.append(link.facet)
        assert facet == (max(named, key=named.count) if named else "")
    assert any(facets)
    assert facets_of(replace(topic, citances=()), found) == [""] * len(found)


def test_summaries_ordered_by_facet_have_them(tac_topic: Callable[..., Path], tmp_path: Path) -> None:
    folder = tac_topic(gold=False)
    command = [
        "summarize",
        str(folder.parent),
        "--system",
        "task2",
        "--order",
        "facet",
        "--set",
        "order.labels=true",
        "--words",
        "60",
    ]
    assert main([*command, "--team", "T", "--run", "1", "--out", str(tmp_path / "out"), "--quiet"]) == 0
    (provenance,) = (tmp_path / "out").rglob("*provenance*.jsonl")
    line = json.loads(provenance.read_text(encoding="utf-8").splitlines()[-1])
    topic = _topic(folder)
    known = {s.place: facet for s, facet in zip(*_candidates(topic), strict=True)}
    given = {(c["document"], c["start"], c["end"]): c.get("facet", "") for c in line["candidates"]}
    assert given == known
    text = next((tmp_path / "out").rglob("D9001_TEST")).read_text(encoding="utf-8")
    shown = [line.split(":")[0].lower() for line in text.splitlines() if line.split(":")[0].lower() in FACETS]
    assert shown == sorted(shown, key=FACETS.index)


def _candidates(topic: Topic) -> tuple[tuple[Sentence, ...], list[str]]:
    found = Summarizer.load(System.load("task2"))(topic).candidates
    return found, facets_of(topic, found)
