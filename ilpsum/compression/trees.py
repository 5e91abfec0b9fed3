"""Constituency trees, and reading and writing of Penn Treebank brackets.

NLTK has trees, too, but takes seconds to import.
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
        children: the node's children in order; empty for a word.
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
        """Yield the words below the node, in order."""
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
    """A phrase as a labelled span of tokens.

    Attributes:
        label: category of the phrase.
        start, end: token positions, end exclusive.
    """

    label: str
    start: int
    end: int


def category(label: str) -> str:
    """Remove functions and indices from a label: `NP-SBJ=1` is an `NP`; `-LRB-` is unchanged."""
    return label if label.startswith("-") else re.split(r"[-=|]", label, maxsplit=1)[0]


def constituents(tree: Tree, start: int = 0) -> list[Constituent]:
    """Return all phrases of a tree from the root down, left to right, without words."""
    if tree.is_leaf:
        return []
    end, below = start, list[Constituent]()
    for child in tree.children:
        below += constituents(child, end)
        end += sum(1 for _ in child.leaves())
    return [Constituent(tree.label, start, end), *below]


def escape(text: str) -> str:
    """Write a token as in a treebank: brackets by name, without white space."""
    return "".join(ESCAPES.get(character, character) for character in text if not character.isspace())


def unescape(word: str) -> str:
    """Convert a treebank's token to plain text: `-LRB-` is an opening parenthesis."""
    return UNESCAPES.get(word) or _BRACKET.sub(lambda name: UNESCAPES[name.group()], word)


def read_tree(text: str, file: str | None = None, line: int | None = None) -> Tree:
    """Parse a bracketed tree, such as `(S1 (NP (NN Expression)))`; a root without a label becomes `S1`.

    Errors name the file and line.

    Raises:
        InputError: brackets are not closed, a node is empty, or text follows the tree.
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
        raise InputError("not a bracketed tree; expected one a line, such as (S1 (NP (NN Expression)))", file, line)
    return root


def _close(label: str, children: list[Tree], words: list[str], file: str | None, line: int | None) -> Tree:
    if bool(children) == bool(words) or len(words) > 1 or not label:
        raise InputError(f"node ({label[:40]} ...): expected one word or phrases, as in the Penn Treebank", file, line)
    return Tree(label, tuple(children), words[0] if words else "")
