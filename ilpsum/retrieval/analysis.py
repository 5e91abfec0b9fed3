"""The terms of a text and the fields of an indexed abstract, shared by index and search.

Terms are runs of letters and digits, lower-cased and stemmed (Porter's English stemmer), without accents and stop
words.
"""

from functools import cache, reduce
from typing import Any

from features.text import STOP_WORDS

TERMS = "terms"
"""The searched field: title and abstract."""
STORED = "abstract"
"""The stored field: the abstract's number in the file and its record, as JSON."""

_ANALYSER = "abstracts"


@cache
def analyser() -> Any:
    """Return tantivy's analyser; its `analyze(text)` returns the terms in order."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    filters = (
        Filter.remove_long(60),
        Filter.lowercase(),
        Filter.ascii_fold(),
        Filter.custom_stopword(sorted(STOP_WORDS)),
        Filter.stemmer("english"),
    )
    return reduce(TextAnalyzerBuilder.filter, filters, TextAnalyzerBuilder(Tokenizer.simple())).build()


def terms(text: str) -> list[str]:
    """Return the terms of a text, in order, with repetitions.

    >>> terms("The newt's IL-6 receptors")
    ['newt', 'il', '6', 'receptor']
    """
    result: list[str] = analyser().analyze(text)
    return result


@cache
def schema() -> Any:
    """Return the fields; positions are not indexed, since BM25 needs only frequencies."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder().add_text_field(TERMS, tokenizer_name=_ANALYSER, index_option="freq")
    return builder.add_bytes_field(STORED, stored=True).build()


def register(index: Any) -> Any:
    """Register the analyser with a tantivy index, and return the index."""
    index.register_tokenizer(_ANALYSER, analyser())
    return index
