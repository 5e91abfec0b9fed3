import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ilpsum.metrics.bleu import bleu, bleu_signature, tokens

TEXTS = st.text(st.sampled_from("abc 12.,-:;()'&%\u2013"), max_size=30)


def sacrebleu_score(texts, references):
    from sacrebleu.metrics.bleu import BLEU

    most = max(len(own) for own in references)
    streams = [[own[k] if k < len(own) else None for own in references] for k in range(most)]
    return BLEU().corpus_score(list(texts), streams).score / 100


def test_tokens_are_those_of_13a():
    assert tokens("IL-2: 1,000 (0.5%) of 3-day-old toads' ponds.") == [
        "IL-2", ":", "1,000", "(", "0.5", "%", ")", "of", "3", "-", "day-old", "toads'", "ponds", ".",
    ]  # fmt: skip
    assert tokens("Moss &amp; &lt;toads&gt;") == ["Moss", "&", "<", "toads", ">"]


@example("..1")
@given(TEXTS)
def test_tokens_equal_those_of_sacrebleu(text):
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    assert tokens(text) == Tokenizer13a()(text).split()


def test_bleu_equals_that_of_sacrebleu():
    texts = ["growth of green moss in the ponds", "toads live in the wet moss"]
    one = ["growth of moss in the northern ponds", "toads live in wet moss today"]
    two = ["the growth of green moss in ponds", "toads live in the moss"]
    references = [list(own) for own in zip(one, two, strict=True)]
    assert bleu(texts, references) == pytest.approx(sacrebleu_score(texts, references))
    assert bleu(texts, [[text] for text in texts]) == pytest.approx(1.0)
    # A reference that is missing does not count against a text.
    assert bleu(texts, [[texts[0]], [texts[1], "x"]]) == pytest.approx(1.0)


WORDS = st.lists(st.sampled_from("moss toads ponds in the wet".split()), min_size=1, max_size=12).map(" ".join)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_bleu_of_any_corpus_equals_that_of_sacrebleu(corpus):
    texts, references = [text for text, _ in corpus], [own for _, own in corpus]
    assert bleu(texts, references) == pytest.approx(sacrebleu_score(texts, references), abs=1e-9)


def test_nothing_in_common_and_nothing_at_all_score_zero():
    assert bleu(["moss"], [["toads"]]) == 0.0
    assert bleu([""], [["toads in the pond"]]) == 0.0


def test_a_text_without_reference_is_an_error():
    with pytest.raises(ValueError, match="at least one reference"):
        bleu(["moss"], [[]])


def test_the_signature_names_the_references():
    assert "references:1-2" in str(bleu_signature([["a"], ["a", "b"]]))
    assert "references:1|" in str(bleu_signature([["a"], ["b"]]))
