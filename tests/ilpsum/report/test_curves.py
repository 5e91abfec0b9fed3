"""The selections of a run at other lambdas, recomputed from its provenance."""

from dataclasses import replace

import numpy as np
import pytest

from features.context import Context
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.objective import ilp_problem
from ilpsum.records import Document, FeatureValue, RunSettings, Sentence, Summary, Topic
from ilpsum.report import page
from ilpsum.report.curves import curve_of
from ilpsum.runs.provenance import read_provenance, summary_line
from ilpsum.selection import select

TEXTS = ("Ferns need deep shade.", "Moss grows on old walls and on old stones.", "Ferns need deep water.", "Slugs eat.")
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
    best = select(problem(candidates).at(LAMBDA))
    chosen = tuple(
        replace(candidates[i], features=(FeatureValue("word-overlap", 0.25, 2),)) for i in sorted(best.chosen)
    )
    settings = RunSettings(method="ilp", words=13, lambda_=LAMBDA, alpha="topic", concepts="words")
    text = "\n".join(s.text for s in chosen)
    return Summary(
        "T1", chosen, text, candidates, best.chosen, "ilp", best.objective, best.bound, 0.0, settings=settings
    )


def problem(candidates, words=13):
    around = Context.of_texts("", [s.text for s in candidates])
    relevance = np.array([s.relevance for s in candidates])
    return ilp_problem(relevance, [s.words for s in candidates], around, words, alpha="topic", kind="words")


def test_the_curve_is_the_exact_path(summary):
    curve = curve_of(summary)
    references = References(GOLD)
    scored = curve.scored(references)
    assert len(scored.path.stretches) > 1
    for lambda_ in np.linspace(0.01, 0.99, 25):
        best = select(problem(summary.candidates).at(float(lambda_)))
        stretch = scored.path.at(float(lambda_))
        assert stretch.objective(float(lambda_)) == pytest.approx(best.objective)
        assert [start for _, start, _ in stretch.chosen] == [summary.candidates[i].start for i in sorted(best.chosen)]
        text = "\n".join(summary.candidates[i].text for i in sorted(best.chosen))
        assert stretch.scores == references.score(text)


@pytest.mark.parametrize(
    "change",
    [
        {"objective": 0.123},  # learned weights, which the provenance does not hold
        {"objective": float("nan")},
        {"candidates": ()},
        {"settings": RunSettings(method="greedy", words=13)},
    ],
)
def test_where_the_provenance_does_not_hold_the_ilp_there_is_no_curve(summary, change):
    assert curve_of(summary) is not None
    assert curve_of(replace(summary, **change)) is None


def test_rules_that_the_provenance_does_not_hold(summary):
    for rules in ({"coherence": ("focus",)}, {"compression": ("dt",)}, {"format": "biogen-2024"}):
        assert curve_of(replace(summary, settings=replace(summary.settings, **rules))) is None
    assert curve_of(replace(summary, settings=replace(summary.settings, format="bioasq"))) is not None
    # The objective is right for the set, but the set is not the best: something other than the ILP chose it.
    other = problem(summary.candidates).at(LAMBDA).value((3,))
    assert curve_of(replace(summary, chosen=(3,), objective=other)) is None


def test_a_text_in_another_order_has_no_scores(summary):
    turned = replace(summary, text="\n".join(reversed(summary.text.split("\n"))))
    assert len(summary.sentences) > 1
    curve = curve_of(turned).scored(References(GOLD))
    assert all(stretch.scores == {} for stretch in curve.path.stretches)


def test_the_page_shows_curves_and_features(report_of, topic, summary):
    html = page(report_of({"SYSA1": [summary]}, [topic]))
    report = report_of({"SYSA1": [summary]}, [topic])
    score = report.scores[0][0].topics["T1"].recall
    assert html.count("<summary>Over lambda</summary>") == 1
    assert html.count('<figure class="curve">') == 1 + 2 + 2  # objective, two metrics; and the means of two metrics
    # At the run's own lambda, the curve has the run's score.
    assert f"{score:.4f} at {LAMBDA:g}, the lambda of this run." in html
    assert "word-overlap 0.25 (2nd)" in html
    without = page(report_of({"SYSA1": [summary]}, [topic], curves=False))
    assert "Over lambda" not in without


def test_features_outlive_the_provenance(summary, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes(summary_line(summary))
    (read,) = read_provenance(path)
    assert read.sentences == summary.sentences
    assert read.candidates == summary.candidates
