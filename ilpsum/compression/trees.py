"""Constituency trees: one small frozen record, and Penn Treebank brackets read and written.

NLTK has such trees too, but takes seconds to import, and `ilpsum compress` should answer at once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ilpsum.errors import InputError

_PIECE = re.compile(r"\s*(?:(\()\s*([^\s()]*)|(\))|([^\s()]+))")
ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
UNESCAPES = {name: character for character, name in ESCAPES.items()} | {"``": '"', "''": '"'}
_BRACKET = re.compile(r"-[LR][RSC]B-")


@dataclass(frozen=True, slots=True)
class Tree:
    """A node of a constituency tree.

    Attributes:
        label: the category of a phrase, or the part of speech of a word.
        children: the node's parts in order; empty for a word.
        word: the word as the treebank writes it (`-LRB-` for a parenthesis); empty for a phrase.
    """

    label: str
    children: tuple["Tree", ...] = ()
    word: str = ""

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a word with its part of speech."""
        return not self.children

    def leaves(self) -> Iterator["Tree"]:
        """The words below the node, in order."""
        if self.is_leaf:
            yield self
        for child in self.children:
            yield from child.leaves()

    def __str__(self) -> str:
        if self.is_leaf:
            return f"({self.label} {self.word})"
        return f"({self.label} {' '.join(map(str, self.children))})"


@dataclass(frozen=True, slots=True)
class Constituent:
    """A labelled stretch of tokens: a phrase without its inner structure.

    Attributes:
        label: the phrase's category.
        start, end: token positions, end exclusive.
    """

    label: str
    start: int
    end: int


def category(label: str) -> str:
    """A label without its functions and indices: `NP-SBJ=1` is an `NP`; `-LRB-` stays."""
    return label if label.startswith("-") else re.split(r"[-=|]", label, maxsplit=1)[0]


def constituents(tree: Tree, start: int = 0) -> list[Constituent]:
    """All phrases of a tree from the root down, left to right, words left out."""
    found: list[Constituent] = []
    _collect(tree, start, found)
    return found


def _collect(tree: Tree, start: int, found: list[Constituent]) -> int:
    if tree.is_leaf:
        return start + 1
    place = len(found)
    found.append(Constituent(tree.label, start, start))
    end = start
    for child in tree.children:
        end = _collect(child, end, found)
    found[place] = Constituent(tree.label, start, end)
    return end


def escape(text: str) -> str:
    """A token as a treebank writes it: brackets by name, white space within it dropped."""
    return "".join(ESCAPES.get(character, character) for character in text if not character.isspace())


def unescape(word: str) -> str:
    """A treebank's token as plain text: `-LRB-` is an opening parenthesis again."""
    if word in UNESCAPES:
        return UNESCAPES[word]
    return _BRACKET.sub(lambda name: UNESCAPES[name.group()], word)


def read_tree(text: str, file: str | None = None, line: int | None = None) -> Tree:
    """Reads one bracketed tree.

    Args:
        text: for instance `(S1 (NP (NN Expression)))`; a root without a label is taken as `S1`.
        file: where it stands, for the message.
        line: its line there.

    Raises:
        InputError: where the brackets don't close, a node is empty, or something follows the tree.
    """
    stack: list[tuple[str, list[Tree], list[str]]] = []
    root: Tree | None = None
    position = 0
    text = text.strip()
    while position < len(text) and root is None:
        piece = _PIECE.match(text, position)
        if piece is None:
            break
        position = piece.end()
        if piece.group(1):
            stack.append((piece.group(2) or ("S1" if not stack else ""), [], []))
        elif not stack:
            break
        elif piece.group(4):
            stack[-1][2].append(piece.group(4))
        else:
            node = _close(*stack.pop(), file, line)
            if stack:
                stack[-1][1].append(node)
            else:
                root = node
    if root is None or position < len(text):
        raise InputError("no bracketed tree: expected one such as (S1 (NP (NN Expression))) a line", file, line)
    return root


def _close(label: str, children: list[Tree], words: list[str], file: str | None, line: int | None) -> Tree:
    if bool(children) == bool(words) or len(words) > 1 or not label:
        raise InputError(
            f"a node ({label} ...) must hold either one word or phrases: expected brackets as of the Penn Treebank",
            file,
            line,
        )
    return Tree(label, tuple(children), words[0] if words else "")
