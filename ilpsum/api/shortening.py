"""Titles and sentences made shorter by the rules of Lin and Wilbur (2007), and their parse trees."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from ilpsum.api.tables import Table
from ilpsum.compression.batches import compress_titles, parse_titles
from ilpsum.compression.compressor import VARIANT_A, VARIANT_B, Compressed
from ilpsum.compression.options import CompressorOptions
from ilpsum.compression.rules import RULES
from ilpsum.compression.trees import Tree, read_tree
from ilpsum.corpora.titles import Title, read_titles
from ilpsum.errors import InputError, UsageError
from ilpsum.parallel.executor import Processes

_VARIANTS = {"a": VARIANT_A, "b": VARIANT_B}


@dataclass(frozen=True, slots=True)
class Cut:
    """A text that a rule cut."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Shortened:
    """A compressed text.

    Attributes:
        id: of the record or row, or the number of the line or text, from 1.
        source: the text as it was.
        text: what is left.
        rules: the rules that cut something, in order, with
        cuts: what they cut.
        characters, words: the shares of both that are left.
        parse: where its tree is from: `given`, `parser`, or `none` if there is none.
        fits: whether it is no longer than `max_chars`, if that is set.
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
    """Compress titles or sentences, or what `ilpsum.corpora.titles.read_titles` reads; the rest as for `shortened`."""
    return Table(Shortened, shortened(_titles(texts), **options))


def parse(texts: Iterable[str | Title], *, tokenized: bool = False, jobs: int = 1) -> Iterator[str]:
    """Yield the bracketed tree of each text, flat if it has no parse; with `tokenized`, blanks separate the words."""
    return parse_titles(_titles(texts), tokenized=tokenized, workers=Processes(jobs))


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
    """Return the compression of each title, lazily.

    Args:
        titles: the titles or sentences.
        variant: `a` applies the rules 1-6 of the paper, `b` all seven.
        rules: apply only these rules; see `ilpsum compress --help` for their names.
        idf: a file of IDF for the rule `simple-np`.
        trees: a file of the texts' trees, bracketed, one a line; where a line is empty or `()`, the parser is used.
        jobs: number of processes.
        options: further fields of `ilpsum.compression.options.CompressorOptions`, such as `max_chars`.

    Raises:
        UnknownNameError: no such rule.
        UsageError: no such variant, or `idf` without the rule that needs it.
        InputError: a file cannot be read, or has too few or too many trees.
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
    return (_shortened(name, own, chosen.max_chars) for name, own in compressed)


def _shortened(name: str, own: Compressed, most: int | None) -> Shortened:
    cuts = tuple(Cut(firing.rule, cut) for firing in own.firings for cut in firing.cuts)
    rules = tuple(firing.rule for firing in own.firings)
    shares = round(own.character_ratio, 6), round(own.word_ratio, 6)
    return Shortened(name, own.source, own.text, rules, cuts, *shares, own.parse, most is None or len(own.text) <= most)


def _titles(texts: Iterable[str | Title]) -> Iterator[Title]:
    texts = [texts] if isinstance(texts, str) else texts
    return (each if isinstance(each, Title) else Title(str(n), each) for n, each in enumerate(texts, 1))


def _with_trees(titles: Iterable[Title], path: str | Path) -> Iterator[tuple[Title, Tree | None]]:
    """Pair each title with the tree on its line."""
    if str(path) == "-":
        raise UsageError("--trees needs a file; standard input is for the texts")
    for number, (title, tree) in enumerate(zip_longest(titles, read_titles(path, "lines")), start=1):
        if title is None or tree is None:
            shorter = "the input" if title is None else "the file of trees"
            raise InputError(f"{shorter} ends at line {number}; expected a tree for each text", path, number)
        text = tree.text.strip()
        yield title, read_tree(text, str(path), number) if text.strip("() ") else None
