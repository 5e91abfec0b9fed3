"""Titles in, shorter titles out: the rules in the paper's order, with their guards."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol

from features.registry import Registry
from ilpsum.compression import rules as trimming
from ilpsum.compression.alignment import align, placed
from ilpsum.compression.rules import Cut
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
    """What is cut.

    Attributes:
        rules: names of rules; they are applied in the order of `RULES` whatever their order here.
        depth: level from which on a prepositional phrase counts as nested (rule 4).
        idf_threshold: heads of a larger idf lose their adjectives (rule 7).
        idf: inverse document frequency of a word; needed by rule 7 only.
        min_words: a cut that leaves fewer words is not made.
        max_chars: rules are applied until the text is no longer than this; None applies all.
    """

    rules: tuple[str, ...]
    depth: int = 3
    idf_threshold: float = 2.0
    idf: Callable[[str], float] | None = None
    min_words: int = 2
    max_chars: int | None = None


def _simple(root: Node, options: CompressorOptions) -> list[Cut]:
    if options.idf is None:
        raise UsageError("the rule simple-np needs a table of idf: give one as `idf`")
    return trimming.simple_noun_phrases(root, options.idf, options.idf_threshold)


def _on_text(root: Node, options: CompressorOptions) -> list[Cut]:  # noqa: ARG001  # rule 1 is `Compressor._cut_subtitle`
    return []


def _plain(rule: Callable[[Node], list[Cut]]) -> "Rule":
    return lambda root, _: rule(root)


Rule = Callable[[Node, CompressorOptions], list[Cut]]
RULES: Registry[Rule] = Registry("rule")
RULES.add("subtitle", _on_text)
RULES.add("dt", _plain(trimming.determiners))
RULES.add("vbg", _plain(trimming.gerund_phrases))
RULES.add("nested-pp", lambda root, options: trimming.nested_prepositional_phrases(root, options.depth))
RULES.add("serial-pp", _plain(trimming.serial_prepositional_phrases))
RULES.add("conjoined-np", _plain(trimming.conjoined_noun_phrases))
RULES.add("simple-np", _simple)
VARIANT_A = tuple(RULES)[:6]
VARIANT_B = tuple(RULES)


@dataclass(frozen=True, slots=True)
class Firing:
    """A rule that cut something.

    Attributes:
        rule: its name.
        cuts: the stretches of text it took, in order.
        spans: where they stand in the text; a stretch round an earlier cut is two.
    """

    rule: str
    cuts: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed text.

    Attributes:
        source: the text as it was.
        text: the shorter text; the same where no rule fired.
        firings: the rules that fired, in order.
        parse: where the tree came from; `none` where there is none and only patterns were used.
    """

    source: str
    text: str
    firings: tuple[Firing, ...]
    parse: Parse

    @property
    def character_ratio(self) -> float:
        """Characters that are left, as a share; 1 for an empty text."""
        return len(self.text) / len(self.source) if self.source else 1.0

    @property
    def word_ratio(self) -> float:
        """Words (`str.split`) that are left, as a share; 1 for an empty text."""
        words = len(self.source.split())
        return len(self.text.split()) / words if words else 1.0


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to shorten a sentence.

    Attributes:
        text: the shorter sentence.
        firings: the rules that fired, in order.
    """

    text: str
    firings: tuple[Firing, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules that fired."""
        return tuple(firing.rule for firing in self.firings)


@dataclass(slots=True)
class _Work:
    """A text on its way through the rules."""

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

    def kept(self) -> list[int]:
        return [position for position in range(len(self.tokens)) if position not in self.cut]


