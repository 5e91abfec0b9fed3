"""The stems of ROUGE-1.5.5, as its own stemmer gives them."""

import pytest

from features.stemming import porter

# Printed by the script's own routine.
STEMS = {
    "caresses": "caress",
    "ponies": "poni",
    "agreed": "agre",
    "plastered": "plaster",
    "sized": "size",
    "hopping": "hop",
    "failing": "fail",
    "filing": "file",
    "happy": "happi",
    "relational": "relat",
    "vietnamization": "vietnam",
    "biology": "biologi",
    "geology": "geologi",
    "electricity": "electr",
    "replacement": "replac",
    "adjustment": "adjust",
    "treatment": "treatment",
    "agreements": "agreem",
    "adoption": "adopt",
    "companion": "companion",
    "controlling": "control",
    "yeasts": "yeast",
    "cas9": "cas9",
    "2000s": "2000",
    # Where no mode of NLTK's stemmer agrees: step 4 goes on after a first suffix was taken or kept, and `yy`.
    "accidental": "accid",
    "additionally": "addit",
    "entertainments": "entertain",
    "dyyed": "dyi",
}


def test_stems():
    assert {word: porter(word) for word in STEMS} == STEMS


@pytest.mark.parametrize("word", ["", "a", "as", "was", "ies"])
def test_words_of_three_letters_are_left_alone(word):
    assert porter(word) == word


@pytest.mark.parametrize("word", ["\u03b1\u03b2\u03b3\u03b4", "na\u00efve", "\u4e2d\u4e2d\u4e2d\u4e2d"])
def test_words_of_any_script_are_taken(word):
    assert porter(word) == word.removesuffix("e")


def test_the_memory_of_the_cache_is_bounded():
    assert porter.cache_info().maxsize == 2**17
