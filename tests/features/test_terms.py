"""Features of terms against textbook loops."""

import numpy as np
import pytest

from features.context import Context
from features.evidence import sentence_bm25
from features.terms import COLUMNS, term_features, terms_of
from features.text import Passage

SENTENCES = ["Velin heals newts.", "Newts sing.", "VX-770 and Velin heal the newts of ponds.", "Is it?"]
DOCUMENTS = [" ".join(SENTENCES[:2]), " ".join(SENTENCES[2:]), "Velin is sold in ponds."]


def test_terms_are_content_stems() -> None:
    assert terms_of(Passage("The newts sing of newts.")) == (("newt",), ("sing",), ("newt",))


def test_features_of_terms() -> None:
    base = Context.of_texts("What heals newts?", SENTENCES, DOCUMENTS)
    context = Context(**{**vars(base), "document": np.array([0, 0, 1, 1])})
    scores = np.array([0.5, 0.1, 1.0, 0.0])
    names, matrix = term_features(context, scores)
    assert names == (("velin",), ("sing",), ("vx",), ("770",), ("pond",))
    velin, sing, vx, number, pond = (dict(zip(COLUMNS, row, strict=True)) for row in matrix.tolist())
    bm25 = sentence_bm25(context) / sentence_bm25(context).max()
    assert velin["best-score"] == 1
    assert velin["mean-score"] == velin["top-three-score"] == 0.75
    assert velin["total-score"] == pytest.approx(np.log1p(1.5))
    assert (velin["best-rank"], sing["best-rank"], pond["best-rank"]) == (0, 0.5, 0)
    assert (velin["holders"], velin["share-of-holders"]) == (pytest.approx(np.log(2)), 0.5)
    assert velin["share-of-holding-documents"] == pytest.approx(2 / 3)
    assert (velin["document-share"], pond["document-share"]) == (1, pytest.approx(2 / 3))
    assert velin["best-bm25"] == pytest.approx(bm25[[0, 2]].max())
    assert velin["total-bm25"] == pytest.approx(np.log1p(bm25[[0, 2]].sum()))
    assert velin["mean-bm25"] == pytest.approx(bm25[[0, 2]].mean())
    # A capital that opens a sentence says nothing, but VX has a second one.
    assert (velin["capitalised"], vx["capitalised"], sing["capitalised"]) == (0.5, 1, 0)
    assert (number["has-digit"], vx["has-digit"]) == (1, 0)
    assert vx["characters"] == pytest.approx(np.log(2))
    assert (velin["first-document"], vx["first-document"]) == (0, pytest.approx(1 / 3))
    assert (velin["candidates"], velin["documents"]) == (pytest.approx(np.log(4)), pytest.approx(np.log(3)))
    assert (velin["earliest"], pond["earliest"]) == (0, context.position[2])


def test_a_question_that_says_it_all_leaves_no_terms() -> None:
    names, matrix = term_features(Context.of_texts("Newts sing", ["Newts sing."]), np.ones(1))
    assert names == ()
    assert matrix.shape == (0, len(COLUMNS))
