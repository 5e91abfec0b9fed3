"""Compresses titles and sentences with the rules of Lin and Wilbur (2007), and parses them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from ilpsum.api.tables import Table
from ilpsum.compression.compressor import (
    VARIANT_A,
    VARIANT_B,
    Compressed,
    compress_titles,
    parse_titles,
)
from ilpsum.compression.rules import RULES, CompressorOptions
from ilpsum.compression.trees import Tree, read_tree
from ilpsum.errors import InputError, UsageError
from ilpsum.files.processes import Processes
from ilpsum.literature.titles import Title, read_titles

_VARIANTS = {"a": VARIANT_A, "b": VARIANT_B}


@dataclass(frozen=True, slots=True)
class Cut:
    """Text removed by a rule."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Shortened:
    """A compressed text.

    Attributes:
        id: id of the record or row, or the 1-based number of the line or text.
        source: the original text.
        text: the compressed text.
        rules: the rules applied, in order.
        cuts: the texts they removed.
        characters, words: remaining shares of characters and words, in [0,1].
        parse: origin of the parse tree: `given`, `parser`, or `none`.
        fits: whether the text has at most `max_chars` characters, if set.
    """

    id: str
    source: str
    text: str
    rules: tuple[str, ...]
    cuts: tuple[Cut, ...]
    characters: float
    words: float
    parse: str
    fits: bool


def compress(texts: Iterable[str | Title], **options: Any) -> Table[Shortened]:
    """Compress strings, or titles from `ilpsum.literature.titles.read_titles`; options as for
    `shortened`.
    """
    return Table(Shortened, shortened(_titles(texts), **options))


def parse(texts: Iterable[str | Title], *, tokenized: bool = False, jobs: int = 1) -> Iterator[str]:
    """Yield each text's bracketed tree, flat without a parse; `tokenized` texts have spaces between
    tokens.
    """
    return parse_titles(
        _titles(texts),
        tokenized=tokenized,
        workers=Processes(jobs),
    )


def shortened(
    titles: Iterable[Title],
    *,
    variant: Literal["a", "b"] = "a",
    rules: Sequence[str] = (),
    idf: str | Path | None = None,
    trees: str | Path | None = None,
    jobs: int = 1,
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
    for name in rules:
        RULES[name]
    if variant not in _VARIANTS:
        raise UsageError(f"variant: expected a or b, got {variant!r}")
    chosen = CompressorOptions(tuple(rules) or _VARIANTS[variant], **options)
    if idf and "simple-np" not in chosen.rules:
        raise UsageError("--idf is for the rule simple-np; add --variant b, or the rule to --rules")
    paired = _with_trees(titles, trees) if trees else ((title, None) for title in titles)
    compressed = compress_titles(paired, chosen, idf, Processes(jobs))
    return (_shortened(name, title, chosen.max_chars) for name, title in compressed)


def _shortened(name: str, title: Compressed, most: int | None) -> Shortened:
    cuts = []
    for firing in title.firings:
        cuts += [Cut(firing.rule, cut) for cut in firing.cuts]
    rules = tuple(firing.rule for firing in title.firings)
    characters = round(title.character_ratio, 6)
    words = round(title.word_ratio, 6)
    fits = most is None or len(title.text) <= most
    return Shortened(
        name,
        title.source,
        title.text,
        rules,
        tuple(cuts),
        characters,
        words,
        title.parse,
        fits,
    )


def _titles(texts: Iterable[str | Title]) -> Iterator[Title]:
    texts = [texts] if isinstance(texts, str) else texts
    return (
        each if isinstance(each, Title) else Title(str(n), each) for n, each in enumerate(texts, 1)
    )


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
