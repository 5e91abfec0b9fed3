"""Answers as a reader gets them: names and addresses of sources, shortened sentences, text safe in each format."""

from ilpsum.literature.gate import to_document
from ilpsum.literature.raw import Raw
from ilpsum.pages import plain
from ilpsum.pages.view import Source, answer_of
from ilpsum.records import Document, Sentence, Summary


def test_sources_are_named_and_found():
    assert (Source("7", "7").name, Source("7", "7").url) == (
        "PMID 7",
        "https://pubmed.ncbi.nlm.nih.gov/7/",
    )
    doi = Source("10.1234/x")
    assert (doi.name, doi.url) == ("DOI 10.1234/x", "https://doi.org/10.1234/x")
    assert (Source("notes.txt").name, Source("notes.txt").url) == ("notes.txt", "")
    assert [Source("x", date=date).year for date in ("2014-03", "Spring 2014", "spring", "")] == [
        "2014",
        "2014",
        "spring",
        "",
    ]


def answer(*documents, **sentence):
    """Return an answer of the last sentence of each document."""
    chosen = []
    for document in documents:
        text = document.text.split("\n")[-1]
        start = len(document.text) - len(text)
        chosen.append(
            Sentence(
                text,
                document.id,
                start,
                len(document.text),
                len(text.split()),
                why="so",
                **sentence,
            )
        )
    numbers = tuple(range(len(chosen)))
    return answer_of(
        Summary("q", tuple(chosen), "", tuple(chosen), numbers, question="Newts?"), documents
    )


def test_abstracts_are_cleaned_and_plain_texts_are_verbatim():
    text = "RESULTS: Newts sing [3]"
    given = answer(
        to_document(Raw(id="7", title="Song", abstract=[("", text)])),
        Document("7.txt", text),
        Document("8", text),
    )
    assert [line.text for line in given.lines] == ["Newts sing.", text, text]
    # An id that is a number is a PMID for abstracts only.
    assert [source.name for source in given.quoted] == ["PMID 7", "7.txt", "8"]


def test_json_has_no_nan():
    assert b'"objective":null,"bound":null,"gap":null' in plain.to_json(
        answer(Document("a", "Newts sing."))
    )
