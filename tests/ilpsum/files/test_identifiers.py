"""Identifiers of articles in lists and references."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ilpsum.files.identifiers import ArticleIds, find_ids, ids_of, is_id_list, links, listed_ids

REFERENCES = """References

1. Newt A, Moss B. Song of the grey newt. J Newts. 2010;3(2):1-9. doi: 10.1234/abc.7. PMID: 23; PMCID: PMC1234567.
2. Toad C. Humming in 12345678 ponds. Toads 2011. https://pubmed.ncbi.nlm.nih.gov/0077/
3. Eft D. No identifier. 1999.
4. Moss B. Preprint. bioRxiv 2020 (https://doi.org/10.1101/2020.01.01.123456).
"""


def listed(text):
    return [ids_of(article) for article in listed_ids(text).articles]


def test_one_a_line():
    text = "\ufeff12345678\n# newts\nPMC1234567 # toads\n\n10.1016/S0140-6736(05)67661-1\r\nPMID:0099, 12\n"
    text += "arXiv:2101.00001v2\n"
    assert is_id_list(text)
    assert listed(text) == [
        ("12345678",),
        ("PMC1234567",),
        ("10.1016/s0140-6736(05)67661-1",),
        ("99",),
        ("12",),
        ("2101.00001",),
    ]
    assert [article.line for article in listed_ids(text).articles] == [1, 3, 5, 6, 6, 7]


def test_a_list_in_json():
    text = '[90000001, "90000011",\n "10.1234/a"]\n'
    assert is_id_list(text)
    assert listed(text) == [("90000001",), ("90000011",), ("10.1234/a",)]


def test_old_dois_with_angle_brackets_are_whole():
    doi = "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"
    assert listed(f"{doi.upper()}\n7\n") == [(doi,), ("7",)]
    assert listed(f"1. Newt A. Song. 1998. doi:{doi}.\n2. Moss B. Tarns. PMID: 7\n") == [
        (doi,),
        ("7",),
    ]
    assert find_ids("<p>doi:10.1234/a<b>bold</b></p>").doi == "10.1234/a"


MIXED = """# Two kinds of lines
1. Toad C. Humming. doi:10.1016/j.toad.2011.01.001. PMID: 77
4. World Newt Organization. Newts. Geneva; 2017.

80000001
PMIDs: 80000002, 80000003
PMID 80000004 and PMID 80000005
[25] 80000006
26. 80000007
\u2022 doi:10.5555/invented(80000008);
PMID\u201180000009
80000010.
12
"""


def test_lines_of_references_and_of_identifiers():
    read = listed_ids(MIXED)
    assert [ids_of(article) for article in read.articles] == [
        ("77", "10.1016/j.toad.2011.01.001"),
        *[(f"8000000{digit}",) for digit in range(1, 8)],
        ("10.5555/invented(80000008)",),
        *[("80000009",), ("80000010",), ("12",)],
    ]
    assert read.without == (3,)


def test_numbered_pmids_keep_their_numbers_apart():
    assert (
        listed("[1] 80000001\n[2] 80000002\n")
        == listed("1. 80000001\n2) 80000002")
        == [("80000001",), ("80000002",)]
    )


def test_references_pasted_from_a_paper():
    assert is_id_list(REFERENCES)
    assert listed(REFERENCES) == [
        ("23", "PMC1234567", "10.1234/abc.7"),
        ("77",),
        ("10.1101/2020.01.01.123456",),
    ]
    assert str(listed_ids(REFERENCES).articles[0]) == "PMID 23"
    assert listed("Newt A. Song. doi:10.1234/a\n\nToad B. Hum. doi:10.1234/b\n") == [
        ("10.1234/a",),
        ("10.1234/b",),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Newts sing.\n",
        "",
        "The trial (doi:10.1234/x) showed that newts sing at dusk, and toads do not.\n",
        # What PubMed saves as "Abstract (text)" is an abstract.
        "1. J Newts. 2010;3:1-9.\n\nSong of newts.\n\nNewt A(1).\n\nNewts sing.\n\nThey do.\n\nPMID: 23\n",
        "1. J Newts. doi:10.1234/a.\n\nSong.\n\nAuthor information:\n(1)Tarn.\n\nDOI: 10.1234/a\nPMCID: PMC123\n",
        "2,5 kg of newts\n7 ponds\n",
    ],
)
def test_prose_is_no_list(text):
    assert not is_id_list(text)


def test_a_doi_ends_before_the_punctuation_after_it():
    assert find_ids("(https://doi.org/10.1234/NEWT.7).").doi == "10.1234/newt.7"
    assert find_ids("doi:10.1002/(SICI)1097-0258(1998)17:1%3C1::AID-SIM1%3E3.0.CO;2-X;").doi == (
        "10.1002/(sici)1097-0258(1998)17:1<1::aid-sim1>3.0.co;2-x"
    )
    assert find_ids("10.12/x").doi == ""


def test_links():
    article = find_ids("PMID 7, PMC1234, doi:10.48550/arXiv.2101.00001")
    assert [url for _, url in links(article)] == [
        "https://pubmed.ncbi.nlm.nih.gov/7/",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC1234/",
        "https://doi.org/10.48550/arxiv.2101.00001",
        "https://arxiv.org/abs/2101.00001",
    ]
    assert links(ArticleIds(doi='10.1234/"<a>'))[0][1] == "https://doi.org/10.1234/%22%3Ca%3E"


IDS = st.one_of(
    st.integers(1, 10**8 - 1).map(str),
    st.integers(100, 10**8).map("PMC{}".format),
    st.from_regex(r"10\.[1-9][0-9]{3}/[a-z0-9]{1,9}(\.[a-z0-9]{1,9}){0,2}", fullmatch=True),
)


@example(["10.1000/0.doi", "10.1000/doi"], "\n")
@given(
    st.lists(IDS, min_size=1, max_size=30, unique=True),
    st.sampled_from(["\n", "\r\n", "\n\n", " # x\n"]),
)
def test_every_list_of_identifiers_is_read_back(ids, between):
    text = between.join(ids)
    assert is_id_list(text)
    assert listed(text) == [(each,) for each in ids]


@given(st.text(max_size=300))
def test_no_text_breaks_it(text):
    is_id_list(text)
    assert all(ids_of(article) and article.line >= 1 for article in listed_ids(text).articles)
