"""The compressor: applies the rules in the paper's order, with limits on how much must remain, to
titles in batches.

Rule 1 of Lin and Wilbur (2007), the subtitle, is a pattern applied before parsing. Rule 7 may read
its IDF from a file.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, islice
from pathlib import Path
from typing import Literal

from ilpsum.compression.parser import Parser, load_parser
from ilpsum.compression.published_rules import PUBLISHED, CompressorOptions, Cuts
from ilpsum.compression.rules import RULES
from ilpsum.compression.tidy import realised, tidied
from ilpsum.compression.tokens import tokenize
from ilpsum.compression.trees import (
    ParentedTree,
    Tree,
    align,
    bracketed,
    escape,
    is_word,
    numbered,
    without,
)
from ilpsum.errors import InputError
from ilpsum.files.idf import load_idf, singular, terms
from ilpsum.files.numbers import finite_number
from ilpsum.files.reading import text_lines
from ilpsum.literature.titles import Title

Parse = Literal["parser", "given", "none"]
VARIANT_A = tuple(RULES)[:6]
VARIANT_B = tuple(RULES)
_ARTICLES = frozenset({"a", "an", "the", "A", "An", "The"})

_MARK = re.compile(r":(?=\s|[\"“'‘])|-{2,}|[—―]|(?<=\s)–(?=\s)")
# As published: "a colon or consecutive dashes", one dash in typography.
_STRICT_MARK = re.compile(r":|-{2,}|[—―]")
# "Response to: a title" is one phrase.
_OPEN_END = re.compile(
    r"(?:^|\s)(?:to|of|in|on|for|with|by|from|re|the|an?|and|or|vs\.?)$",
    re.IGNORECASE,
)
_FINAL = " .])}\"”’'"
_WORD = re.compile(r"\w")
# Titles have one or two marks; the limit bounds the time for other texts.
_MOST_MARKS = 20
_EXPECTED = "expected a word, a tab and its IDF, such as gene<TAB>1.59"


@dataclass(frozen=True, slots=True)
class Cut:
    """Text removed by a rule; a piece around an earlier cut is one."""

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
        characters, words: remaining shares of characters and words (`str.split`), in [0,1]; 1 for
            an empty text.
        parse: origin of the parse tree: `given`, `parser`, or `none` if there is no tree, so that
            only patterns were applied.
        fits: whether the text has at most `max_chars` characters, if set.
    """

    id: str
    source: str
    text: str
    rules: tuple[str, ...]
    cuts: tuple[Cut, ...]
    characters: float
    words: float
    parse: Parse
    fits: bool


class _Work:
    """A title during compression, with the cuts so far."""

    def __init__(self, title: Title, tree: Tree | None) -> None:
        self.title = title
        tokens = align(tree, title.text) if tree is not None else None
        self.tokens = tokenize(title.text) if tokens is None else tokens
        self.words = [token.text for token in self.tokens]
        self.tags = [""] * len(self.tokens)
        self.cut = frozenset[int]()
        self.cuts = list[Cut]()
        self.parse: Parse = "none"
        self.root: ParentedTree | None = None
        if tokens is not None and tree is not None:
            self.read(tree, "given")

    @property
    def text(self) -> str:
        """The title without the words cut so far."""
        return realised(self.title.text, self.tokens, self.cut)

    def shortened(self, most: int | None) -> Shortened:
        """Return the title as it is now; it fits if it has at most `most` characters."""
        source = self.title.text
        text = self.text
        rules = tuple(dict.fromkeys(cut.rule for cut in self.cuts))
        characters = _share(text, source)
        words = _share(text.split(), source.split())
        fits = most is None or len(text) <= most
        return Shortened(
            self.title.id,
            source,
            text,
            rules,
            tuple(self.cuts),
            characters,
            words,
            self.parse,
            fits,
        )

    def remaining(self) -> list[int]:
        return [position for position in range(len(self.tokens)) if position not in self.cut]

    def read(self, tree: Tree, parse: Parse) -> None:
        """Set the tree of the remaining words."""
        self.root = numbered(tree, iter(self.remaining()))
        self.parse = parse
        for node in self.root.subtrees(is_word):
            self.tags[node[0].position] = node.label()


