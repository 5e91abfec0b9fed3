"""Where the words of a given tree stand in the text that it is a tree of."""

from ilpsum.compression.syntax import Node
from ilpsum.compression.tokens import Token
from ilpsum.compression.trees import Tree, unescape

_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’`", "'"))


def align(tree: Tree, text: str) -> tuple[Token, ...] | None:
    """The words of a tree with their places in a text.

    Quotation marks of any kind are one, and slashes may be escaped, as treebanks write them; white space doesn't count.

    Returns:
        A token for each word of the tree, None where the tree has other words than the text.
    """
    places = [place for place, character in enumerate(text) if not character.isspace()]
    folded = _folded("".join(text[place] for place in places))
    tokens = []
    position = 0
    for leaf in tree.leaves():
        word = leaf.word
        for form in (unescape(word), word.replace("\\/", "/").replace("\\*", "*"), "''", "``"):
            wanted = _folded("".join(form.split()))
            if wanted and folded.startswith(wanted, position):
                break
        else:
            return None
        start, end = places[position], places[position + len(wanted) - 1] + 1
        tokens.append(Token(text[start:end], start, end))
        position += len(wanted)
    return tuple(tokens) if position == len(places) else None


def _folded(text: str) -> str:
    return text.translate(_QUOTES)


def placed(node: Node, positions: tuple[int, ...]) -> Node:
    """The node with its words counted in a longer sentence: word i of the node is word positions[i] there."""
    return Node(
        node.label, tuple(placed(child, positions) for child in node.children), node.word,
        tuple(positions[position] for position in node.positions),
    )  # fmt: skip