class Parses(Protocol):
    """What makes trees of words: `ilpsum.compression.parser.Parser`, or anything like it."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree | None]:
        """A tree for each sentence, None where it cannot be parsed."""


class Compressor:
    """Applies rules to texts.

    Args:
        options: what is cut.
        parser: makes the trees of texts that come without one.
    """

    def __init__(self, options: CompressorOptions, parser: Parses) -> None:
        for rule in options.rules:
            RULES[rule]  # an unknown name is refused here, with the names that exist
        self.options = options
        self.parser = parser

    def compress(self, text: str, tree: Tree | None = None) -> Compressed:
        """Compresses one text, see `compress_all`."""
        return self.compress_all([text], [tree])[0]

    def compress_all(self, texts: Sequence[str], trees: Sequence[Tree | None] | None = None) -> list[Compressed]:
        """Compresses texts; those without a tree are parsed in one batch.

        Args:
            texts: titles or sentences.
            trees: a tree for each, or None; a tree with other words than its text is not used, and the text is parsed.

        Returns:
            A compression for each; never empty where the text isn't.
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
        """Shorter forms of one sentence, see `variants_all`."""
        return self.variants_all([sentence], [tree])[0]

    def variants_all(
        self, sentences: Sequence[str], trees: Sequence[Tree | None] | None = None
    ) -> list[tuple[Variant, ...]]:
        """Shorter forms of sentences: each rule alone, and the rules up to each in the paper's order.

        Args:
            sentences: sentences or titles.
            trees: a tree for each, or None; those without one are parsed in one batch.

        Returns:
            For each sentence its variants, the longest first, each text once; the sentence itself is not among them.
        """
        works = [
            self._prepared(text, tree) for text, tree in zip(sentences, trees or [None] * len(sentences), strict=True)
        ]
        self._parse([work for work in works if work.root is None])
        return [self._variants(work) for work in works]

    def _variants(self, whole: _Work) -> tuple[Variant, ...]:
        chosen = [name for name in RULES if name in self.options.rules]
        found: dict[str, tuple[Firing, ...]] = {}
        for rules in [(name,) for name in chosen] + [tuple(chosen[:end]) for end in range(2, len(chosen) + 1)]:
            work = _Work(whole.text, whole.tokens, whole.parse, whole.words, whole.tags, whole.root)
            for rule in rules:
                self._apply(rule, work)
            if work.cut:
                found.setdefault(work.result, tuple(work.firings))
        ordered = sorted(found.items(), key=lambda pair: (-len(pair[0]), pair[0]))
        return tuple(Variant(text, firings) for text, firings in ordered)

    def _prepared(self, text: str, tree: Tree | None) -> _Work:
        tokens = align(tree, text) if tree is not None else None
        if tree is not None and tokens is not None:
            root = nodes(tree)
            leaves = list(root.leaves())
            words = [token.text for token in tokens]
            return _Work(text, tokens, "given", words, [leaf.label for leaf in leaves], root)
        tokens = tokenize(text)
        return _Work(text, tokens, "none", [token.text for token in tokens], [""] * len(tokens))

    def _parse(self, works: list[_Work]) -> None:
        """Gives the texts their trees; what is cut already is not parsed."""
        places = [tuple(work.kept()) for work in works]
        sentences = [parser_words([work.words[p] for p in kept]) for work, kept in zip(works, places, strict=True)]
        for work, kept, tree in zip(works, places, self.parser.parse(sentences), strict=True):
            if tree is None:
                continue
            work.root, work.parse = placed(nodes(tree), kept), "parser"
            for leaf in work.root.leaves():
                work.tags[leaf.positions[0]] = leaf.label

    def _fits(self, work: _Work) -> bool:
        return self.options.max_chars is not None and len(work.result) <= self.options.max_chars

    def _cut_subtitle(self, work: _Work) -> None:
        found = subtitle(work.text)
        if found is not None:
            start, end = found
            self._take(work, "subtitle", [tuple(i for i, t in enumerate(work.tokens) if start <= t.start < end)])

    def _apply(self, rule: str, work: _Work) -> None:
        if rule == "subtitle":
            self._cut_subtitle(work)
        elif work.root is not None:
            root = without(work.root, work.cut)
            self._take(work, rule, RULES[rule](root, self.options) if root is not None else [])
        elif rule == "dt" and work.parse == "none":
            articles = tuple(i for i in work.kept() if work.words[i] in _ARTICLES and (work.words[i] != "A" or i == 0))
            self._take(work, rule, [articles] if articles else [])

    def _take(self, work: _Work, rule: str, cuts: list[Cut]) -> None:
        """Makes the cuts that leave enough."""
        before = work.cut
        for cut in cuts:
            if set(cut) <= work.cut:
                continue
            gone = tidied(work.words, work.tags, work.cut | set(cut))
            left = [w for i, w in enumerate(work.words) if i not in gone and any(map(str.isalnum, w))]
            if len(left) >= self.options.min_words and any(any(map(str.isalpha, word)) for word in left):
                work.cut = gone
        new = sorted(work.cut - before)
        if new:
            work.firings.append(Firing(rule, _stretches(work, new, before), _spans(work, new)))


def _stretches(work: _Work, positions: list[int], before: frozenset[int]) -> tuple[str, ...]:
    """The text of runs of words that were neighbours in what was left before."""
    runs: list[list[int]] = []
    for position in positions:
        if runs and all(between in before for between in range(runs[-1][-1] + 1, position)):
            runs[-1].append(position)
        else:
            runs.append([position])
    return tuple(_stretch(work, run) for run in runs)


def _spans(work: _Work, positions: list[int]) -> tuple[Span, ...]:
    """Where words stand in the text, neighbours as one."""
    edges = [i for i, position in enumerate(positions) if not i or positions[i - 1] + 1 < position]
    runs = [positions[start:end] for start, end in pairwise([*edges, len(positions)])]
    return tuple(Span(work.tokens[run[0]].start, work.tokens[run[-1]].end) for run in runs)


def _stretch(work: _Work, run: list[int]) -> str:
    pieces = [work.words[run[0]]]
    for left, right in pairwise(run):
        gap = work.text[work.tokens[left].end : work.tokens[right].start] if right == left + 1 else " "
        pieces += [gap, work.words[right]]
    return "".join(pieces)


def parser_words(words: Sequence[str]) -> list[str]:
    """Words as the treebank writes them; a text all in capitals is read in lower case."""
    letters = [character for word in words for character in word if character.isalpha()]
    if len(letters) > 12 and sum(map(str.isupper, letters)) > 0.8 * len(letters):
        words = [words[0].capitalize(), *(word.lower() for word in words[1:])]
    found = []
    opened = False
    for word in words:
        if word in ('"', "“", "”", "„", "«", "»"):
            closing = word in ("”", "»") or (word == '"' and opened)
            opened = not closing
            found.append("''" if closing else "``")
        else:
            found.append(escape(word).replace("—", "--").replace("–", "-").replace("’", "'"))
    return found