def _share(rest: Sequence[str], whole: Sequence[str]) -> float:
    return round(len(rest) / len(whole), 6) if whole else 1.0


class Compressor:
    """Applies rules to texts, and parses texts without a tree."""

    def __init__(self, options: CompressorOptions, parser: Parser) -> None:
        self.options = options
        self.parser = parser

    def compress(self, text: str, tree: Tree | None = None) -> Shortened:
        """Compress one text; see `compress_all`."""
        return self.compress_all([(Title("1", text), tree)])[0]

    def compress_all(self, titles: Sequence[tuple[Title, Tree | None]]) -> list[Shortened]:
        """Compress titles or sentences; only empty texts give empty results.

        Texts without a tree, or with a tree of different words, are parsed in one batch.
        """
        works = [_Work(title, tree) for title, tree in titles]
        # In the paper's order; the subtitle is cut before parsing.
        rules = [rule for rule in RULES if rule in self.options.rules]
        if "subtitle" in rules:
            rules.remove("subtitle")
            for work in works:
                self._apply("subtitle", work)
        self._parse([work for work in works if work.root is None and not self._fits(work)])
        for work in works:
            for rule in rules:
                self._apply(rule, work)
        return [work.shortened(self.options.max_chars) for work in works]

    def _parse(self, works: list[_Work]) -> None:
        """Parse texts without the words already cut."""
        sentences = []
        for work in works:
            words = [work.words[position] for position in work.remaining()]
            sentences.append(parser_words(words))
        for work, tree in zip(works, self.parser.parse(sentences), strict=True):
            if tree is not None:
                work.read(tree, "parser")

    def _fits(self, work: _Work) -> bool:
        most = self.options.max_chars
        return most is not None and len(work.text) <= most

    def _apply(self, rule: str, work: _Work) -> None:
        """Apply those cuts of a rule that leave enough words, unless the text is short enough."""
        if self._fits(work):
            return
        before = work.cut
        tried = list[frozenset[int]]()
        for cut in map(frozenset, self._cuts(rule, work)):
            if any(map(cut.issubset, (work.cut, *tried))):
                continue
            tried.append(cut)
            extended = tidied(work.words, work.tags, work.cut | cut)
            remaining = [word for i, word in enumerate(work.words) if i not in extended]
            # Punctuation is no word, and numbers alone are no title.
            are_words = [word for word in remaining if any(map(str.isalnum, word))]
            has_letter = any(map(str.isalpha, "".join(are_words)))
            if len(are_words) >= self.options.min_words and has_letter:
                work.cut = extended
        if work.cut != before:
            work.cuts += [Cut(rule, piece) for piece in _pieces(work, before)]

    def _cuts(self, rule: str, work: _Work) -> Cuts:
        if rule == "subtitle":
            start, end = subtitle(work.title.text, strict=self.options.strict) or (0, 0)
            return [tuple(i for i, token in enumerate(work.tokens) if start <= token.start < end)]
        if work.root is not None:
            root = without(work.root, work.cut) if work.cut else work.root
            rules = PUBLISHED if self.options.strict else RULES
            return rules[rule](root, self.options) if root is not None else []
        if rule != "dt":
            return []
        # Articles are recognised without a tree; a capital A within a title may be a letter.
        words = work.words
        articles = [i for i in work.remaining() if words[i] in _ARTICLES]
        return [tuple(i for i in articles if words[i] != "A" or i == 0)]


@cache
def compressor_of(options: CompressorOptions, idf: str | Path | None = None) -> Compressor:
    """Return a compressor with our parser; each is created once per process.

    The rule `simple-np` uses an IDF file, by default the shipped one, in place of the IDF in the
    options.

    `InputError` if the IDF file cannot be read.
    """
    if "simple-np" in options.rules:
        options = replace(options, idf=read_word_idf(idf) if idf else load_idf())
    return Compressor(options, load_parser())


def _pieces(work: _Work, before: frozenset[int]) -> list[str]:
    """Return the pieces cut since `before`; those separated only by earlier cuts are joined."""
    pieces = list[str]()
    last = -1
    for _, run in groupby(enumerate(sorted(work.cut - before)), lambda pair: pair[1] - pair[0]):
        positions = [position for _, position in run]
        start, end = work.tokens[positions[0]].start, work.tokens[positions[-1]].end
        piece = work.title.text[start:end]
        if pieces and before.issuperset(range(last + 1, positions[0])):
            pieces[-1] += " " + piece
        else:
            pieces.append(piece)
        last = positions[-1]
    return pieces


