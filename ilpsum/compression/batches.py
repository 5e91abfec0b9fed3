"""Compress or parse many titles in batches, in one process or several, with the same results."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from ilpsum.compression.compressor import Compressed, compressor_of, parser_words, read_word_idf
from ilpsum.compression.options import CompressorOptions
from ilpsum.compression.parser import load_parser
from ilpsum.compression.tokens import tokenize
from ilpsum.compression.trees import Tree, bracketed, escape
from ilpsum.files.processes import HERE, Executor
from ilpsum.formats.titles import Title

Item = TypeVar("Item")

# Texts per batch; fixed, so that results do not depend on the number of processes.
_BATCH = 128


def compress_titles(
    titles: Iterable[tuple[Title, Tree | None]],
    options: CompressorOptions,
    idf: str | Path | None = None,
    workers: Executor = HERE,
) -> Iterator[tuple[str, Compressed]]:
    """Yield the id and the compression of each title, in order.

    Titles without a tree are parsed. Each process loads `idf`, an IDF file (by default the shipped one), in place of
    the one in the options.

    Raises:
        InputError: the IDF file cannot be read.
        UnknownNameError: a rule does not exist.
    """
    if idf:
        read_word_idf(idf)  # reported before any work
    return chain.from_iterable(workers.map(partial(_compressed, options, idf), _batches(titles)))


def parse_titles(titles: Iterable[Title], *, tokenized: bool = False, workers: Executor = HERE) -> Iterator[str]:
    """Yield the bracketed tree of each title: a flat one if it cannot be parsed, an empty string if it has no words.

    With `tokenized`, words are separated by spaces.
    """
    return chain.from_iterable(workers.map(partial(_parsed, tokenized), _batches(titles)))


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    stream = iter(items)
    while batch := list(islice(stream, _BATCH)):
        yield batch


def _compressed(
    options: CompressorOptions, idf: str | Path | None, titles: list[tuple[Title, Tree | None]]
) -> list[tuple[str, Compressed]]:
    texts, trees = [title.text for title, _ in titles], [tree for _, tree in titles]
    compressed = compressor_of(options, idf).compress_all(texts, trees)
    return [(title.id, own) for (title, _), own in zip(titles, compressed, strict=True)]


def _parsed(tokenized: bool, titles: list[Title]) -> list[str]:
    if tokenized:
        sentences = [[escape(word) for word in title.text.split()] for title in titles]
    else:
        sentences = [parser_words([token.text for token in tokenize(title.text)]) for title in titles]
    trees = load_parser().parse(sentences)
    return [bracketed(tree) if tree else _flat(words) for tree, words in zip(trees, sentences, strict=True)]


def _flat(words: list[str]) -> str:
    return f"(S1 (X {' '.join(f'(XX {word})' for word in words)}))" if words else ""
