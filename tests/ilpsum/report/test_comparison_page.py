"""The page of a comparison: its numbers are those of the comparison, and input never becomes markup."""

from html import unescape

import pytest

from ilpsum.evaluation.comparison import compare
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.signature import Signature
from ilpsum.report.comparison import Compared, Side, comparison_page

SCORES = {"ilp": [0.5, 0.4, 0.3, 0.6], "greedy": [0.4, 0.45, 0.2, 0.1]}
TOPICS = ["t1", "<t2>", "t3", "t4"]
A, B, C = ("d", 0, 9), ("d", 9, 20), ("e & f", 0, 5)


@pytest.fixture
def compared():
    evaluations = [
        Evaluation(name, Signature("ROUGE-2", {}), [(t, Score(v, v, v)) for t, v in zip(TOPICS, values, strict=True)])
        for name, values in SCORES.items()
    ]
    sides = [
        Side("ilp", "lambda 0.9", {"t1": [A, B], "<t2>": [C]}, [(0.0, 0.3), (0.5, 0.4), (1.0, 0.35)]),
        Side("greedy", "threshold 0.4", {"t1": [B]}, [(0.0, 0.2), (1.0, 0.36)]),
    ]
    texts = {("t1", A): "Newts <sing>.", ("t1", B): "Ferns grow.", ("<t2>", C): "Moss & mould."}
    return Compared("Invented.", sides, [evaluations], texts, {"t1": "Do <newts> sing?"})


def test_scores_differences_and_significance(compared):
    html = unescape(comparison_page(compared))
    (pair,) = compare(compared.scores[0], "recall")
    assert f"{pair.bootstrap.difference:+.4f}" in html
    low, high = (f"{end:+.4f}".replace("-", "−") for end in (pair.bootstrap.low, pair.bootstrap.high))
    assert f"{low} to {high}" in html
    assert f"{pair.randomisation.p_value:.4f}" in html
    assert "3 / 0 / 1" in html
    assert "lambda 0.9" in html
    assert "ilp: maximum 0.4000 at 0.5; greedy: maximum 0.3600 at 1" in html


def test_each_topic_has_its_scores_and_who_chose_each_sentence(compared):
    html = comparison_page(compared)
    # Differences have the minus of their heading, and sort by value.
    assert "ilp − greedy" in html
    assert ">−0.0500</td>" in html
    assert ">-0" not in html
    assert "<bdi>&lt;t2&gt;</bdi>" in html
    assert "<bdi>Newts &lt;sing&gt;.</bdi></th><td>yes</td><td></td><td>d</td>" in html
    assert "<bdi>Ferns grow.</bdi></th><td>yes</td><td>yes</td><td>d</td>" in html
    assert "Do &lt;newts&gt; sing?" in html
    assert "1 of 2" in html
    assert "no sentences" in html
    assert "<newts>" not in html
    assert comparison_page(compared) == html


def test_without_curves_and_sentences_there_is_no_section_of_curves(compared):
    plain = Compared("x", [Side("ilp"), Side("greedy")], compared.scores, {}, {})
    html = comparison_page(plain)
    assert 'id="curves"' not in html
    assert 'id="scores"' in html


def test_in_a_browser(browser, compared, tmp_path):
    path = tmp_path / "comparison.html"
    path.write_text(comparison_page(compared), encoding="utf-8")
    browser.open(path)
    assert browser.page.evaluate("document.querySelectorAll('.plot path').length") == 2
    browser.page.evaluate("document.querySelector('a[href=\"#topic-1\"]').click()")
    assert browser.page.evaluate("document.querySelector('details').open") is True
    assert browser.complaints == []
