"""RIS and CSV, as PubMed, Zotero, EndNote, Rayyan, Covidence and Scopus export them."""

import gzip

import pytest

from ilpsum.errors import InputError
from ilpsum.files.start import Start
from ilpsum.literature import abstracts, intake

RIS = (
    "TY  - JOUR\r\nTI  - Song of\r\nthe grey newt\r\nAU  - Newt, A.\r\nPY  - 2014/03/09/\r\n"
    "AB  - Grey newts sing.\r\n  They sing at dusk.\r\nAN  - 23456\r\nDB  - PubMed\r\nER  - \r\n\r\n"
    "TY  - JOUR\r\nT1  - Toads\r\nY1  - 2001\r\nN2  - Toads <jats:italic>hum</jats:italic> lowly.\r\n"
    "DO  - https://doi.org/10.1234/TOAD.7\r\nAN  - 20010001\r\nDB  - Embase\r\nID  - 12\r\nER  -\r\n"
    "TY  - JOUR\r\nTI  - Efts\r\nAB  - Efts crawl in June.\r\nN1  - PMID: 99\r\n"
    "TY  - JOUR\r\nTI  - No abstract\r\nUR  - https://pubmed.ncbi.nlm.nih.gov/77/\r\nER  - \r\n"
    "TY  - JOUR\r\nTI  - Okapis\r\nAB  - Okapis browse.\r\nER  - \r\n"
)


