"""Every regular expression takes time in proportion to its text, or to a bound that is given here."""

from tests.fuzz.growth import MOST, patterns, seconds, texts

BOUNDED = {"features.sentences._LAST_STOP": "searches the last 200 characters of a text"}


def test_no_regular_expression_grows_faster_than_its_text() -> None:
    found = list(patterns())
    assert len(found) > 200
    assert {name for name, _, _ in found} >= BOUNDED.keys()
    slow = [
        f"{name}: {text[:40]!r}"
        for name, pattern, searches in found
        if name not in BOUNDED
        for text in texts(pattern)
        # A busy machine can slow one measurement, not two.
        if seconds(pattern, text, searches=searches) > MOST
        and seconds(pattern, text, searches=searches) > MOST
    ]
    assert not slow
