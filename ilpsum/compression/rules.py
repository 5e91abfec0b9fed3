"""Rules 2 to 7 of Lin and Wilbur (2007) with our exceptions, as they run unless the option `strict`
asks for the published ones (`ilpsum.compression.published_rules`).

The exceptions keep what a reader would miss: "no" among determiners (2), a gerund that begins a
title (3), complements of adjectives and verbs, complex prepositions and coordinated phrases (4),
coordinations and "from ... to" (5), a conjunct that the verb, "between" or a head shared by both
needs (6), an adjective between nouns and adjectives that state the finding (7).
"""

from itertools import pairwise

from features.registry import Registry
from ilpsum.compression.published_rules import (
    ADJECTIVES,
    PUBLISHED,
    CompressorOptions,
    Cuts,
    Rule,
    WordCut,
    consecutive,
    gerunds,
    heavy_phrases,
    introduced,
)
from ilpsum.compression.trees import (
    NOUNS,
    PREPOSITIONS,
    PUNCTUATION,
    VERBS,
    ParentedTree,
    ancestors,
    head_verb,
    is_coordination,
    is_phrase,
    is_word,
    positions,
    siblings,
)

RULES: Registry[Rule] = Registry("rule")
RULES.add("subtitle", PUBLISHED["subtitle"])

# Determiners that carry meaning: "no effect" is not "effect".
_KEPT_DETERMINERS = frozenset({"no", "neither", "either", "nor", "both", "not"})
_KEPT_CONJUNCTIONS = frozenset(
    {"but", "nor", "neither", "versus", "vs", "vs.", "not", "than", "yet"}
)
_PAIRED_PREPOSITIONS = frozenset({"between", "among", "amongst"})
_QUANTITIES = frozenset("few little lot number third quarter fifth tenth half".split())
_TIMES = frozenset("hour day week month year".split())
_BEFORE_TIMES = frozenset("once twice times time hours mg g ml".split())
_OPENINGS = frozenset({"", ":", "-", "--", "—", "–", "[", "(", '"', ".", "?", "“"})
# Nouns that form a complex preposition: "in the presence of", "by means of".
_PREPOSITIONAL_NOUNS = frozenset(
    """absence addition basis case combination context course favor favour front level lieu light
    means place presence
    regard relation respect response result spite terms use virtue""".split()
)
_COMPLEMENT_TAKING = frozenset({"VB", "VBD", "VBP", "VBZ"})
# Without these a title would say the opposite, or nothing: "impaired tolerance" is not "tolerance".
_FINDINGS = frozenset(
    """aberrant abnormal absent altered anomalous attenuated decreased defective deficient delayed
    deregulated diminished disrupted disturbed dysfunctional dysregulated elevated enhanced
    exaggerated excessive failed false few fewer greater high higher impaired improved inadequate
    inactive incomplete increased ineffective inefficient insufficient less low lower more negative
    poor positive premature prolonged reduced unaffected unaltered unchanged unstable
    unsuccessful worse""".split()
)


@RULES.register("dt")
def determiners(root: ParentedTree, _options: CompressorOptions) -> Cuts:
    """Rule 2: cut determiners (The role of a gene -> Role of gene).

    Exceptions: determiners that negate or pair (no, neither, either, both), that are the whole
    phrase (this is), that belong to a quantity (a few, a third, once a day), and an A that is a
    name (vitamin A), whatever its tag.
    """
    before = ""
    for node in root.subtrees(is_word):
        if node.label() == "DT" and not _is_kept(node, before):
            yield positions(node)
        before = node[0]


def _is_kept(node: ParentedTree, before: str) -> bool:
    """Return whether a determiner is kept, given the word before it."""
    word = str(node[0])
    _, after = siblings(node)
    stands_alone = all(sibling.label() in PUNCTUATION for sibling in after)
    if stands_alone or word.lower() in _KEPT_DETERMINERS:
        return True
    if word.lower() in ("a", "an"):
        noun = _first_word(after[0])
        often = before.lower() in _BEFORE_TIMES or before.isdigit()
        if noun in _QUANTITIES or (noun in _TIMES and often):  # a third, twice a day
            return True
    return word == "A" and before not in _OPENINGS and not _is_title_case(node.root())


def _is_title_case(root: ParentedTree) -> bool:
    words = [word for word in root.leaves() if word[:1].isalpha() and len(word) > 3]
    return bool(sum(word[0].isupper() for word in words) > 0.6 * len(words))


@RULES.register("vbg")
def gerund_phrases(root: ParentedTree, _options: CompressorOptions) -> Cuts:
    """Rule 3: cut verb phrases headed by a VBG, with the preposition or conjunction that introduces
    them.

    So "receiving aspirin" is cut after "patients", and "by blocking NF-kappaB" as a whole.
    Exceptions: phrases at the beginning of the title, subjects, progressives (is showing), and
    objects of verbs (stop smoking).
    """
    for node in gerunds(root):
        target = introduced(node)
        if not _is_needed(target):
            yield _with_conjunction(target)


