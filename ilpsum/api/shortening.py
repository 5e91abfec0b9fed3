"""Compresses titles and sentences with the rules of Lin and Wilbur (2007), and parses them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, Literal, TypeVar

from ilpsum.api.tables import Table
from ilpsum.compression import compressor
from ilpsum.compression.compressor import VARIANT_A, VARIANT_B, Cut, Shortened
from ilpsum.compression.published_rules import CompressorOptions
from ilpsum.compression.trees import Tree, read_tree
from ilpsum.errors import InputError, UsageError
from ilpsum.files.arguments import checked
from ilpsum.files.processes import Processes
from ilpsum.files.records import Natural
from ilpsum.literature.titles import Title, read_titles

__all__ = ["Cut", "Shortened", "compress", "parse", "shortened"]

Item = TypeVar("Item")
_VARIANTS = {"a": VARIANT_A, "b": VARIANT_B}
# Texts per batch; fixed, so that results do not depend on the number of processes.
_BATCH = 128


@checked
def compress(texts: str | Iterable[str | Title], **options: Any) -> Table[Shortened]:
    """Compress strings, or titles from `ilpsum.literature.titles.read_titles`; options as for
    `shortened`.
    """
    return Table(Shortened, shortened(_titles(texts), **options))


@checked
def parse(
    texts: str | Iterable[str | Title],
    *,
    tokenized: bool = False,
    jobs: Natural = 1,
) -> Iterator[str]:
    """Yield each text's bracketed tree, flat without a parse; `tokenized` texts have spaces between
    tokens.
    """
    parsed = Processes(jobs).map(partial(compressor.parse, tokenized), _batches(_titles(texts)))
    return chain.from_iterable(parsed)


@checked
def shortened(
    titles: Iterable[Title],
    *,
    variant: Literal["a", "b"] = "a",
    rules: Sequence[str] = (),
    idf: str | Path | None = None,
    trees: str | Path | None = None,
    jobs: Natural = 1,
    **options: Any,
) -> Iterator[Shortened]:
    """Compress titles lazily.

    Args:
        titles: titles or sentences.
        variant: `a` applies rules 1-6 of the paper, `b` all seven.
        rules: apply only these rules; `ilpsum compress --help` lists their names.
        idf: IDF file for the rule `simple-np`.
        trees: file with one bracketed tree per line; empty lines and `()` leave the text to the
            parser.
        jobs: number of processes.
        options: further fields of `ilpsum.compression.rules.CompressorOptions`, such as
            `max_chars`.

    Raises:
        UnknownNameError: a rule does not exist.
        UsageError: the variant does not exist, or `idf` is given without the rule `simple-np`.
        InputError: a file cannot be read, or the number of trees differs from the number of texts.
    """
    chosen = CompressorOptions(tuple(rules) or _VARIANTS[variant], **options)
    if idf and "simple-np" not in chosen.rules:
        raise UsageError("--idf is for the rule simple-np; add --variant b, or the rule to --rules")
    if idf:
        compressor.read_word_idf(idf)  # reports errors before any work
    paired = _with_trees(titles, trees) if trees else ((title, None) for title in titles)
    return chain.from_iterable(
        Processes(jobs).map(partial(_compressed, chosen, idf), _batches(paired))
    )


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    stream = iter(items)
    while batch := list(islice(stream, _BATCH)):
        yield batch


def _compressed(
    options: CompressorOptions,
    idf: str | Path | None,
    titles: Sequence[tuple[Title, Tree | None]],
) -> list[Shortened]:
    # The compressor of a process is cached; its IDF and parser are not sent to it.
    return compressor.compressor_of(options, idf).compress_all(titles)


def _titles(texts: str | Iterable[str | Title]) -> Iterator[Title]:
    texts = [texts] if isinstance(texts, str) else texts
    for number, text in enumerate(texts, start=1):
        yield text if isinstance(text, Title) else Title(str(number), text)


def _with_trees(titles: Iterable[Title], path: str | Path) -> Iterator[tuple[Title, Tree | None]]:
    """Pair each title with the tree on the line of the same number."""
    if str(path) == "-":
        raise UsageError("--trees needs a file; standard input is for the texts")
    for number, (title, tree) in enumerate(
        zip_longest(titles, read_titles(path, "lines")),
        start=1,
    ):
        if title is None or tree is None:
            shorter = "the input" if title is None else "the file of trees"
            raise InputError(
                f"{shorter} ends at line {number}; expected a tree for each text",
                path,
                number,
            )
        text = tree.text.strip()
        yield title, read_tree(text, str(path), number) if text.strip("() ") else None
