"""Folding for matching: an index, a name check and features see the same word."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.folding import folded, visible
from features.text import words
from ilpsum.answers.correcting import corrected, may_be_mistyped
from ilpsum.pipeline.terms import terms
from ilpsum.records import Correction

SAME = [
    ("Sjögren", "Sjogren"),
    ("Sj\u006f\u0308gren", "Sjögren"),
    ("CO₂", "CO2"),
    ("Ca²⁺", "Ca2+"),
    ("ＩＬ－６", "IL-6"),
    ("IL−6", "IL-6"),
    ("IL‑6", "IL-6"),
    ("\u00b5-opioid", "\u03bc-opioid"),
    *((f"tavo{sign}lene", "tavolene") for sign in "\u00ad\u200b\u2060\ufeff\u200d"),
    ("cœliac", "coeliac"),
    ("Bjørn", "Bjorn"),
    ("½", "1/2"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_reads_alike_matches_alike(one, other):
    assert folded(one) == folded(other)
    assert words(f"The {one} newts") == words(f"The {other} newts")
    assert terms(f"The {one} newts") == terms(f"The {other} newts")


@given(st.text())
def test_folding_twice_changes_nothing_and_forms_of_unicode_do_not_matter(text):
    once = folded(text)
    assert folded(once) == once
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert folded(unicodedata.normalize(form, text)) == once


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_stays(text):
    assert folded(text) == visible(text) == text


@given(st.text())
def test_a_visible_text_has_no_format_characters_and_reads_the_same(text):
    shown = visible(text)
    assert not any(unicodedata.category(letter) == "Cf" for letter in shown)
    assert folded(shown) == folded(text)


def test_every_format_character_is_invisible():
    every = "".join(map(chr, range(0x110000)))
    formats = "".join(c for c in every if unicodedata.category(c) == "Cf")
    assert visible(f"a{formats}b") == folded(f"a{formats}b") == "ab"


def test_a_question_with_a_soft_hyphen_is_corrected_as_one_without():
    question = "Does fomo\u00adterol act?"
    assert may_be_mistyped(question) == {"fomoterol"}
    fixed = corrected(question, [Correction("fomoterol", "formoterol")])
    assert fixed == "Does formoterol act?"
