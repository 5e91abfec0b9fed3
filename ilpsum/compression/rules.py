"""The seven trimming rules of Lin and Wilbur (2007): each returns the cuts that it allows in a parsed sentence.

Cuts are in the order of the text. A cut is a set of word positions removed together; `ilpsum.compression.tidy` then
removes words that dangle, and the compressor rejects cuts that leave too little. Rule 1 works on the text, before
parsing: `ilpsum.compression.subtitle`.
"""

from collections.abc import Callable

from ilpsum.compression.syntax import (
    NOUNS,
    PREPOSITIONS,
    PUNCTUATION,
    VERBS,
    Node,
    head_verb,
    is_coordination,
    siblings,
    walk,
)

WordCut = tuple[int, ...]
"""Positions of words that are removed together."""

# Determiners that carry meaning: "no effect" is not "effect".
_KEPT_DETERMINERS = frozenset({"no", "neither", "either", "nor", "both", "not"})
_KEPT_CONJUNCTIONS = frozenset({"but", "nor", "neither", "versus", "vs", "vs.", "not", "than", "yet"})
_PAIRED_PREPOSITIONS = frozenset({"between", "among", "amongst"})
_QUANTITIES = frozenset("few little lot number third quarter fifth tenth half".split())
_TIMES = frozenset("hour day week month year".split())
# Nouns that form a complex preposition: "in the presence of", "by means of".
_PREPOSITIONAL_NOUNS = frozenset(
    """absence addition basis case combination context course favor favour front level lieu light means place presence
    regard relation respect response result spite terms use virtue""".split()
)
_COMPLEMENT_TAKING = frozenset({"VB", "VBD", "VBP", "VBZ"})


def determiners(root: Node) -> list[WordCut]:
    """Rule 2: cut determiners.

    Kept are determiners that negate or pair (no, neither, either, both), that are the whole phrase (this is), that
    belong to a quantity (a few, a third, once a day), and an A that is a name (vitamin A), whatever its tag.

    Example:
        The role of a gene -> Role of gene
    """
    cuts = []
    first, title_case, previous = root.positions[0], _title_case(root), ""
    for node, above in walk(root):
        if not node.is_leaf:
            continue
        before, previous = previous, node.word
        if node.label != "DT" or node.word.lower() in _KEPT_DETERMINERS or not above:
            continue
        _, after = siblings(node, above)
        if not any(child.label not in PUNCTUATION for child in after):
            continue
        if node.word.lower() in ("a", "an") and _is_quantity(before, next(after[0].leaves()).word.lower()):
            continue
        initial = node.positions[0] == first or before in {":", "-", "--", "—", "–", "[", "(", '"', ".", "?", "“"}
        if node.word == "A" and not initial and not title_case:
            continue
        cuts.append(node.positions)
    return cuts


def _is_quantity(before: str, noun: str) -> bool:
    """Return whether "a" belongs to a quantity (a third) or a rate (twice a day)."""
    often = before.lower() in {"once", "twice", "times", "time", "hours", "mg", "g", "ml"} or before.isdigit()
    return noun in _QUANTITIES or (noun in _TIMES and often)


def _title_case(root: Node) -> bool:
    words = [leaf.word for leaf in root.leaves() if leaf.word[:1].isalpha() and len(leaf.word) > 3]
    return sum(word[0].isupper() for word in words) > 0.6 * len(words)


def gerund_phrases(root: Node) -> list[WordCut]:
    """Rule 3: cut verb phrases headed by a VBG, with the preposition or conjunction that introduces them.

    Kept are phrases at the beginning of the title, subjects, progressives (is showing), and objects of verbs (stop
    smoking).

    Example:
        patients receiving aspirin -> patients; by blocking NF-kappaB -> (nothing)
    """
    cuts: list[WordCut] = []
    for node, above in walk(root):
        head = head_verb(node) if node.label == "VP" else None
        if head is None or head.label != "VBG" or _covered(node, cuts):
            continue
        target, path = introduced(node, above)
        if target.positions[0] == root.positions[0] or not path:
            continue
        before, after = siblings(target, path)
        parent = path[-1]
        if parent.label == "VP" and (
            any(child.is_leaf and child.label in VERBS for child in before)
            and (target.label == "VP" or (target.label == "S" and before[-1].label in _COMPLEMENT_TAKING))
        ):
            continue
        has_subject = any(child.label == "NP" for child in before)
        if target.label == "S" and not has_subject and any(child.label == "VP" for child in after):
            continue
        if {"both", "either", "neither"} & {child.word.lower() for child in before}:
            continue
        cuts.append(_with_conjunction(target, before, after))
    return cuts


def introduced(node: Node, above: tuple[Node, ...]) -> tuple[Node, tuple[Node, ...]]:
    """Return the outermost clause or prepositional phrase that contains only this verb phrase, and its ancestors."""
    while above:
        parent = above[-1]
        others = [c for c in parent.children if c is not node and c.label not in PUNCTUATION and c.label != "ADVP"]
        bare = parent.label in ("S", "SBAR", "PP") and all(
            c.label in PREPOSITIONS or c.label in ("WHADVP", "WHNP", "RB") for c in others
        )
        if not bare or len(above) == 1:
            break
        node, above = parent, above[:-1]
    return node, above