def parser_words(words: Sequence[str]) -> list[str]:
    """Convert words to treebank notation; texts in capitals are lower-cased."""
    letters = [*filter(str.isalpha, "".join(words))]
    if len(letters) > 12 and sum(map(str.isupper, letters)) > 0.8 * len(letters):
        words = [words[0].capitalize(), *(word.lower() for word in words[1:])]
    escaped = []
    opened = False
    for word in words:
        if word in ('"', "“", "”", "„", "«", "»"):
            closing = word in ("”", "»") or (word == '"' and opened)
            opened = not closing
            escaped.append("''" if closing else "``")
        else:
            escaped.append(escape(word).replace("—", "--").replace("–", "-").replace("’", "'"))
    return escaped


def subtitle(text: str, *, strict: bool = False) -> tuple[int, int] | None:
    """Rule 1: return start and end (exclusive) of the text after a colon or consecutive dashes, or
    None.

    Exceptions: a colon must be followed by white space or a quotation mark (unlike in the ratio
    1:1), and the marks are ignored at the beginning, within brackets, and after a preposition or
    article; a single dash between phrases counts, too. If `strict`, the first mark decides. The
    final full stop and the bracket around a translated title are kept.
    """
    bracketed = text.lstrip().startswith("[")
    marks = _STRICT_MARK if strict else _MARK
    for mark in islice(marks.finditer(text), _MOST_MARKS):
        before = text[: mark.start()].rstrip()
        if not _WORD.search(text, mark.end()):
            continue
        ends_a_phrase = _WORD.search(before) and not _OPEN_END.search(before[-12:])
        if not strict and (not ends_a_phrase or _unclosed(before) != int(bracketed)):
            continue
        # Final brackets and quotes that belong to the subtitle are removed with it.
        tail = text[max(len(text.rstrip(_FINAL)), mark.end()) :]
        keep = re.search(r"\.?\s*\]?\.?\s*$" if bracketed else r"\.?\s*$", tail[-12:])
        return len(before), len(text) - (len(keep.group()) if keep else 0)
    return None


def _unclosed(text: str) -> int:
    """Count the unclosed brackets of a text."""
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def read_word_idf(path: str | Path) -> Callable[[str], float]:
    """Read a table of lines `word<TAB>IDF`; of a singular and its plural, the lower IDF is used.

    The returned function gives the IDF of a word's rarest term, where an unlisted term has the
    maximum IDF of the table; 0 for a word without letters.

    Raises:
        InputError: the file cannot be read or has no words, or a line is not a word and a number of
            at least 0.
    """
    values: dict[str, float] = {}
    for number, text in text_lines(path):
        if not text.strip():
            continue
        word, _, cell = text.partition("\t")
        value = finite_number(cell)
        if not word.strip() or not value >= 0:
            raise InputError(f"no word with its IDF; {_EXPECTED}", path, number)
        key = singular(word.strip())
        values[key] = min(value, values.get(key, value))
    if not values:
        raise InputError(f"no words; {_EXPECTED}", path)
    rarest = max(values.values())
    return lambda word: max((values.get(term, rarest) for term in terms(word)), default=0.0)


def parse(tokenized: bool, titles: Sequence[Title]) -> list[str]:
    """Return the bracketed tree of each title: a flat one if it cannot be parsed, an empty string
    if it has no words.

    With `tokenized`, words are separated by spaces.
    """
    if tokenized:
        sentences = [[escape(word) for word in title.text.split()] for title in titles]
    else:
        tokens = [tokenize(title.text) for title in titles]
        sentences = [parser_words([token.text for token in of_title]) for of_title in tokens]
    lines = []
    for tree, words in zip(load_parser().parse(sentences), sentences, strict=True):
        if tree is None:
            # It has no words, or more than the parser takes.
            tree = Tree("S1", [Tree("X", [Tree("XX", [word]) for word in words])])
        lines.append(bracketed(tree) if words else "")
    return lines
