"""Trees with word positions, as the rules use them, and a walk with ancestors."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ilpsum.compression.trees import Tree, category, unescape

VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
PREPOSITIONS = frozenset({"IN", "TO"})
PUNCTUATION = frozenset({",", ".", ":", "-LRB-", "-RRB-", "``", "''", '"', "#", "HYPH"})


@dataclass(frozen=True, slots=True)
class Node:
    """A phrase, or a word with its part of speech.

    Attributes:
        label: category or part of speech, without functions.
        children: the children of a phrase; empty for a word.
        word: the word as plain text; empty for a phrase.
        positions: positions of its words in the sentence, ascending, with gaps where words were cut.
    """

    label: str
    children: tuple["Node", ...]
    word: str
    positions: tuple[int, ...]

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a word."""
        return not self.children

    def leaves(self) -> Iterator["Node"]:
        """Yield the words of the node in order."""
        if self.is_leaf:
            yield self
        for child in self.children:
            yield from child.leaves()


def nodes(tree: Tree, start: int = 0) -> Node:
    """Add word positions to a tree, counted from `start`."""
    if tree.is_leaf:
        return Node(category(tree.label), (), unescape(tree.word), (start,))
    children = []
    for part in tree.children:
        child = nodes(part, start)
        start += len(child.positions)
        children.append(child)
    return Node(category(tree.label), tuple(children), "", tuple(p for child in children for p in child.positions))


def without(node: Node, cut: Collection[int]) -> Node | None:
    """Remove words from a node, and phrases that lose all their words; None if none are left."""
    if not any(position in cut for position in node.positions):
        return node
    children = tuple(rest for child in node.children if (rest := without(child, cut)) is not None)
    if not children:
        return None
    return Node(node.label, children, "", tuple(p for child in children for p in child.positions))


def walk(node: Node, above: tuple[Node, ...] = ()) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Yield every node with its ancestors, outermost first; parents come before their children."""
    yield node, above
    for child in node.children:
        yield from walk(child, (*above, node))


def head_verb(node: Node) -> Node | None:
    """Return the head of a verb phrase: its first verb, or that of its first conjunct."""
    for child in node.children:
        if child.is_leaf and (child.label in VERBS or child.label == "TO"):
            return child
        if child.label == "VP":
            return head_verb(child)
    return None


def is_coordination(node: Node) -> bool:
    """Return whether a phrase coordinates phrases with its own label."""
    labels = [child.label for child in node.children]
    return bool({"CC", "CONJP"} & set(labels)) and labels.count(node.label) > 1


def siblings(node: Node, above: tuple[Node, ...]) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Return the siblings before and after a node."""
    if not above:
        return (), ()
    family = above[-1].children
    place = next(index for index, child in enumerate(family) if child is node)
    return family[:place], family[place + 1 :]
