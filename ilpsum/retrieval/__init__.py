"""Abstracts searched by BM25: files of any number and size, each indexed once to disk, found again by their content."""

from ilpsum.retrieval.attaching import FOUND, attach, with_documents
from ilpsum.retrieval.indexing import default_folder
from ilpsum.retrieval.searching import AbstractSearch, Hit, SearchHits

__all__ = ["FOUND", "AbstractSearch", "Hit", "SearchHits", "attach", "default_folder", "with_documents"]
