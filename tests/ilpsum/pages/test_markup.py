"""Text from input stays text."""

from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilpsum.pages.markup import Markup, join, tag, text


@given(st.text())
def test_any_text_comes_back_and_holds_no_markup(given):
    written = text(given)
    assert not set(written) & set("<>\"'")
    assert unescape(written) == _as_shown(given)


def _as_shown(given):
    """Return the text with each character that no page can show replaced."""
    kept = "\t\n\r"
    forbidden = lambda c: (  # noqa: E731
        (ord(c) < 32 and c not in kept) or 0x7F <= ord(c) <= 0x9F or 0xD800 <= ord(c) <= 0xDFFF
        or 0xFDD0 <= ord(c) <= 0xFDEF or ord(c) & 0xFFFE == 0xFFFE
    )  # fmt: skip
    return "".join("\ufffd" if forbidden(c) else c for c in given)


def test_markup_is_not_escaped_twice():
    inner = tag("b", "1 < 2")
    assert tag("p", inner, " & ", 3) == "<p><b>1 &lt; 2</b> &amp; 3</p>"
    assert join(inner, "<") == Markup("<b>1 &lt; 2</b>&lt;")


def test_attributes():
    assert tag("a", href='"><script>', x=None, y=False, z=True, v=0) == (
        '<a href="&quot;&gt;&lt;script&gt;" z v="0"></a>'
    )


@pytest.mark.parametrize("value", ["\x00", "\ud800", "\ufffe", "\x9f"])
def test_what_a_page_cannot_hold_is_replaced(value):
    assert text(f"a{value}b") == "a\ufffdb"
    text(value).encode()


def test_pieces_that_were_not_unpacked_are_no_text():
    with pytest.raises(TypeError, match=r"got generator; unpack it with \*"):
        join(text(letter) for letter in "ab")
