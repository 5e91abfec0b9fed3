"""Search abstract files by BM25: each file is indexed once on disk and recognised by its content."""

from ilpsum.retrieval.attaching import FOUND, Attaching, as_found, with_documents
from ilpsum.retrieval.indexing import default_folder, known_digests
from ilpsum.retrieval.queries import QueryWords
from ilpsum.retrieval.searching import AbstractSearch, SearchHits

__all__ = [
    "FOUND", "AbstractSearch", "Attaching", "QueryWords", "SearchHits", "as_found", "default_folder",
    "known_digests", "with_documents",
]  # fmt: skip
