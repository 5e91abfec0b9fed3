"""Structured summaries: sections by the facets that Task 1 predicts, within every limit."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from ilpsum.api.systems import summarizer
from ilpsum.cli import main
from ilpsum.errors import UsageError
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import System
from ilpsum.records import FACETS, Topic
from ilpsum.records.tables import OrderTable
from ilpsum.task1.labels import facets_of
from ilpsum.tasks import read_topics
from ilpsum.tasks.registry import FORMATS
from tests.systems import LEAD

LABELLED = {"order.by": "facet", "order.labels": True}


@pytest.fixture
def folder(tac_topic: Callable[..., Path]) -> Path:
    return tac_topic(gold=False)


def _topic(folder: Path) -> Topic:
    (topic,) = read_topics([folder])
    assert isinstance(topic, Topic)
    return topic


@pytest.mark.parametrize("words", [6, 20, 33, 60, 250])
def test_labels_stand_in_order_and_their_words_are_within_the_limit(folder, words):
    summarize = summarizer("task2", target=FORMATS["tac"], settings=LABELLED)
    summary = summarize(_topic(folder), words=words)
    assert len(summary.text.split()) <= words
    labels = re.findall(r"^([A-Z][a-z]+): ", summary.text, re.MULTILINE)
    expected = list(dict.fromkeys(s.facet.capitalize() for s in summary.sentences))
    assert labels == expected == sorted(labels, key=[f.capitalize() for f in FACETS].index)
    # Nothing is edited after the solve: without labels, it is the text of the chosen sentences.
    bare = re.sub(r"^[A-Z][a-z]+: ", "", summary.text, flags=re.MULTILINE)
    assert bare == "\n".join(s.text for s in summary.sentences)
    assert [s.facet for s in summary.candidates] == facets_of(_topic(folder), summary.candidates)


def test_labels_count_in_a_limit_of_bytes(folder):
    tac = FORMATS["tac"]
    for size in range(100, 900, 50):
        target = type(tac)(tac.name, limits=type(tac.limits)(bytes=size))
        summary = summarizer("task2", target=target, settings=LABELLED)(_topic(folder))
        assert len(summary.text.encode()) <= size


def test_a_run_with_labels_is_written_with_its_facets(folder, tmp_path):
    command = ["summarize", str(folder), "--system", "task2", "--words", "60", "--quiet"]
    command += ["--set", "order.by=facet", "--set", "order.labels=true"]
    assert main([*command, "--team", "T", "--out", str(tmp_path / "out")]) == 0
    (provenance,) = (tmp_path / "out").glob("*.provenance.jsonl")
    line = json.loads(provenance.read_text(encoding="utf-8"))
    assert line["settings"]["text"]["labels"] is True
    assert {s["facet"] for s in line["candidates"]} <= set(FACETS)
    assert (tmp_path / "out" / "T1" / line["topic"]).read_text(encoding="utf-8").strip() == (
        line["text"]
    )


def test_labels_are_refused_where_they_cannot_be_printed(folder):
    tac, biogen = FORMATS["tac"], FORMATS["biogen-2025"]
    for system, target, settings, message in (
        ("task2", biogen, LABELLED, "only for runs of summaries"),
        ("task2", None, LABELLED, "only for runs of summaries"),
        (LEAD, tac, LABELLED, "copies its text"),
        ("task2", tac, {"order.labels": True}, 'requires by = "facet"'),
    ):
        with pytest.raises(UsageError, match=message):
            summarizer(system, target=target, settings=settings)
    with pytest.raises(UsageError, match="5 words leaves no room for a summary; give 6 or more"):
        summarizer("task2", target=tac, settings=LABELLED)(_topic(folder), words=5)


def test_an_order_by_facet_needs_a_model_of_facets():
    system = replace(System.load("ilp-sum-1-tuned"), order=OrderTable(by="facet"))
    with pytest.raises(UsageError, match=r"orders by facet; pass the option facets="):
        Pipeline(system, load_model(system))
    Pipeline(system, load_model(system), facets=facets_of)
