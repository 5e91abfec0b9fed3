"""Abstracts searched by BM25: files of any number and size, each indexed once to disk, found again by their content."""

from ilpsum.abstracts.indexing import default_folder
from ilpsum.abstracts.searching import Found, Hit, Search

__all__ = ["Found", "Hit", "Search", "default_folder"]
