"""Alignment of a tree's words with the text."""

from ilpsum.compression.syntax import Node
from ilpsum.compression.tokens import Token
from ilpsum.compression.trees import Tree, unescape

_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’`", "'"))


def align(tree: Tree, text: str) -> tuple[Token, ...] | None:
    """Return a token of the text for each word of a tree, or None if its words are not those of the text.

    All quotation marks are equal, slashes may be escaped as in treebanks, and white space is ignored.
    """
    offsets = [offset for offset, character in enumerate(text) if not character.isspace()]
    folded = _folded("".join(text[offset] for offset in offsets))
    tokens = []
    position = 0
    for leaf in tree.leaves():
        word = leaf.word
        for spelling in (unescape(word), word.replace("\\/", "/").replace("\\*", "*"), "''", "``"):
            expected = _folded("".join(spelling.split()))
            if expected and folded.startswith(expected, position):
                break
        else:
            return None
        start, end = offsets[position], offsets[position + len(expected) - 1] + 1
        tokens.append(Token(text[start:end], start, end))
        position += len(expected)
    return tuple(tokens) if position == len(offsets) else None


def _folded(text: str) -> str:
    return text.translate(_QUOTES)


def placed(node: Node, positions: tuple[int, ...]) -> Node:
    """Renumber the words of a node: word i becomes word positions[i] of a longer sentence."""
    return Node(
        node.label, tuple(placed(child, positions) for child in node.children), node.word,
        tuple(positions[position] for position in node.positions),
    )  # fmt: skip