def _is_needed(target: ParentedTree) -> bool:
    """Return whether a gerund phrase begins the title, or is a subject, part of a verb, or a verb's
    object.
    """
    before, after = siblings(target)
    words = [sibling for sibling in before if is_word(sibling)]
    if positions(target)[0] == positions(target.root())[0]:
        return True
    is_clause = target.label() == "S"
    if target.parent().label() == "VP" and any(word.label() in VERBS for word in words):
        is_object = is_clause and before[-1].label() in _COMPLEMENT_TAKING
        if is_object or target.label() == "VP":
            return True
    has_subject = any(sibling.label() == "NP" for sibling in before)
    if is_clause and not has_subject and any(sibling.label() == "VP" for sibling in after):
        return True
    return any(word[0].lower() in ("both", "either", "neither") for word in words)


def _with_conjunction(target: ParentedTree) -> WordCut:
    """Return the positions of a phrase, including its conjunction if it is a conjunct."""
    before, after = siblings(target)
    if before and before[-1].label() in ("CC", "CONJP"):
        return positions(before[-1]) + positions(target)
    alone = all(sibling.label() != target.label() for sibling in before)
    if after and after[0].label() in ("CC", "CONJP") and alone:
        return positions(target) + positions(after[0])
    return positions(target)


@RULES.register("nested-pp")
def nested_prepositional_phrases(root: ParentedTree, options: CompressorOptions) -> Cuts:
    """Rule 4: cut prepositional phrases embedded `options.depth` or more levels deep.

    The modified phrase is level one, its prepositional phrase level two, a prepositional phrase
    within that is level three. So depth 3 cuts "in carcinomas of the lung" from "analysis of
    isoforms in carcinomas of the lung", as in the paper's example. Coordinated prepositional
    phrases form one level, as do two that form a complex preposition (in the presence of X).
    Complements of adjectives and participles (related to X, treated with X) are kept. The depth is
    3 or more; larger numbers cut less.
    """
    for node in root.subtrees(lambda node: node.label() == "PP"):
        if _is_governed(node) or node.parent().label() == "PP":
            continue
        levels = sum(
            outer.label() == "PP"
            and inner.label() != "PP"
            and not is_coordination(outer)
            and not _is_compound(outer)
            for inner, outer in pairwise([node, *ancestors(node)])
        )
        if levels >= options.depth - 2:
            yield positions(node)


def _is_compound(node: ParentedTree) -> bool:
    """Return whether a phrase begins with a complex preposition."""
    words = [word for word in list(node.subtrees(is_word))[:4] if word.label() != "DT"]
    if len(words) < 3:
        return False
    _, noun, preposition, *_ = words
    return noun[0].lower() in _PREPOSITIONAL_NOUNS and preposition.label() in PREPOSITIONS


def _is_governed(node: ParentedTree) -> bool:
    """Return whether a phrase is the complement of the adjective or participle before it, or begins
    its parent.
    """
    before, _ = siblings(node)
    if not before:
        return True
    parent = node.parent().label()
    return parent in ("ADJP", "ADVP", "QP") or (
        parent == "VP" and is_word(before[-1]) and before[-1].label() in VERBS
    )


@RULES.register("serial-pp")
def serial_prepositional_phrases(root: ParentedTree, _options: CompressorOptions) -> Cuts:
    """Rule 5: cut all but the first of consecutive prepositional phrases under one ancestor.

    It cuts "in the mouse" from "therapy for carcinoma in the mouse". An adjoined phrase (NP (NP (NP
    x) (PP a)) (PP b)) is consecutive to the one before it. "From ... to ..." is one phrase, and
    coordinated phrases are left.
    """
    for node in root.subtrees(is_phrase):
        if is_coordination(node):
            continue
        for first, child in consecutive(node):
            if (_first_word(first), _first_word(child)) != ("from", "to"):
                yield positions(child)


def _first_word(node: ParentedTree) -> str:
    return str(node.leaves()[0]).lower()


@RULES.register("conjoined-np")
def conjoined_noun_phrases(root: ParentedTree, _options: CompressorOptions) -> Cuts:
    """Rule 6: cut the second conjunct of (NP (NP ..) CC (NP ..)), with its conjunction (extraction
    and isolation).

    Two nouns in a flat phrase (NP (NN a) (CC and) (NN b)) are conjuncts, too. Exceptions: conjoined
    adjectives, lists of three or more, conjuncts after "between", contrasts (but, versus),
    conjuncts without which a plural verb would not agree, and conjuncts before a noun, which may be
    the head of both or only of the second (DNA or NADPH oxidase).
    """
    for node in root.subtrees(is_phrase):
        if node.label() in ("NP", "NX", "PP") and not _needs_both(node):
            yield _second_conjunct(node)


