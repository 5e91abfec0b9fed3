"""Signatures contain everything that affects a score, and can be parsed."""

import pytest

from ilpsum.errors import UsageError
from ilpsum.metrics.rouge import RougeOptions
from ilpsum.metrics.signature import Signature, rouge_signature
from ilpsum.version import __version__


def test_a_signature_can_be_parsed():
    signature = rouge_signature(
        "ROUGE-SU4", RougeOptions(stem=True, words=250, multiple="jackknife"), references="all"
    )
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
    ]
    assert len({str(rouge_signature("ROUGE-2", options)) for options in all_options}) == len(
        all_options
    )


@pytest.mark.parametrize("text", ["", "ROUGE-2|stem", "|stem:yes"])
def test_text_that_is_not_a_signature_is_an_error(text):
    with pytest.raises(UsageError, match="signature"):
        Signature.parse(text)
