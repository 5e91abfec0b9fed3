"""A run at other lambdas and word limits, from its provenance."""

import json
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from features.context import Context
from ilpsum.evaluation.steering import steering_of
from ilpsum.pages.report import page
from ilpsum.pipeline.objective import ilp_problem, program_of
from ilpsum.records import (
    Document,
    FeatureValue,
    ObjectiveSettings,
    Rules,
    RunSettings,
    Sentence,
    Summary,
    SystemSettings,
    Topic,
)
from ilpsum.runs.provenance import read_provenance, summary_line
from ilpsum.selection import select

TEXTS = (
    "Ferns need deep shade.",
    "Moss grows on old walls and on old stones.",
    "Ferns need deep water.",
    "Slugs eat.",
)
GOLD = ("Moss grows on old stones.", "Ferns need deep water.")
LAMBDA = 0.6


@pytest.fixture
def topic():
    return Topic("T1", "What grows?", (Document("d.txt", " ".join(TEXTS)),), summaries=GOLD)


@pytest.fixture
def summary(topic):
    """As the system would make it: the exact ILP over the candidates."""
    starts = [topic.documents[0].text.index(text) for text in TEXTS]
    candidates = tuple(
        Sentence(text, "d.txt", start, start + len(text), len(text.split()), relevance=relevance)
        for text, start, relevance in zip(TEXTS, starts, (0.9, 0.2, 0.8, 0.1), strict=True)
    )
    ilp = problem(candidates).at(LAMBDA)
    best = select(ilp)
    chosen = tuple(
        replace(candidates[i], features=(FeatureValue("word-overlap", 0.25, 2),))
        for i in sorted(best.chosen)
    )
    settings = RunSettings(
        words=13,
        system=SystemSettings(method="ilp"),
        objective=ObjectiveSettings(LAMBDA),
    )
    text = "\n".join(s.text for s in chosen)
    summary = Summary(
        "T1",
        chosen,
        text,
        candidates,
        best.chosen,
        "ilp",
        best.objective,
        best.bound,
        0.0,
        settings=settings,
    )
    return replace(summary, program=program_of(ilp, [Rules()], learned=False))


def problem(candidates, words=13):
    around = Context.of_texts("", [s.text for s in candidates])
    relevance = np.array([s.relevance for s in candidates])
    return ilp_problem(
        relevance, [s.words for s in candidates], around, words, alpha="topic", kind="words"
    )


def best_of(problem):
    """The value of the best of all subsets."""
    rows = range(len(problem))
    sets = (some for size in range(len(problem) + 1) for some in combinations(rows, size))
    return max(problem.value(some) for some in sets if problem.allows(some))


def test_every_position_is_the_best_of_all_subsets(summary):
    steering = steering_of(summary)
    assert list(steering.paths) == [5, 10, 13]
    assert len(steering.paths[steering.words]) > 1
    for words, path in steering.paths.items():
        for lambda_ in np.linspace(0.01, 0.99, 25).tolist():
            segment = next(segment for segment in path if lambda_ <= segment.end)
            ilp = problem(summary.candidates, words).at(lambda_)
            assert segment.value(lambda_) == pytest.approx(best_of(ilp))
            places = [steering.sentences[i].place for i in segment.chosen]
            rows = [i for i, s in enumerate(summary.candidates) if s.place in places]
            assert ilp.value(rows) == pytest.approx(segment.value(lambda_))
            assert places == [summary.candidates[i].place for i in rows]


@pytest.mark.parametrize(
    "change",
    [
        {"objective": 0.123},  # not the optimum of this program
        {"program": None},
        {"sentences": ()},
    ],
)
def test_where_the_paths_would_not_contain_the_summary_there_are_none(summary, change):
    assert steering_of(summary) is not None
    assert steering_of(replace(summary, **change)) is None


def test_sentences_in_another_order_are_not_those_of_the_program(summary):
    assert len(summary.sentences) > 1
    assert steering_of(replace(summary, sentences=summary.sentences[::-1])) is None


def test_the_page_has_sliders_and_every_sentence(report_of, topic, summary):
    assert 'type="range"' not in page(report_of({"SYSA1": [summary]}, [topic]))
    report = report_of({"SYSA1": [summary]}, [topic], explore=True)
    html = page(report)
    assert html.count('type="range"') == 2
    assert 'data-limits="5 10 13"' in html
    assert html.count("Objectives at different word limits cannot be compared.") == 1
    lines = re.findall(r'<li( hidden)? data-number="(\d)" data-same', html)
    assert [bool(hidden) for hidden, _ in lines] == [False] * len(summary) + [True] * (
        len(lines) - len(summary)
    )
    (path,) = re.findall(r'data-path="([^"]*)"', html)
    written = json.loads(path)
    assert [words for words, _ in written] == [5, 10, 13]
    assert {n for _, optima in written for *_, order, _ in optima for n in order} == set(
        range(len(lines))
    )
    # Each optimum has its score in each metric, the run's own that of its file.
    assert all(
        len(scores) == len(report.compared) for _, optima in written for *_, scores in optima
    )
    own = [scores for *_, order, scores in written[-1][1] if order == list(range(len(summary)))]
    means = [comparison.evaluations[0].mean.recall for comparison in report.compared]
    assert own[0] == [round(mean, 4) for mean in means]
    assert "word-overlap 0.25 (2nd)" in html


def test_features_outlive_the_provenance(summary, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes(summary_line(summary))
    (read,) = read_provenance(path)
    assert read.sentences == summary.sentences
    assert read.candidates == summary.candidates
    assert read.program == summary.program