def write(folder, content, name="export", encoding="utf-8"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_ris(tmp_path, encoding, end):
    path = write(tmp_path, RIS.replace("\r\n", end), encoding=encoding)
    newt, toad, eft, none, okapi = intake.documents(path)
    assert (newt.id, newt.title, newt.date) == ("23456", "Song of the grey newt", "2014-03-09")
    assert newt.text == "Song of the grey newt\nGrey newts sing. They sing at dusk."
    assert [(s.kind, newt.text[s.start : s.end]) for s in newt.sections] == [
        ("title", "Song of the grey newt"),
        ("abstract", "Grey newts sing. They sing at dusk."),
    ]
    # Embase's accession numbers are not PMIDs, and a number in ID is the program's own.
    assert (toad.id, toad.date, toad.text) == ("10.1234/toad.7", "2001", "Toads\nToads hum lowly.")
    assert eft.id == "99"
    assert none.id == "77"
    assert not intake.has_abstract(none)
    assert okapi.id.startswith("record-5-")


def test_records_without_an_identifier_have_ids_of_their_own(tmp_path):
    record = "TY  - JOUR\nTI  - {0}\nAB  - {0} sing.\nER  - \n"
    ids = [
        [
            d.id
            for d in intake.documents(
                write(tmp_path, "".join(map(record.format, names)), "-".join(names))
            )
        ]
        for names in (("Newts", "Newts", "Toads"), ("Toads",), ("Newts",))
    ]
    assert len({*ids[0], *ids[1]}) == 4
    assert ids[2] == ids[0][:1]


def test_what_is_skipped_is_counted(tmp_path):
    *records, last = intake.read(write(tmp_path, RIS))
    assert len(records) == 4
    assert last.problems == ("skipped 1 record without an abstract",)


HEADERS = {
    "zotero": (
        "Item Type,Publication Year,Title,DOI,Url,Abstract Note,Extra",
        "journalArticle,2014,{t},,,{a},PMID: 23",
    ),
    "rayyan": (
        "key,title,authors,year,url,abstract,notes,doi,pubmed_id",
        "k-1,{t},A,2014,,{a},,,23",
    ),
    "covidence": (
        "Title,Authors,Abstract,Published Year,Accession Number,DOI",
        "{t},A,{a},2014,MEDLINE:23,",
    ),
    "endnote": (
        "Author;Year;Title;Accession Number;Name of Database;Abstract;URL",
        "A;2014;{t};23;Medline;{a};",
    ),
    "scopus": ("Authors\tTitle\tYear\tAbstract\tPubMed ID", "A\t{t}\t2014\t{a}\t23"),
    "pubmed": ("PMID,Title,Abstract,Publication Year,DOI", "23,{t},{a},2014,10.1234/x"),
    "url": ("title;abstract;year;url", "{t};{a};2014;http://www.ncbi.nlm.nih.gov/pubmed/23"),
    "excel": ("sep=;\nTitle;Abstract;Year;PMID", "{t};{a};2014;23.0"),
}


@pytest.mark.parametrize("program", HEADERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_csv(tmp_path, program, encoding):
    header, row = HEADERS[program]
    rows = (
        row.format(t='"Song, of; ""grey"" newts"', a='"Newts sing é.\nThey sing\tat dusk."'),
        row.format(t="T", a=""),
    )
    path = write(tmp_path, "\n".join((header, *rows, "")), encoding=encoding)
    first, second, *_ = intake.documents(path)
    assert (first.id, first.date, first.title) == ("23", "2014", 'Song, of; "grey" newts')
    assert first.text.endswith("Newts sing é. They sing at dusk.")
    assert not intake.has_abstract(second)
    *records, last = intake.read(path)
    assert len(records) == 1
    told = f"line {len(header.splitlines()) + 1}: not UTF-8, read as cp1252"
    assert (told in last.problems) == (encoding == "cp1252")


@pytest.mark.parametrize(
    ("rows", "line", "got"),
    [
        ("A,Newts sing.,2000\nB\nC,Toads hum.\n", 3, 1),
        ("A,Newts sing.,2000\nB,Efts, not toads.,x\nC,Toads hum.\n", 3, 4),
    ],
)
def test_a_row_of_another_length_is_an_error_of_its_own(tmp_path, rows, line, got):
    path = write(tmp_path, f"Title,Abstract,Year\n{rows}")
    first, last, told = intake.read(path)
    assert (first.document.title, last.document.title, last.document.date) == ("A", "C", "")
    (problem,) = told.problems
    assert f"export:{line}: expected 3 cells, got {got}" in problem


@pytest.mark.parametrize(
    "rows", ['A,"Newts sing\n' + "Toads hum.\n" * 20_000, 'A,"Newts sing.\nB,Toads hum.\n']
)
def test_an_open_quote_is_an_error(tmp_path, rows):
    with pytest.raises(InputError, match="is a quote left open"):
        list(intake.documents(write(tmp_path, f"Title,Abstract\n{rows}")))


def test_pubmed_s_csv_is_refused_with_what_to_do(tmp_path):
    path = write(
        tmp_path,
        "\ufeffPMID,Title,Authors,Citation,Journal/Book,Publication Year,DOI\n23,T,A,C,J,2014,\n",
    )
    with pytest.raises(
        InputError, match="PubMed's CSV has no abstracts; save the results in the format PubMed"
    ):
        abstracts.reader_of(Start.of(path))
    other = write(tmp_path, "Title,Year\nT,2000\n", "other")
    with pytest.raises(InputError, match="without a column named Abstract"):
        abstracts.reader_of(Start.of(other))


def test_prose_with_commas_is_no_table(tmp_path):
    path = write(tmp_path, "Newts, toads, and efts sing.\nThe title, by the year, is abstract.\n")
    assert abstracts.reader_of(Start.of(path)) is None
    letter = "Dear Ann, dear Bo\n\nNewts sing, toads hum.\n"
    for prose in (
        letter,
        "Newts and toads\nNewts sing, toads hum.\n",
        "Tarns; ponds, pools\nNewts; efts, toads\n",
    ):
        assert abstracts.reader_of(Start.of(write(tmp_path, prose, "notes.txt"))) is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("nom.csv", "nom,resume\nNewts,Newts sing at night.\n"),
        ("german", 'Title;Text\nNewts;"Newts sing; toads hum."\nEfts;Efts swim.\n'),
        ("tabs.txt", "foo\tbar\nNewts sing.\tToads hum.\nEfts"),
        ("one.tsv", "resume\nNewts sing at night.\n"),
        ("packed.csv.gz", gzip.compress(b"Newts sing, and\ntoads hum.\n", mtime=0)),
    ],
)
def test_a_table_without_a_known_column_is_refused(tmp_path, name, content):
    path = write(tmp_path, content, name)
    expected = "a table whose header names no text; expected the columns Title and Abstract"
    with pytest.raises(InputError, match=expected):
        abstracts.reader_of(Start.of(path))
