"""References for reference managers: what is written is read back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilpsum.literature import intake
from ilpsum.pages import references
from ilpsum.pages.view import Source
from ilpsum.records import Author, Publication

FULL = Publication(
    authors=(Author("van Eft", "Ann B"), Author("Müller", "J.-P."), Author("Pond Lake Group")),
    journal="J Newts & Efts",
    volume="3",
    issue="2",
    pages="1-9",
    year="2014",
    pmid="23",
    pmcid="PMC1234567",
    doi="10.1234/newts_7",
    kinds=("randomised", "trial"),
    language="eng",
    mesh=("Humans", "Salamandridae"),
)
TITLE, TEXT = "Song of 5% of {grey} newts: a_b", "Newts sang < 3 dB at ~20 °C & more."
SOURCE = Source("23", "23", TITLE, "2014", f"{TITLE}\n{TEXT}", True, 1, FULL)
FORMS = {"ris": references.ris, "bibtex": references.bibtex}


def read(folder, text):
    path = folder / "references"
    path.write_text(text)
    return list(intake.documents(path))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_read_back(tmp_path, form):
    bare = Source(
        "10.1234/b",
        title="No more known",
        text="No more known\nToads hum.",
        abstract=True,
        number=2,
    )
    found, other = read(tmp_path, FORMS[form]([SOURCE, bare]))
    assert found.publication == FULL
    assert found.title == TITLE
    assert found.text.endswith(TEXT)
    assert (other.title, other.text.partition("\n")[2]) == ("No more known", "Toads hum.")


def test_bibtex_has_every_field():
    head, *fields, end, _ = references.bibtex([SOURCE]).splitlines()
    assert (head, end) == ("@article{vaneft2014-1,", "}")
    values = dict(field.strip().rstrip(",").split(" = ", 1) for field in fields)
    known = {
        "volume": "3",
        "number": "2",
        "year": "2014",
        "doi": "10.1234/newts_7",
        "pmid": "23",
        "language": "eng",
    }
    known["author"] = "van Eft, Ann B and Müller, J.-P. and {Pond Lake Group}"
    assert {name: values[name] for name in known} == {
        name: f"{{{value}}}" for name, value in known.items()
    }


def test_keys_of_bibtex_keep_the_letters_below_accents():
    author = Publication(authors=(Author("García-Núñez", "Ann"),))
    assert references.bibtex([Source("1", title="x", date="2018", publication=author)]).startswith(
        "@article{garcianunez2018-"
    )


def test_vancouver():
    assert references.vancouver(SOURCE) == (
        "van Eft AB, Müller JP, Pond Lake Group. Song of 5% of {grey} newts: a_b. J Newts & Efts. 2014;3(2):1-9. "
        "doi: 10.1234/newts_7. PMID: 23. PMCID: PMC1234567."
    )
    many = Publication(
        authors=tuple(Author(f"Newt{n}", "A") for n in range(7)), year="2014", retracted=True
    )
    written = references.vancouver(Source("x", title="Do newts sing?", publication=many))
    assert written.startswith("Newt0 A, ")
    assert written.endswith("Newt5 A, et al. Do newts sing? 2014. [Retracted].")


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(sorted(FORMS)))
def test_no_text_breaks_a_file(title, name, form):
    source = Source(
        "7",
        "7",
        title,
        "2014",
        "",
        False,
        1,
        Publication(authors=(Author(name or "x", title),), pmid="7"),
    )
    assert FORMS[form]([source, source])


def test_no_field_of_bibtex_ends_its_entry():
    hostile = "}, title = {A lie}}\n@article{b, year = {"
    known = dict.fromkeys(
        ("volume", "issue", "pages", "pmid", "pmcid", "doi", "language", "arxiv"), hostile
    )
    source = Source(hostile, hostile, "Newts", hostile, "Newts", False, 1, Publication(**known))
    (line, *fields, end, _) = references.bibtex([source]).splitlines()
    assert re.fullmatch(r"@article\{source\w*-1,", line)
    assert end == "}"
    assert all(
        re.fullmatch(r"  \w+ = \{+[^{}]*\}+,?", field) for field in fields if "\\" not in field
    )


@pytest.mark.parametrize(
    ("pages", "first", "last"),
    [
        ("235-9", "235", "239"),
        ("235-239", "235", "239"),
        ("1198-203", "1198", "1203"),
        ("e12-e14", "e12", "e14"),
        ("7", "7", ""),
    ],
)
def test_shortened_last_pages_are_whole_in_ris(pages, first, last):
    lines = references.ris(
        [Source("1", "1", "Newts", publication=Publication(pages=pages))]
    ).splitlines()
    assert f"SP  - {first}" in lines
    assert [line for line in lines if line.startswith("EP")] == ([f"EP  - {last}"] if last else [])
