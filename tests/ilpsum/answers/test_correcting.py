"""Typing errors of questions: distances, guards, and the words that correct them."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ilpsum.answers.attaching import with_documents
from ilpsum.answers.correcting import corrected, correction, may_be_mistyped
from ilpsum.answers.searching import AbstractSearch
from ilpsum.records import Correction, Document, Topic

TEXTS = (
    "The Whipple procedure. A procedure of surgeons for grey newts in ponds.",
    "Tetralogy of Fallot. Newts with tetralogy sing in the cold.",
    "Monoclonal antibodies. A monoclonal antibody heals toads.",
    "Inhaled formoterol. Newts breathe better with formoterol than without.",
    "Flagella. The flagellum of a newt's parasite is long. A second procedure is needed.",
)
GOLDEN = {
    "proceedure": "procedure",
    "tetrology": "tetralogy",
    "monclonal": "monoclonal",
    "fomoterol": "formoterol",
    "flagelum": "flagellum",
}
LONG = st.text("abcdefghij", min_size=6, max_size=12)


def documents():
    return [Document(str(i), text) for i, text in enumerate(TEXTS, start=1)]


@pytest.fixture(scope="module")
def search():
    return AbstractSearch.of_documents(documents())


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("abstracts")
    file = folder / "newts.jsonl"
    lines = (json.dumps({"pmid": d.id, "title": "", "abstract": d.text}) for d in documents())
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return AbstractSearch([file], folder / "index")


def told(search, question):
    return {each.written: each.searched for each in search.corrections(question)}


@pytest.mark.parametrize(("written", "right"), GOLDEN.items())
def test_errors_of_real_questions_are_corrected_in_memory_and_on_disk(
    search, on_disk, written, right
):
    question = f"What is {written}, and why?"
    assert told(search, question) == told(on_disk, question) == {written: right}


def over(*texts):
    return AbstractSearch.of_documents(Document(str(i), text) for i, text in enumerate(texts))


NO_CORRECTION = (
    'Which "proceedure" do newts need?',
    "Which “proceedure” do newts need?",
    "Which proceeDure do newts need?",
    "Which procdur-2 do newts need?",
    "Which Proceedure-2 do newts need?",
    "Which proceedure2 do newts need?",
    "Do newts need a pnod?",
    "Which newts have a Tetral?",
    "Which procedures do newts need?",
    "Which protocol do newts need?",
    "Which newts sing?",
    "Newts of wich pond sing?",
    "WAHT and newts?",
    "Dose of formoterol?",
    "Which FLAGELM do newts have?",
    "Do newts of Fallut sing?",
    # With a capital it may be the name of something else.
    "Which newts has Inteeracting?",
    # Of short words, other edits, and words that are rare in the background, would change too many
    # names.
    "How does velin wark in newts?",
    "How do nwets sing?",
)


@pytest.mark.parametrize("question", NO_CORRECTION)
def test_names_quoted_words_short_words_and_known_words_stay(question):
    assert told(over(*TEXTS, "Newts interact.", "Velin works in lungs."), question) == {}


@pytest.mark.parametrize(
    ("question", "corrections"),
    [
        # A mistyped question word asks for nothing.
        ("Wich newts sing?", {"wich": "which"}),
        ("waht do newts sing?", {"waht": "what"}),
        ("Deos formoterol help?", {"deos": "does"}),
        ("Whats a newt?", {"whats": "what"}),
        # The stem of `botulism` is far from that of the error.
        ("Is boulism rare?", {"boulism": "botulism"}),
        ("Which PROCEEDURE do newts need?", {"proceedure": "procedure"}),
        ("Do Fallut-like newts sing?", {"fallut": "fallot"}),
        # No text has these forms of `interact`; an index has no function words.
        ("Which newts are inteeracting?", {"inteeracting": "interacting"}),
        ("What lies betwen newts and toads?", {"betwen": "between"}),
        # The stemmer writes `durotomi`.
        ("Is a durotoey needed?", {"durotoey": "durotomy"}),
        ("Which proceedure-2 do newts need?", {"proceedure": "procedure"}),
        # Of short words only two letters of a frequent one are swapped.
        ("How does velin wrok in newts?", {"wrok": "work"}),
        ("How do lnugs of newts help?", {"lnugs": "lungs"}),
        # Two frequent words written as one are parted.
        ("Which sideeffects has velin?", {"sideeffects": "side effects"}),
        ("Which newteffects has velin?", {}),
    ],
)
def test_one_error_in_any_form_of_a_word(question, corrections):
    more = "Botulism of newts.", "Newts interact with toads.", "A durotomy of newts."
    search = over(*TEXTS, *more, "Velin works in lungs of newts.", "Side effects of velin.")
    assert told(search, question) == corrections


@pytest.mark.parametrize(
    ("texts", "question", "corrections"),
    [
        # `aspire` has the term of `aspirate`, `being` is in every text: a word that was read comes
        # first.
        (
            ("Aspirin.", "Newts aspirate.", "They aspirate."),
            "Does aspirn help?",
            {"aspirn": "aspirin"},
        ),
        (("Benign newts.",), "Are they bening?", {"bening": "benign"}),
        # No text has the term of `aspirin`.
        (("Newts sing.", "They hum."), "Does aspirn help?", {}),
        # Two errors: `flagellum`.
        (("The flagellum of a newt.",), "Which flaggelum?", {}),
        # A text has the word as it is written.
        (("Proceedure.", *["A procedure."] * 300), "Which proceedure?", {}),
        # A known word that is absent is not taken for a near one.
        (("Cytokines and hypertension.",), "Does hypotension matter?", {}),
        (
            ("Cytokines and hypertension.",),
            "Does hypertenison matter?",
            {"hypertenison": "hypertension"},
        ),
        # Of equally near words the most frequent is taken.
        (
            ["Grimbold newts."] * 2 + ["Grambold newts."] * 3,
            "What is a grombold?",
            {"grombold": "grambold"},
        ),
    ],
)
def test_words_of_texts_come_first_and_the_background_tells_what_is_meant(
    texts, question, corrections
):
    assert told(over(*texts), question) == corrections


def test_files_that_are_not_searched_lend_no_words(on_disk, tmp_path):
    file = tmp_path / "toads.jsonl"
    file.write_text(
        '{"pmid": "9", "title": "", "abstract": "Toads hum at dusk on the moor."}\n',
        encoding="utf-8",
    )
    other = AbstractSearch([file], on_disk._index.collection.folder)
    assert told(other, "Which proceedure do toads need?") == {}
    assert told(on_disk, "Which proceedure do newts need?") == {"proceedure": "procedure"}


def test_the_parts_of_a_word_are_searched():
    found = with_documents(Topic("q", "Which sideeffects has velin?"), over("Side effects."))
    assert {"side", "effects"} <= dict(found.search.weights).keys()


def test_a_corrected_question_is_answered_and_keeps_its_printed_form(search):
    topic = Topic("q", "Is fomoterol inhaled by newts?")
    found = with_documents(topic, search)
    assert (found.query, found.written) == ("Is formoterol inhaled by newts?", topic.query)
    assert found.search.corrections == (Correction("fomoterol", "formoterol"),)
    assert (found.search.missing, found.search.unanswered) == ((), "")
    assert "formoterol" in dict(found.search.weights)
    assert found.warnings[0] == "searched for 'formoterol' (you wrote 'fomoterol')"


def test_an_exact_search_corrects_nothing(search):
    found = with_documents(Topic("q", "Is fomoterol inhaled by newts?"), search, exact=True)
    assert (found.search.corrections, found.written) == ((), "")
    assert found.search.missing == ("fomoterol",)


def test_the_subject_of_a_topic_is_corrected_too(search):
    found = with_documents(Topic("q", "How does it help?", subject="fomoterol"), search)
    assert found.search.query == "How does it help? formoterol"


@given(LONG, st.data())
def test_one_error_after_the_first_letter_is_corrected(letters, data):
    # No vocabulary has a word with so many of a letter.
    word = f"zz{letters}zz"
    k = data.draw(st.integers(1, len(word) - 2))
    swapped = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    search = over(f"A {word}.")
    for wrong in (
        swapped,
        word[:k] + word[k + 1 :],
        word[:k] + "y" + word[k:],
        word[:k] + "y" + word[k + 1 :],
    ):
        assert correction(wrong, search._index) == (word if wrong != word else "")


# Of words of 4 or 5 letters only swapped letters are corrected (above).
@example("aaaa Xabcabc ABCABCAB")
@given(st.text("abcXYZ12 -\"'.?", max_size=40))
def test_no_word_that_may_be_a_name_is_mistyped(text):
    for word in may_be_mistyped(text):
        assert len(word) >= 4
        assert word.isalpha()
        assert word in text.lower()


@given(LONG, LONG)
def test_correcting_replaces_whole_words_only(word, other):
    text = f"Is {word} x{word} {word}?"
    assert corrected(text, [Correction(word, other)]) == f"Is {other} x{word} {other}?"