def _with_conjunction(target: Node, before: tuple[Node, ...], after: tuple[Node, ...]) -> WordCut:
    """Return the positions of a phrase, with those of its conjunction if it is a conjunct."""
    if before and before[-1].label in ("CC", "CONJP"):
        return before[-1].positions + target.positions
    if after and after[0].label in ("CC", "CONJP") and not any(child.label == target.label for child in before):
        return target.positions + after[0].positions
    return target.positions


def _covered(node: Node, cuts: list[WordCut]) -> bool:
    return any(set(node.positions) <= set(cut) for cut in cuts)


def nested_prepositional_phrases(root: Node, depth: int = 3) -> list[WordCut]:
    """Rule 4: cut prepositional phrases embedded `depth` or more levels deep.

    The modified phrase is level one, its prepositional phrase level two, a prepositional phrase within that level
    three. So depth 3 cuts "in carcinomas of the lung" from "analysis of isoforms in carcinomas of the lung", as in the
    paper's example. Coordinated prepositional phrases are one level, as are two that form a complex preposition (in the
    presence of X). Complements of adjectives and participles (related to X, treated with X) are kept. The depth is 3 or
    more; larger numbers cut less.
    """
    cuts: list[WordCut] = []
    for node, above in walk(root):
        if node.label != "PP" or _covered(node, cuts) or _governed(node, above):
            continue
        levels = sum(
            outer.label == "PP" and inner.label != "PP" and not is_coordination(outer) and not _is_compound(outer)
            for outer, inner in zip(above, (*above[1:], node), strict=True)
        )
        if levels >= depth - 2 and above[-1].label != "PP":
            cuts.append(node.positions)
    return cuts


def _is_compound(node: Node) -> bool:
    """Return whether a phrase begins with a complex preposition."""
    words = [leaf for leaf in list(node.leaves())[:4] if leaf.label != "DT"]
    return len(words) > 2 and words[1].word.lower() in _PREPOSITIONAL_NOUNS and words[2].label in PREPOSITIONS


def _governed(node: Node, above: tuple[Node, ...]) -> bool:
    """Return whether a phrase is the complement of the adjective or participle before it."""
    before, _ = siblings(node, above)
    if not before:
        return True
    parent = above[-1].label
    return parent in ("ADJP", "ADVP", "QP") or (parent == "VP" and before[-1].is_leaf and before[-1].label in VERBS)


def serial_prepositional_phrases(root: Node) -> list[WordCut]:
    """Rule 5: cut all but the first of consecutive prepositional phrases under one ancestor.

    An adjoined phrase (NP (NP (NP x) (PP a)) (PP b)) is consecutive to the one before it. "From ... to ..." is one
    phrase.

    Example:
        therapy for carcinoma in the mouse -> therapy for carcinoma
    """
    cuts: list[WordCut] = []
    for node, _ in walk(root):
        if _covered(node, cuts) or is_coordination(node):
            continue
        previous: Node | None = None
        for child in node.children:
            if child.label == "PP" and previous is not None:
                first = previous if previous.label == "PP" else _last_adjoined(previous, node.label)
                pair = first is not None and (_preposition(first), _preposition(child)) == ("from", "to")
                if first is not None and not pair and not _covered(child, cuts):
                    cuts.append(child.positions)
            previous = child
    return cuts


def _last_adjoined(node: Node, label: str) -> Node | None:
    """Return the prepositional phrase at the right edge of a phrase with its parent's label, or None."""
    while node.label == label and node.children and not is_coordination(node):
        node = node.children[-1]
        if node.label == "PP":
            return node
    return None


def _preposition(node: Node) -> str:
    return next(node.leaves()).word.lower()


def conjoined_noun_phrases(root: Node) -> list[WordCut]:
    """Rule 6: cut the second conjunct of (NP (NP ..) CC (NP ..)), with its conjunction.

    Two nouns in a flat phrase (NP (NN a) (CC and) (NN b)) are also conjuncts. Kept are conjoined adjectives, lists of
    three or more, conjuncts after "between", contrasts (but, versus), and conjuncts without which a plural verb would
    not agree.

    Example:
        extraction and isolation of lipids -> extraction of lipids
    """
    cuts: list[WordCut] = []
    for node, above in walk(root):
        # A parser that misses the noun phrase around a coordination attaches its conjuncts to the preposition.
        if node.label not in ("NP", "NX", "PP") or _covered(node, cuts) or _needs_both(node, above):
            continue
        place = _second_conjunct(node)
        if place is None:
            continue
        family = node.children
        conjunction = next(i for i in range(place - 1, -1, -1) if family[i].label == "CC")
        if family[conjunction].word.lower() in _KEPT_CONJUNCTIONS or _verb_needs_plural(node, above, family[0]):
            continue
        opening = family[0].positions if family[0].label == "CC" else ()
        if opening and family[0].word.lower() not in ("both", "either"):
            continue
        joint = tuple(
            p for child in family[conjunction - 1 : place + 1] if child.label in ("CC", ",") for p in child.positions
        )
        cuts.append((*opening, *joint, *family[place].positions))
    return cuts


