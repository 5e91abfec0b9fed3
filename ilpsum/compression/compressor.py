"""The compressor: applies the rules in the paper's order, within limits on what must be left."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol

from features.registry import Registry
from ilpsum.compression import rules as trimming
from ilpsum.compression import strict
from ilpsum.compression.alignment import align, placed
from ilpsum.compression.rules import WordCut
from ilpsum.compression.subtitle import subtitle
from ilpsum.compression.syntax import Node, nodes, without
from ilpsum.compression.tidy import realised, tidied
from ilpsum.compression.tokens import Token, tokenize
from ilpsum.compression.trees import Tree, escape
from ilpsum.errors import UsageError
from ilpsum.records import Span

Parse = Literal["parser", "given", "none"]
_ARTICLES = frozenset({"a", "an", "the", "A", "An", "The"})


@dataclass(frozen=True, slots=True)
class CompressorOptions:
    """Options of compression.

    Attributes:
        rules: names of rules, applied in the order of `RULES`.
        depth: lowest level of nested prepositional phrases (rule 4).
        idf_threshold: heads with a larger idf lose their adjectives (rule 7).
        idf: inverse document frequency of a word; only rule 7 needs it.
        min_words: cuts that leave fewer words are not made.
        max_chars: stop applying rules when the text is no longer than this; None applies all.
        strict: rules 2, 3, 6 and 7 as published, without exceptions (`ilpsum.compression.strict`).
    """

    rules: tuple[str, ...]
    depth: int = 3
    idf_threshold: float = 2.0
    idf: Callable[[str], float] | None = None
    min_words: int = 2
    max_chars: int | None = None
    strict: bool = False


def _simple(root: Node, options: CompressorOptions) -> list[WordCut]:
    if options.idf is None:
        raise UsageError("the rule simple-np needs document frequencies; pass `idf`")
    rule = strict.simple_noun_phrases if options.strict else trimming.simple_noun_phrases
    return rule(root, options.idf, options.idf_threshold)


def _plain(rule: Callable[[Node], list[WordCut]], strict: Callable[[Node], list[WordCut]] | None = None) -> "Rule":
    return lambda root, options: (strict if strict and options.strict else rule)(root)


Rule = Callable[[Node, CompressorOptions], list[WordCut]]
RULES: Registry[Rule] = Registry("rule")
RULES.add("subtitle", lambda _root, _options: [])  # `Compressor._cut_subtitle` applies rule 1, to the text.
RULES.add("dt", _plain(trimming.determiners, strict.determiners))
RULES.add("vbg", _plain(trimming.gerund_phrases, strict.gerund_phrases))
RULES.add("nested-pp", lambda root, options: trimming.nested_prepositional_phrases(root, options.depth))
RULES.add("serial-pp", _plain(trimming.serial_prepositional_phrases))
RULES.add("conjoined-np", _plain(trimming.conjoined_noun_phrases, strict.conjoined_noun_phrases))
RULES.add("simple-np", _simple)
VARIANT_A = tuple(RULES)[:6]
VARIANT_B = tuple(RULES)


@dataclass(frozen=True, slots=True)
class Firing:
    """A rule that cut something.

    Attributes:
        rule: name of the rule.
        cuts: the removed pieces of text, in order.
        spans: their spans in the text; a piece that contains an earlier cut has two.
    """

    rule: str
    cuts: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed text.

    Attributes:
        source: the original text.
        text: the compressed text; equal to the source if no rule fired.
        firings: the rules that fired, in order.
        parse: source of the tree; `none` if there is no tree and only patterns were applied.
    """

    source: str
    text: str
    firings: tuple[Firing, ...]
    parse: Parse

    @property
    def character_ratio(self) -> float:
        """Share of characters left; 1 for an empty text."""
        return len(self.text) / len(self.source) if self.source else 1.0

    @property
    def word_ratio(self) -> float:
        """Share of words (`str.split`) left; 1 for an empty text."""
        words = len(self.source.split())
        return len(self.text.split()) / words if words else 1.0