def _second_conjunct(node: ParentedTree) -> WordCut:
    """Return the second of exactly two conjuncts with its conjunction; empty if there is nothing to
    cut.
    """
    places = [i for i, child in enumerate(node) if child.label() == "CC" and i > 0]
    if len(places) != 1 or places[0] == len(node) - 1:
        return ()
    place = places[0]
    first = place - 2 if node[place - 1].label() == "," and place > 1 else place - 1
    is_list = any(child.label() == "," for child in node[:first])
    if is_list or not _are_conjoined(node, node[first], node[place + 1]):
        return ()
    if _precedes_head(node[place + 1]):
        return ()
    # A parser that misses the noun phrase around a coordination attaches the conjuncts to the
    # preposition.
    if _first_word(node[place]) in _KEPT_CONJUNCTIONS or _verb_needs_plural(node):
        return ()
    opening = node[:1] if node[0].label() == "CC" else []
    if opening and _first_word(opening[0]) not in ("both", "either"):
        return ()
    joints = [child for child in node[place - 1 : place + 1] if child.label() in ("CC", ",")]
    return tuple(p for child in (*opening, *joints, node[place + 1]) for p in positions(child))


def _precedes_head(conjunct: ParentedTree) -> bool:
    """Return whether a noun of the same noun phrase follows, directly or after adjectives."""
    node = conjunct
    while node is conjunct or node.label() in ("NP", "NX"):
        _, after = siblings(node)
        for sibling in after:
            if sibling.label() in NOUNS or sibling.label() in ("NP", "NX"):
                return True
            if sibling.label() not in ADJECTIVES:
                return False
        node = node.parent()
    return False


def _are_conjoined(node: ParentedTree, before: ParentedTree, after: ParentedTree) -> bool:
    """Return whether the phrases around a conjunction are two noun phrases, or two nouns in a flat
    phrase.
    """
    if before.label() == after.label() == "NP":
        # GENIA annotates conjoined adjectives as noun phrases without a noun: (NP (NP (ADJP in
        # vitro)) (CC and) ...).
        return _has_noun(before) and _has_noun(after)
    flat = all(map(is_word, node)) and after is node[-1]
    return flat and before.label() in NOUNS and after.label() in NOUNS


def _has_noun(node: ParentedTree) -> bool:
    return any(
        word.label() in NOUNS or word.label() in ("PRP", "CD") for word in node.subtrees(is_word)
    )


def _needs_both(node: ParentedTree) -> bool:
    """Return whether a coordination follows "between" or a similar preposition."""
    for outer in ancestors(node):
        if outer.label() == "PP":
            follows = positions(outer)[1:2] == positions(node)[:1]
            return follows and _first_word(outer) in _PAIRED_PREPOSITIONS
        if outer.label() != "NP":
            return False
    return False


def _verb_needs_plural(node: ParentedTree) -> bool:
    """Return whether a coordination is the subject of a plural verb although its first conjunct is
    singular.
    """
    heads = [word.label() for word in node[0].subtrees(is_word) if word.label() in NOUNS]
    if heads and heads[-1] in ("NNS", "NNPS"):
        return False
    child = node
    for outer in ancestors(node):
        if outer.label() in ("S", "SINV", "SQ"):
            _, after = siblings(child)
            verbs = filter(None, (head_verb(node) for node in after if node.label() == "VP"))
            return any(verb.label() == "VBP" or verb[0].lower() == "were" for verb in verbs)
        if outer.label() != "NP" or positions(outer)[0] != positions(child)[0]:
            return False
        child = outer
    return False


@RULES.register("simple-np")
def simple_noun_phrases(root: ParentedTree, options: CompressorOptions) -> Cuts:
    """Rule 7: cut adjectives before the head of simple noun phrases whose idf exceeds
    `options.idf_threshold`.

    A simple noun phrase contains words, adjective phrases and numbers, but no other phrase; its
    head is the rightmost noun. Heads with a low IDF keep their adjectives, which carry the meaning.
    Exceptions: an adjective between nouns is part of a name (T cell-specific factor), and one that
    states the finding (impaired tolerance) stays, with what follows it.

    Raises:
        UsageError: `options.idf` is None.
    """
    for node, _ in heavy_phrases(root, options):
        yield _leading_adjectives(node)


def _leading_adjectives(node: ParentedTree) -> WordCut:
    """Return adjectives and adjective phrases before the first noun or finding, with conjunctions
    and commas between them.
    """
    cut: list[int] = []
    pending: list[int] = []
    for child in () if is_word(node) else node:
        if child.label() == "NP":
            return (*cut, *pending, *inner) if (inner := _leading_adjectives(child)) else tuple(cut)
        if child.label() == "POS":  # a name with the tag of an adjective: Friedreich's
            return ()
        if child.label() in NOUNS or not _FINDINGS.isdisjoint(map(str.lower, child.leaves())):
            break
        if child.label() in ADJECTIVES:
            cut += [*pending, *positions(child)]
            pending = []
        elif cut and child.label() in ("CC", ",", "RB"):
            pending += positions(child)
        else:
            pending = []
    # Without the conjunction between an adjective and a noun (new and T cells) the phrase would be
    # ungrammatical.
    return () if pending else tuple(cut)