def _second_conjunct(node: Node) -> int | None:
    """Return the index of the second of exactly two conjuncts, or None."""
    family = node.children
    places = [i for i, child in enumerate(family) if child.label == "CC" and i > 0]
    if len(places) != 1 or not 0 < places[0] < len(family) - 1:
        return None
    place = places[0]
    first = place - 2 if family[place - 1].label == "," and place > 1 else place - 1
    before, after = family[first], family[place + 1]
    if any(child.label == "," for child in family[:first]):
        return None
    if before.label == after.label == "NP":
        # GENIA writes joined adjectives as noun phrases without a noun: (NP (NP (ADJP in vitro)) (CC and) ...).
        conjoined = _has_noun(before) and _has_noun(after)
    else:
        flat = all(child.is_leaf for child in family) and place + 2 == len(family)
        conjoined = flat and before.label in NOUNS and after.label in NOUNS
    return place + 1 if conjoined else None


def _has_noun(node: Node) -> bool:
    return any(leaf.label in NOUNS or leaf.label in ("PRP", "CD") for leaf in node.leaves())


def _needs_both(node: Node, above: tuple[Node, ...]) -> bool:
    """Return whether a coordination follows "between" or a similar preposition."""
    for outer in reversed(above):
        if outer.label == "PP":
            return _preposition(outer) in _PAIRED_PREPOSITIONS and outer.positions[1:2] == node.positions[:1]
        if outer.label != "NP":
            return False
    return False


def _verb_needs_plural(node: Node, above: tuple[Node, ...], first: Node) -> bool:
    """Return whether a coordination is the subject of a plural verb but its first conjunct is singular."""
    heads = [leaf for leaf in first.leaves() if leaf.label in NOUNS]
    if heads and heads[-1].label in ("NNS", "NNPS"):
        return False
    child = node
    for outer in reversed(above):
        if outer.label in ("S", "SINV", "SQ"):
            _, after = siblings(child, (outer,))
            verbs = [head_verb(phrase) for phrase in after if phrase.label == "VP"]
            return any(verb and (verb.label == "VBP" or verb.word.lower() == "were") for verb in verbs)
        if outer.label != "NP" or outer.positions[0] != child.positions[0]:
            return False
        child = outer
    return False


def leading_adjectives(node: Node) -> WordCut:
    """Return adjectives and adjective phrases before the first noun, with conjunctions and commas between them."""
    cut: list[int] = []
    pending: list[int] = []
    for child in node.children:
        if child.label == "NP":
            return (*cut, *pending, *inner) if (inner := leading_adjectives(child)) else tuple(cut)
        if child.label in NOUNS:
            break
        if child.label in ("JJ", "JJR", "JJS", "ADJP"):
            cut += [*pending, *child.positions]
            pending = []
        elif cut and child.label in ("CC", ",", "RB"):
            pending += child.positions
        else:
            pending = []
    # Without the conjunction between an adjective and a noun (new and T cells) the phrase would fall apart.
    return () if pending else tuple(cut)


def simple_noun_phrases(
    root: Node,
    idf: Callable[[str], float],
    threshold: float = 2.0,
    adjectives: Callable[[Node], WordCut] = leading_adjectives,
) -> list[WordCut]:
    """Rule 7: cut adjectives in simple noun phrases if the idf of the head exceeds a threshold.

    A simple noun phrase contains words, adjective phrases and numbers, but no other phrase; its head is its rightmost
    noun. Lightweight heads keep their adjectives, which carry the meaning. Only adjectives before the first noun are
    cut: one between nouns (T cell-specific factor) is part of a name. Other `adjectives` of a phrase may be given.
    """
    cuts: list[WordCut] = []
    done: set[int] = set()
    for node, _ in walk(root):
        if node.label != "NP" or not done.isdisjoint(node.positions) or not _is_simple(node):
            continue
        done.update(node.positions)
        nouns = [leaf for leaf in node.leaves() if leaf.label in NOUNS]
        if nouns and idf(nouns[-1].word) > threshold and (cut := adjectives(node)):
            cuts.append(cut)
    return cuts


def _is_simple(node: Node) -> bool:
    """Return whether a phrase has only words, adjective phrases and, at the end, a simple noun phrase."""
    return all(
        child.is_leaf
        or (
            child.label in ("ADJP", "QP")
            and not any(p.label in ("PP", "S", "SBAR", "VP", "PRN") for p, _ in walk(child))
        )
        or (child.label == "NP" and place == len(node.children) - 1 and place > 0 and _is_simple(child))
        for place, child in enumerate(node.children)
    )
