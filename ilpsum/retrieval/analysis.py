"""What the index and the search agree on: the terms of a text, and the fields of an indexed abstract.

Terms are runs of letters and digits, lower-cased, accents off, stop words left out, stemmed (Porter's English stemmer).
"""

from functools import cache
from typing import Any

from features.text import STOP_WORDS

TERMS = "terms"
"""The field that is searched: title and abstract."""
STORED = "abstract"
"""The field that keeps the abstract: its number in the file and its record, as JSON."""

_ANALYSER = "abstracts"


@cache
def analyser() -> Any:
    """The analyser of tantivy, whose `analyze(text)` gives the terms in order."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.simple())
    filters = (
        Filter.remove_long(60),
        Filter.lowercase(),
        Filter.ascii_fold(),
        Filter.custom_stopword(sorted(STOP_WORDS)),
        Filter.stemmer("english"),
    )
    for each in filters:
        builder = builder.filter(each)
    return builder.build()


def terms(text: str) -> list[str]:
    """The terms of a text, in order, with repetitions.

    >>> terms("The newt's IL-6 receptors")
    ['newt', 'il', '6', 'receptor']
    """
    found: list[str] = analyser().analyze(text)
    return found


@cache
def schema() -> Any:
    """The fields; positions are not kept, since BM25 asks only how often a term occurs."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder().add_text_field(TERMS, tokenizer_name=_ANALYSER, index_option="freq")
    return builder.add_bytes_field(STORED, stored=True).build()


def register(index: Any) -> Any:
    """A tantivy index that knows the analyser; the index itself."""
    index.register_tokenizer(_ANALYSER, analyser())
    return index
