"""Lists of PMIDs: one a line, with comments, as JSON; memory; errors with their place."""

import gzip
import json

import pytest

from ilpsum.errors import InputError
from ilpsum.files.pmids import Pmids, is_pmid
from tests.measures import peak


def test_many_pmids_need_little_memory(tmp_path):
    path = tmp_path / "pmids.txt"
    with path.open("w") as stream:
        stream.writelines(f"{n}\r\n" for n in range(3, 900_000, 3))
    pmids = Pmids(path)
    # 4 bytes each, twice while the array grows, and one block of Python integers; a set would not
    # fit.
    assert peak(lambda: Pmids(path)) < 8 * len(pmids) + 8 * 2**20
    assert len(pmids) == 299_999
    assert ["3" in pmids, "4" in pmids, "899997" in pmids, "99999999" in pmids] == [
        True,
        False,
        True,
        False,
    ]


def test_blank_lines_and_leading_zeros(tmp_path):
    path = tmp_path / "pmids.txt"
    path.write_text("\n 7 \n007\n" + "12345678")
    assert ["7" in Pmids(path), "12345678" in Pmids(path), "8" in Pmids(path)] == [
        True,
        True,
        False,
    ]
    path.write_text("12\n" * 50 + "123456789\n" + "12\n" * 50)
    with pytest.raises(InputError, match=r"pmids\.txt:51: '123456789' is not a PMID"):
        Pmids(path)


@pytest.mark.parametrize(
    "text",
    ["# released\n12 # a newt\n\n34\n", json.dumps(["12", "34"]), " [12,\n34]", "34\r\n12\r\n"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_comments_and_json_lists(tmp_path, text, packed):
    path = tmp_path / "pmids"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    pmids = Pmids(path)
    assert len(pmids) == 2
    assert ["12" in pmids, "34" in pmids, "13" in pmids] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12\nx5\n", ":2: 'x5' is not a PMID; expected one of 1 to 8 digits per line"),
        ("12 34\n", ":1: '12 34' is not a PMID"),
        ('["12",\n"x5"]', ":2: 'x5' is not a PMID; expected a list of PMIDs"),
        ("[true]", ":1: 'True' is not a PMID"),
        ("[12", "not valid JSON"),
        ("# none yet\n", "no PMIDs"),
        ("[]", "no PMIDs"),
    ],
)
def test_what_is_not_a_list_of_pmids(tmp_path, text, message):
    path = tmp_path / "pmids"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        Pmids(path)
    assert message in str(caught.value)


def test_is_pmid():
    assert [
        is_pmid(value) for value in ("1", "12345678", "123456789", "012", "0", "x", "", 12, "١٢")
    ] == [
        *[True] * 2,
        *[False] * 7,
    ]
