"""Signatures contain everything that affects a score, and can be parsed."""

import pytest

from ilpsum.errors import InputError, UsageError
from ilpsum.metrics.rouge import RougeOptions
from ilpsum.metrics.signature import Signature, rouge_signature
from ilpsum.metrics.wordnet import read_exceptions
from ilpsum.version import __version__


def test_a_signature_can_be_parsed():
    signature = rouge_signature("ROUGE-SU4", RougeOptions(stem=True, words=250, multiple="jackknife"), references="all")
    assert str(signature) == (
        "ROUGE-SU4|stem:yes|words:250|multiple:jackknife|references:all|exceptions:off|f:1|tokens:rouge-1.5.5|"
        f"version:{__version__}"
    )
    assert Signature.parse(str(signature)) == signature


def test_every_option_changes_the_signature():
    all_options = [
        RougeOptions(),
        RougeOptions(stem=True),
        RougeOptions(words=250),
        RougeOptions(bytes=250),
        RougeOptions(multiple="best"),
        RougeOptions(exceptions={"mice": "mouse"}),
        RougeOptions(exceptions={"mice": "mousse"}),
    ]
    assert len({str(rouge_signature("ROUGE-2", options)) for options in all_options}) == len(all_options)


@pytest.mark.parametrize("text", ["", "ROUGE-2|stem", "|stem:yes"])
def test_text_that_is_not_a_signature_is_an_error(text):
    with pytest.raises(UsageError, match="signature"):
        Signature.parse(text)


def test_exceptions_are_read(tmp_path):
    (tmp_path / "noun.exc").write_text("mice mouse\nvisas visa visum\n\nbetter bettor\n")
    (tmp_path / "adj.exc").write_text("better good\n")
    (tmp_path / "notes.txt").write_text("no list\n")
    assert read_exceptions(tmp_path) == {"mice": "mouse", "visas": "visa", "better": "bettor"}


def test_invalid_exceptions_are_errors(tmp_path):
    with pytest.raises(InputError, match=r"adj\.exc"):
        read_exceptions(tmp_path)
    (tmp_path / "noun.exc").write_text("mice mouse\nloner\n")
    with pytest.raises(InputError, match=r"noun\.exc:2: .*base form"):
        read_exceptions(tmp_path)
