import sys

import pytest

from experiments.parser.compressions import bleu, bleu_signature
from ilpsum.errors import UsageError


def test_bleu_is_that_of_the_definition():
    """Five of six unigrams, three of five bigrams, one of four trigrams, none of three 4-grams; no brevity penalty."""
    text, reference = "growth of green moss in ponds", "growth of moss in ponds"
    expected = (5 / 6 * 3 / 5 * 1 / 4 * 1 / (2 * 3)) ** 0.25
    assert bleu([text], [[reference]]) == pytest.approx(expected)


def test_the_reference_closest_in_length_and_the_best_clip_count():
    texts = ["growth of green moss in the ponds", "toads live in the wet moss"]
    assert bleu(texts, [[text] for text in texts]) == pytest.approx(1.0)
    # A reference that is missing does not count against a text.
    assert bleu(texts, [[texts[0]], [texts[1], "x"]]) == pytest.approx(1.0)


def test_nothing_in_common_and_nothing_at_all_score_zero():
    assert bleu(["moss"], [["toads"]]) == 0.0
    assert bleu([""], [["toads in the pond"]]) == 0.0


def test_a_text_without_reference_is_an_error():
    with pytest.raises(ValueError, match="at least one reference"):
        bleu(["moss"], [[]])


def test_without_sacrebleu_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(UsageError, match=r"pip install sacrebleu"):
        bleu(["moss"], [["moss"]])


def test_the_signature_names_the_references():
    assert "references:1-2" in str(bleu_signature([["a"], ["a", "b"]]))
    assert "references:1|" in str(bleu_signature([["a"], ["b"]]))
