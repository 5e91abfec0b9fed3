"""Numbers in text from outside: each has a bound, in every reader."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilpsum
from ilpsum.errors import InputError
from ilpsum.files.numbers import finite_number, whole_number
from ilpsum.files.pmids import Pmids
from ilpsum.literature.gate import iso_date

PACKAGE = Path(ilpsum.__file__).parent
# Digits that `int` refuses or takes from other scripts, and more of them than it reads.
ODD = ("9" * 5000, "0" * 5000 + "7", "²", "٣", "1_0", "+1", "-1", " 1", "½", "", "1" * 10)


@given(number=st.integers(0, 10**9 - 1), zeros=st.integers(0, 3))
def test_whole_numbers_are_read(number, zeros):
    text = "0" * zeros + str(number)
    assert whole_number(text) == (number if len(text) <= 9 else None)


@given(text=st.text() | st.sampled_from(ODD))
def test_any_other_text_is_none(text):
    number = whole_number(text)
    if number is not None:
        assert str(number) == (text.lstrip("0") or "0")
    assert not abs(finite_number(text)) > 1e308 * 1.8


@pytest.mark.parametrize("text", ODD)
def test_odd_digits_are_no_number(text):
    assert whole_number(text) is None


@pytest.mark.parametrize("month", ODD)
def test_a_month_in_odd_digits_is_left_out(month):
    assert iso_date("2015", month, "3") == "2015"
    assert iso_date("2015", "03", month) == "2015-03"


def test_a_pmid_may_begin_with_zeros_and_has_at_most_8_digits(tmp_path):
    file = tmp_path / "pmids.txt"
    file.write_text("0" * 5000 + "7\n")
    assert "7" in Pmids(file)
    file.write_text("9" * 5000 + "\n")
    with pytest.raises(InputError, match="is not a PMID"):
        Pmids(file)


def test_readers_convert_text_by_the_helper_alone():
    """`int` and `float` in rooms that read text from outside would need a bound of their own."""
    calls = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for room in ("tasks", "literature", "papers")
        for path in (PACKAGE / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("int", "float")
        # In base 16, of a pattern's few digits, each reads any number of digits at once.
        and len(node.args) == 1
    ]
    assert calls == []
