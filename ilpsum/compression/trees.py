"""Constituency trees (NLTK's, in Penn Treebank brackets) and the predicates that the trimming rules
need.

A word with its part of speech is `Tree("NN", ["toad"])`. Trees from a parser or a file have words
in treebank notation (`-LRB-` for a parenthesis). The rules work on trees of `Word`s, which know
their positions: see `numbered`.
"""

import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec, module_from_spec

from ilpsum.compression.tokens import Token
from ilpsum.errors import InputError


@contextmanager
def _without_init(package: str) -> Iterator[None]:
    """Import modules of a package without its `__init__`: NLTK's takes 2 s, to import SciPy and
    scikit-learn.
    """
    spec = find_spec(package)
    if package in sys.modules or spec is None:
        yield
        return
    sys.modules[package] = module_from_spec(spec)
    try:
        yield
    finally:
        del sys.modules[package]


with _without_init("nltk"):
    from nltk.tree import ParentedTree as ParentedTree
    from nltk.tree import Tree as Tree

VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
PREPOSITIONS = frozenset({"IN", "TO"})
PUNCTUATION = frozenset({",", ".", ":", "-LRB-", "-RRB-", "``", "''", '"', "#", "HYPH"})

_ESCAPES = str.maketrans(
    {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
)
_UNESCAPES = {name: chr(character) for character, name in _ESCAPES.items()}
_BRACKET = re.compile(r"-[LR][RSC]B-")
# NLTK's own pattern treats a backslash and the bracket after it as one word.
_UNIT = r"[^\s()]+"
_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’`", "'"))


def escape(text: str) -> str:
    """Convert a token to treebank notation: named brackets, no white space."""
    return "".join(text.split()).translate(_ESCAPES)


def unescape(word: str) -> str:
    """Convert a treebank token to plain text: `-LRB-` is an opening parenthesis."""
    return (
        '"' if word in ("``", "''") else _BRACKET.sub(lambda name: _UNESCAPES[name.group()], word)
    )


@lru_cache(maxsize=1000)
def category(label: str) -> str:
    """Strip function tags and indices from a label: `NP-SBJ=1` is an `NP`; `-LRB-` is unchanged."""
    return label if label.startswith("-") else re.split(r"[-=|]", label, maxsplit=1)[0]


def read_tree(text: str, file: str | None = None, line: int | None = None) -> Tree:
    """Parse a bracketed tree, such as `(S1 (NP (NN Expression)))`; a root without a label becomes
    `S1`.

    Raises:
        InputError: brackets are not closed, text follows the tree, or a node has neither one word
            nor phrases; the error names the file and line.
    """
    try:
        tree = Tree.fromstring(text, node_pattern=_UNIT, leaf_pattern=_UNIT)
        tree.set_label(tree.label() or "S1")
        sound = all(
            node.label() and (is_word(node) or set(map(type, node)) == {Tree})
            for node in tree.subtrees()
        )
    except (ValueError, RecursionError):
        sound = False
    if not sound:
        expected = (
            "expected one a line, such as (S1 (NP (NN Expression))), each node with one "
            "word or phrases"
        )
        raise InputError(f"not a bracketed tree; {expected}", file, line)
    return tree


def bracketed(tree: Tree) -> str:
    """Write a tree on one line."""
    return str(tree.pformat(margin=sys.maxsize))


class Word(str):
    """A word of a sentence as plain text, with its position in the sentence."""

    position: int

    def __new__(cls, text: str, position: int) -> "Word":
        """Create a word with its position."""
        word = super().__new__(cls, text)
        word.position = position
        return word


def numbered(tree: Tree, places: Iterator[int]) -> ParentedTree:
    """Return a tree for the rules: labels without functions, and plain words numbered from
    `places`.
    """
    children: list[Word | ParentedTree] = []
    # A comprehension would use twice as much of the interpreter's stack on a deep tree.
    for child in tree:
        word = isinstance(child, str)
        children.append(Word(unescape(child), next(places)) if word else numbered(child, places))
    return ParentedTree(category(tree.label()), children)


def without(tree: ParentedTree, cut: Collection[int]) -> ParentedTree | None:
    """Return a tree without some words and without phrases that become empty; None if nothing is
    left.
    """
    children: list[Word | ParentedTree] = []
    for child in tree:
        if not isinstance(child, Word):
            child = without(child, cut)
        elif child.position in cut:
            continue
        if child is not None:
            children.append(child)
    return ParentedTree(tree.label(), children) if children else None


def positions(tree: ParentedTree) -> tuple[int, ...]:
    """Return the positions of a tree's words, ascending, with gaps where words were cut."""
    return tuple(word.position for word in tree.leaves())


def is_word(tree: Tree) -> bool:
    """Return whether a tree is a single word with its part of speech."""
    return len(tree) == 1 and isinstance(tree[0], str)


def is_phrase(tree: Tree) -> bool:
    """Return whether a tree is more than a word with its part of speech."""
    return not is_word(tree)


def siblings(tree: ParentedTree) -> tuple[list[ParentedTree], list[ParentedTree]]:
    """Return the siblings before and after a tree."""
    parent = tree.parent()
    if parent is None:
        return [], []
    place = tree.parent_index()
    return list(parent[:place]), list(parent[place + 1 :])


def ancestors(tree: ParentedTree) -> Iterator[ParentedTree]:
    """Yield the phrases that contain a tree, from its parent to the root."""
    while (tree := tree.parent()) is not None:
        yield tree


def head_verb(tree: Tree) -> Tree | None:
    """Return the head of a verb phrase: its first verb, or the head of its first conjunct."""
    for child in () if is_word(tree) else tree:
        if is_word(child) and (child.label() in VERBS or child.label() == "TO"):
            return child
        if child.label() == "VP":
            return head_verb(child)
    return None


def is_coordination(tree: Tree) -> bool:
    """Return whether a phrase coordinates phrases with its own label."""
    labels = [] if is_word(tree) else [child.label() for child in tree]
    return ("CC" in labels or "CONJP" in labels) and labels.count(tree.label()) > 1


def align(tree: Tree, text: str) -> tuple[Token, ...] | None:
    """Return a token of the text for each word of a tree; None if their words differ.

    All quotation marks match each other, slashes may be escaped as in treebanks, and white space is
    ignored.
    """
    offsets = [offset for offset, character in enumerate(text) if not character.isspace()]
    folded = "".join(text[offset] for offset in offsets).translate(_QUOTES)
    tokens = []
    position = 0
    for word in tree.leaves():
        for spelling in (unescape(word), word.replace("\\/", "/").replace("\\*", "*"), "''", "``"):
            expected = "".join(spelling.split()).translate(_QUOTES)
            if expected and folded.startswith(expected, position):
                break
        else:
            return None
        start, end = offsets[position], offsets[position + len(expected) - 1] + 1
        tokens.append(Token(text[start:end], start, end))
        position += len(expected)
    return tuple(tokens) if position == len(offsets) else None
