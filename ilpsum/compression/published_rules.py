"""Rules 2 to 7 of Lin and Wilbur (2007) as published: each yields the cuts that it allows in a
parsed sentence, the outermost phrase first.

The compressor skips cuts within an earlier one and rejects cuts that leave too little;
`ilpsum.compression.tidy` removes the words that a cut leaves dangling. Rule 1 works on the text,
before parsing: `ilpsum.compression.compressor.subtitle`.

Ours here, too, are the least number of words left, dangling words removed by all rules, and what
the paper's examples settle: adjoined phrases in rule 5 and the head of rule 7.
`ilpsum.compression.rules` has the rules with our exceptions.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from features.registry import Registry
from ilpsum.compression.trees import (
    NOUNS,
    PREPOSITIONS,
    PUNCTUATION,
    ParentedTree,
    ancestors,
    head_verb,
    is_coordination,
    is_phrase,
    is_word,
    positions,
)
from ilpsum.errors import UsageError

# What may stand beside a gerund phrase in the clause that introduces it.
_BESIDE = PUNCTUATION | PREPOSITIONS | {"ADVP", "WHADVP", "WHNP", "RB"}
ADJECTIVES = frozenset({"JJ", "JJR", "JJS", "ADJP"})


@dataclass(frozen=True, slots=True)
class CompressorOptions:
    """Options of title compression.

    Attributes:
        rules: rule names, applied in the order of `PUBLISHED`.
        depth: minimum nesting level of prepositional phrases to cut (rule 4).
        idf_threshold: heads with a larger IDF lose their adjectives (rule 7).
        idf: inverse document frequency of a word; only rule 7 needs it.
        min_words: minimum number of remaining words; cuts that leave fewer are skipped.
        max_chars: stop applying rules when the text is no longer than this; None applies all.
        strict: apply the rules as published, without exceptions.

    Raises:
        UnknownNameError: a rule does not exist.
    """

    rules: tuple[str, ...]
    depth: int = 3
    idf_threshold: float = 2.0
    idf: Callable[[str], float] | None = None
    min_words: int = 2
    max_chars: int | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        for rule in self.rules:
            PUBLISHED[rule]


WordCut = tuple[int, ...]
"""Positions of words that are removed together."""
Cuts = Iterable[WordCut]
Rule = Callable[[ParentedTree, CompressorOptions], Cuts]
PUBLISHED: Registry[Rule] = Registry("rule")


# The compressor applies rule 1 to the text.
PUBLISHED.add("subtitle", lambda _root, _options: ())


@PUBLISHED.register("dt")
def determiners(root: ParentedTree, _options: CompressorOptions) -> Cuts:
    """Rule 2: cut determiners (The role of a gene -> Role of gene)."""
    for node in root.subtrees(is_word):
        if node.label() == "DT":
            yield positions(node)


@PUBLISHED.register("vbg")
def gerund_phrases(root: ParentedTree, _options: CompressorOptions) -> Cuts:
    """Rule 3: cut verb phrases headed by a VBG, with the preposition or conjunction that introduces
    them.
    """
    for node in gerunds(root):
        yield positions(introduced(node))


def gerunds(root: ParentedTree) -> Iterator[ParentedTree]:
    """Yield the verb phrases headed by a VBG, from the outermost."""
    for node in root.subtrees(lambda node: node.label() == "VP"):
        head = head_verb(node)
        if head is not None and head.label() == "VBG":
            yield node


def introduced(node: ParentedTree) -> ParentedTree:
    """Return the outermost clause or prepositional phrase that contains only this verb phrase."""
    for parent in ancestors(node):
        labels = {child.label() for child in parent if child is not node}
        only_introduces = labels <= _BESIDE and parent.label() in ("S", "SBAR", "PP")
        if not only_introduces or parent.parent() is None:
            break
        node = parent
    return node


@PUBLISHED.register("nested-pp")
def nested_prepositional_phrases(root: ParentedTree, options: CompressorOptions) -> Cuts:
    """Rule 4: cut prepositional phrases embedded `options.depth` or more levels deep.

    The modified phrase is level one, and every phrase (PP (IN x) ...) is a further level.
    """
    for node in root.subtrees(_is_prepositional):
        level = 2 + sum(map(_is_prepositional, ancestors(node)))
        if level >= options.depth:
            yield positions(node)


def _is_prepositional(node: ParentedTree) -> bool:
    """Return whether a phrase has the published structure (PP (IN x) ...)."""
    return bool(node.label() == "PP" and is_phrase(node) and node[0].label() == "IN")


@PUBLISHED.register("serial-pp")
def serial_prepositional_phrases(root: ParentedTree, _options: CompressorOptions) -> Cuts:
    """Rule 5: cut all but the first of consecutive phrases (PP (IN x) ...) under one ancestor.

    It cuts "in the mouse" from "therapy for carcinoma in the mouse".
    """
    for node in root.subtrees(is_phrase):
        for _, child in consecutive(node):
            if _is_prepositional(child):
                yield positions(child)


def consecutive(node: ParentedTree) -> Iterator[tuple[ParentedTree, ParentedTree]]:
    """Yield each prepositional phrase within a phrase that follows another, and that other. An
    adjoined phrase (NP (NP (NP x) (PP a)) (PP b)) follows the one before it.
    """
    for previous, child in pairwise(node):
        first = previous if previous.label() == "PP" else _last_adjoined(previous, node.label())
        if child.label() == "PP" and first is not None:
            yield first, child


def _last_adjoined(node: ParentedTree, label: str) -> ParentedTree | None:
    """Return the prepositional phrase at the right edge of a phrase with its parent's label, or
    None.
    """
    while node.label() == label and is_phrase(node) and not is_coordination(node):
        node = node[-1]
        if node.label() == "PP":
            return node
    return None


@PUBLISHED.register("conjoined-np")
def conjoined_noun_phrases(root: ParentedTree, _options: CompressorOptions) -> Cuts:
    """Rule 6: cut the second conjunct of (NP (NP ..) CC (NP ..)), with its conjunction (extraction
    and isolation).
    """
    for node in root.subtrees(lambda node: node.label() == "NP" and is_phrase(node)):
        for first, conjunction, second in zip(node, node[1:], node[2:], strict=False):
            labels = first.label(), conjunction.label(), second.label()
            if labels == ("NP", "CC", "NP"):
                yield positions(conjunction) + positions(second)


@PUBLISHED.register("simple-np")
def simple_noun_phrases(root: ParentedTree, options: CompressorOptions) -> Cuts:
    """Rule 7: cut adjectives before the head of simple noun phrases whose IDF exceeds
    `options.idf_threshold`; `UsageError` if `options.idf` is None.
    """
    for node, head in heavy_phrases(root, options):
        yield _adjectives_before(node, head)


def heavy_phrases(
    root: ParentedTree,
    options: CompressorOptions,
) -> Iterator[tuple[ParentedTree, ParentedTree]]:
    """Yield the simple noun phrases whose head, the rightmost noun, has an IDF above the threshold,
    with this head; `UsageError` if `options.idf` is None.
    """
    if options.idf is None:
        raise UsageError("the rule simple-np needs document frequencies; pass `idf`")
    done = set[int]()
    for node in root.subtrees(lambda node: node.label() == "NP"):
        if not done.isdisjoint(positions(node)) or not _is_simple(node):
            continue
        done.update(positions(node))
        nouns = [word for word in node.subtrees(is_word) if word.label() in NOUNS]
        if nouns and options.idf(nouns[-1][0]) > options.idf_threshold:
            yield node, nouns[-1]


_PHRASES = frozenset({"PP", "S", "SBAR", "VP", "PRN"})


def _is_simple(node: ParentedTree) -> bool:
    """Return whether a phrase has only words, adjective phrases and, at the end, a simple noun
    phrase.
    """
    if is_word(node):
        return True
    for place, child in enumerate(node):
        is_last_phrase = child.label() == "NP" and 0 < place == len(node) - 1
        if not (_is_plain(child) or (is_last_phrase and _is_simple(child))):
            return False
    return True


def _is_plain(node: ParentedTree) -> bool:
    """Return whether a node is a word or an adjective phrase without other phrases."""
    if is_word(node):
        return True
    labels = {part.label() for part in node.subtrees()}
    return node.label() in ("ADJP", "QP") and labels.isdisjoint(_PHRASES)


def _adjectives_before(node: ParentedTree, head: ParentedTree) -> WordCut:
    """Return every adjective before the head, with conjunctions and commas between them."""
    before = set[int]()
    for part in node.subtrees():
        if part.label() in ADJECTIVES:
            before.update(place for place in positions(part) if place < positions(head)[0])
    words = list(node.subtrees(is_word))
    joints = set[int]()
    for left, word, right in zip(words, words[1:], words[2:], strict=False):
        joins = word.label() in ("CC", ",")
        if joins and before.issuperset(positions(left) + positions(right)):
            joints.update(positions(word))
    return tuple(sorted(before | joints))
