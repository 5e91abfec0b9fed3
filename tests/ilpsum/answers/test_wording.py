"""What people say around a question changes neither its search nor its answer."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.wording import bare, searchable
from ilpsum.records import Correction, Document, Topic

FRAMES = (
    "Hi, can you tell me: {}? Thanks!",
    "Hello there! I was just wondering, {}?",
    "Good morning.\n{}? Any help would be greatly appreciated.",
    "Dear doctor, {}?",
    "please help me understand {}",
    "I would like to know {}. Thank you very much in advance",
    "I'd like to ask {}",
    "Can anyone please explain to me {} please?",
    "We have a quick question: {}?",
    "quick question - {}, pls",
    "Does anybody know {}?",
    "According to the latest scientific literature, {}?",
    "In your opinion, {}?",
    "{}, yes or no?",
    "{} (yes/no)?",
    "True or false: {}?",
    "Tell me {}",
    "Please let me know {}\nKind regards",
    "- {}?",
    "1. {}?",
    "(b) {}?",
    "Q3: {}?",
    "**{}?**",
    "Ok {}",
    "So, {}?",
    "What do we know about {}?",
    "what does research say: {}?",
    "{}? Please cite sources.",
    "{}? Answer in 100 words.",
    "{} (brief answer)?",
    "{} in simple terms?",
    "{} exactly?",
    "{} these days?",
)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_is_left_out(frame):
    question = "what is the treatment of newt pox"
    assert bare(frame.format(question)).rstrip("?.") == question


@pytest.mark.parametrize(
    "question",
    [
        "Can you get newt pox from kissing?",
        "Can someone with asthma take velin?",
        "HI titers after vaccination",
        "Hi-C of newts",
        "Hey1 in newts",
        "Question answering in medicine",
        "E. coli in newts",
        "5-HT in newts",
        "Q fever of newts",
        "OK-432 in newts",
        "So-called newts",
        "SO2 exposure",
        "Well differentiated tumours",
        "-omics of newts",
        "What is known about newts?",
        "Please list the symptoms of newt pox.",
        "What do newts know?",
        "I need velin for newt pox",
        "Is it true that newts sing?",
        "Do newts say yes or no to velin?",
        "hello",
        "Thanks!",
        "Can you tell me?",
        " Newts? ",
    ],
)
def test_other_words_stay(question):
    assert bare(question) == question


def test_what_is_left_still_asks():
    assert bare("Newts sing, yes or no?") == "Newts sing?"
    assert bare("Newts sing? Yes or no?") == "Newts sing?"
    assert searchable("Hi, what works for newt pox? Thanks") == "treatment of newt pox?"


@given(
    st.lists(
        st.sampled_from([*" ?,.", "hi", "can you tell me", "if", "newts", "thanks", "yes or no"])
    )
)
@example(["hi", " ", "newts", ",", " ", "yes or no", "?"])
def test_what_is_left_is_bare(parts):
    question = "".join(parts)
    left = bare(question)
    assert bare(left) == left
    assert any(map(str.isalnum, left)) == any(map(str.isalnum, question))
    assert "newts" not in question or "newts" in left


@pytest.mark.parametrize("frame", FRAMES)
def test_the_same_abstracts_are_found(frame):
    texts = ["Velin treats newt pox.", "Thanks to all who would like to know.", "Hi there, doctor."]
    search = AbstractSearch.of_documents(Document(f"{i}", t) for i, t in enumerate(texts, 1))
    question = "what treats newt pox"
    plain = with_documents(Topic("q", question), search)
    framed = with_documents(Topic("q", frame.format(question)), search)
    assert framed.documents == plain.documents
    assert framed.search.weights == plain.search.weights
    assert framed.search.missing == ()
    # The reader is told, and can have the words as written.
    assert framed.search.corrections == (Correction(frame.format(question), framed.query),)
    assert framed.written == frame.format(question)
    as_written = with_documents(Topic("q", frame.format(question)), search, exact=True)
    assert as_written.query == frame.format(question)
