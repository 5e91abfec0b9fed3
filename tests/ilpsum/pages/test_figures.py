"""Figures as files: well-formed, with every number where the scale says."""

import xml.etree.ElementTree as ElementTree

import pytest

from ilpsum.evaluation.comparison import Comparison, Reference
from ilpsum.evaluation.run_scores import Evaluation
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.signature import Signature
from ilpsum.pages.charts import Curve
from ilpsum.pages.figures import differences, over_lambda

SVG = "{http://www.w3.org/2000/svg}"


def test_a_bar_per_topic_as_long_as_the_difference_in_their_order():
    scores = {"A": {"T1": 0.1, "T<2": 0.6, "T3": 0.3}, "B": {"T1": 0.3, "T<2": 0.2, "T3": 0.3}}
    evaluations = []
    for run, of_run in scores.items():
        units = [(topic, Score(value, 0, 0)) for topic, value in of_run.items()]
        evaluations.append(Evaluation(run, Signature("ROUGE-2", {}), units))
    comparison = Comparison(evaluations, "recall", Reference("B"))
    drawing = ElementTree.fromstring(differences([comparison]))
    bars = [rect for rect in drawing.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    assert [bar.findtext(f"{SVG}title") for bar in bars] == ["T<2 +.4000", "T3 .0000", "T1 −.2000"]
    heights = [float(bar.get("height")) for bar in bars]
    assert heights[0] == pytest.approx(2 * heights[2], abs=0.2)
    assert heights[1] == 0
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert "A − B, ROUGE-2 recall" in texts
    assert "topics (3), by difference" in texts


def test_curves_have_labelled_axes_and_a_legend():
    steps = Curve(0, 0.7, 0.3, [(0, 0.2), (0.5, 0.2), (0.5, 0.3), (1, 0.3)], [0.5])
    points = Curve(1, 0.5, 0.25, [(0.0, 0.1), (0.5, 0.25), (1.0, 0.2)])
    drawing = ElementTree.fromstring(over_lambda([("exact", steps), ("grid", points)], "mean F1"))
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert {"mean F1", "lambda (0 coverage, 1 relevance)", "0.2", "exact", "grid"} <= set(texts)
    paths = [path.get("d") for path in drawing.iter(f"{SVG}path")]
    assert [path.count("L") for path in paths] == [3, 2]
    assert [path.count("v7") for path in paths] == [1, 0]


def test_without_breakpoints_there_is_no_room_for_them_and_marks_hang_over_the_edge():
    points = Curve(0, 1.0, 0.25, [(0.0, 0.1), (1.0, 0.25)])
    exact = Curve(0, 1.0, 0.25, points.points, [0.5])
    heights = []
    for curve in (points, exact):
        drawing = ElementTree.fromstring(over_lambda([("grid", curve)], "mean F1"))
        heights.append(int(drawing.get("height")))
        (plot,) = (part for part in drawing.iter(f"{SVG}svg") if part.get("class") == "steps")
        assert plot.get("overflow") == "visible"
    assert heights[1] - heights[0] == 9