@dataclass(frozen=True, slots=True)
class Variant:
    """A compressed variant of a sentence.

    Attributes:
        text: the shorter sentence.
        firings: the rules that fired, in order.
    """

    text: str
    firings: tuple[Firing, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """Names of the rules that fired."""
        return tuple(firing.rule for firing in self.firings)


@dataclass(slots=True)
class _Work:
    """A text during compression."""

    text: str
    tokens: tuple[Token, ...]
    parse: Parse
    words: list[str]
    tags: list[str]
    root: Node | None = None
    cut: frozenset[int] = frozenset()
    firings: list[Firing] = field(default_factory=list)

    @property
    def result(self) -> str:
        return realised(self.text, self.tokens, self.cut)

    def remaining(self) -> list[int]:
        return [position for position in range(len(self.tokens)) if position not in self.cut]


class Parses(Protocol):
    """A parser, such as `ilpsum.compression.parser.Parser`."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree | None]:
        """Return a tree for each sentence, or None if it cannot be parsed."""


class Compressor:
    """Applies rules to texts; the parser parses those without a tree.

    Raises:
        UnknownNameError: a rule does not exist.
    """

    def __init__(self, options: CompressorOptions, parser: Parses) -> None:
        for rule in options.rules:
            RULES[rule]
        self.options = options
        self.parser = parser

    def compress(self, text: str, tree: Tree | None = None) -> Compressed:
        """Compress one text; see `compress_all`."""
        return self.compress_all([text], [tree])[0]

    def compress_all(self, texts: Sequence[str], trees: Sequence[Tree | None] | None = None) -> list[Compressed]:
        """Compress titles or sentences; only empty texts give empty results.

        Texts without a tree, or whose tree has other words, are parsed in one batch.
        """
        works = [self._prepared(text, tree) for text, tree in zip(texts, trees or [None] * len(texts), strict=True)]
        for work in works:
            if "subtitle" in self.options.rules and not self._fits(work):
                self._cut_subtitle(work)
        self._parse([work for work in works if work.root is None and not self._fits(work)])
        for work in works:
            for rule in (name for name in RULES if name in self.options.rules and name != "subtitle"):
                if not self._fits(work):
                    self._apply(rule, work)
        return [Compressed(w.text, w.result, tuple(w.firings), w.parse) for w in works]

    def variants(self, sentence: str, tree: Tree | None = None) -> tuple[Variant, ...]:
        """Return compressed variants of one sentence; see `variants_all`."""
        return self.variants_all([sentence], [tree])[0]

    def variants_all(
        self, sentences: Sequence[str], trees: Sequence[Tree | None] | None = None
    ) -> list[tuple[Variant, ...]]:
        """Return compressed variants of sentences: by each rule alone, and by the first two, three, ... rules.

        Those of a sentence are sorted, longest first, without duplicates and without the sentence itself. Sentences
        without a tree are parsed in one batch.
        """
        works = [
            self._prepared(text, tree) for text, tree in zip(sentences, trees or [None] * len(sentences), strict=True)
        ]
        self._parse([work for work in works if work.root is None])
        return [self._variants(work) for work in works]

    def _variants(self, whole: _Work) -> tuple[Variant, ...]:
        names = [name for name in RULES if name in self.options.rules]
        variants: dict[str, tuple[Firing, ...]] = {}
        for rules in [(name,) for name in names] + [tuple(names[:end]) for end in range(2, len(names) + 1)]:
            work = _Work(whole.text, whole.tokens, whole.parse, whole.words, whole.tags, whole.root)
            for rule in rules:
                self._apply(rule, work)
            if work.cut:
                variants.setdefault(work.result, tuple(work.firings))
        ordered = sorted(variants.items(), key=lambda pair: (-len(pair[0]), pair[0]))
        return tuple(Variant(text, firings) for text, firings in ordered)

    def _prepared(self, text: str, tree: Tree | None) -> _Work:
        tokens = align(tree, text) if tree is not None else None
        if tree is not None and tokens is not None:
            root = nodes(tree)
            tags = [leaf.label for leaf in root.leaves()]
            return _Work(text, tokens, "given", [token.text for token in tokens], tags, root)
        tokens = tokenize(text)
        return _Work(text, tokens, "none", [token.text for token in tokens], [""] * len(tokens))

    def _parse(self, works: list[_Work]) -> None:
        """Parse texts, without the words already cut."""
        remaining = [tuple(work.remaining()) for work in works]
        sentences = [parser_words([work.words[p] for p in left]) for work, left in zip(works, remaining, strict=True)]
        for work, left, tree in zip(works, remaining, self.parser.parse(sentences), strict=True):
            if tree is None:
                continue
            work.root, work.parse = placed(nodes(tree), left), "parser"
            for leaf in work.root.leaves():
                work.tags[leaf.positions[0]] = leaf.label

    def _fits(self, work: _Work) -> bool:
        return self.options.max_chars is not None and len(work.result) <= self.options.max_chars

    def _cut_subtitle(self, work: _Work) -> None:
        if span := subtitle(work.text):
            start, end = span
            self._take(work, "subtitle", [tuple(i for i, t in enumerate(work.tokens) if start <= t.start < end)])

    def _apply(self, rule: str, work: _Work) -> None:
        if rule == "subtitle":
            self._cut_subtitle(work)
        elif work.root is not None:
            root = without(work.root, work.cut)
            self._take(work, rule, RULES[rule](root, self.options) if root is not None else [])
        elif rule == "dt" and work.parse == "none":
            articles = [i for i in work.remaining() if work.words[i] in _ARTICLES and (work.words[i] != "A" or i == 0)]
            self._take(work, rule, [tuple(articles)])

    def _take(self, work: _Work, rule: str, cuts: list[WordCut]) -> None:
        """Make the cuts that leave enough words."""
        before = work.cut
        for cut in cuts:
            if set(cut) <= work.cut:
                continue
            extended = tidied(work.words, work.tags, work.cut | set(cut))
            left = [w for i, w in enumerate(work.words) if i not in extended and any(map(str.isalnum, w))]
            if len(left) >= self.options.min_words and any(any(map(str.isalpha, word)) for word in left):
                work.cut = extended
        if new := sorted(work.cut - before):
            work.firings.append(Firing(rule, _pieces(work, new, before), _spans(work, new)))


def _pieces(work: _Work, positions: list[int], before: frozenset[int]) -> tuple[str, ...]:
    """Return the removed pieces of text; words with only earlier cuts between them form one piece."""
    groups: list[list[int]] = []
    for position in positions:
        if groups and all(between in before for between in range(groups[-1][-1] + 1, position)):
            groups[-1].append(position)
        else:
            groups.append([position])
    return tuple(_piece(work, group) for group in groups)


def _spans(work: _Work, positions: list[int]) -> tuple[Span, ...]:
    """Return the spans of words in the text; neighbours form one span."""
    edges = [i for i, position in enumerate(positions) if not i or positions[i - 1] + 1 < position]
    groups = [positions[start:end] for start, end in pairwise([*edges, len(positions)])]
    return tuple(Span(work.tokens[group[0]].start, work.tokens[group[-1]].end) for group in groups)


def _piece(work: _Work, group: list[int]) -> str:
    parts = [work.words[group[0]]]
    for left, right in pairwise(group):
        gap = work.text[work.tokens[left].end : work.tokens[right].start] if right == left + 1 else " "
        parts += [gap, work.words[right]]
    return "".join(parts)


def parser_words(words: Sequence[str]) -> list[str]:
    """Write words as in the treebank; texts in capitals are lower-cased."""
    letters = [character for word in words for character in word if character.isalpha()]
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
