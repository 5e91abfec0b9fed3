"""Each rule over invented trees: what is cut, and what must stay."""

import pytest

from ilpsum.compression.compressor import Compressor, subtitle
from ilpsum.compression.published_rules import CompressorOptions
from ilpsum.compression.trees import read_tree, unescape


class NoParser:
    """Every text here has its tree."""

    def parse(self, sentences):
        return [None] * len(sentences)


def spaced(tree):
    """The words of a tree as a text."""
    text = " ".join(map(unescape, tree.leaves()))
    for mark in ",.;:)?":
        text = text.replace(" " + mark, mark)
    return text.replace("( ", "(")


def cut(rule, bracketed, min_words=1, **options):
    tree = read_tree(f"(S1 (S {bracketed}))")
    return (
        Compressor(CompressorOptions((rule,), min_words=min_words, **options), NoParser())
        .compress(spaced(tree), tree)
        .text
    )


@pytest.mark.parametrize(
    ("title", "left"),
    [
        ("Toads in ponds: a field study.", "Toads in ponds."),
        ("Toads in ponds -- a field study.", "Toads in ponds."),
        ("Toads in ponds--a field study", "Toads in ponds"),
        ("Toads in ponds — a field study.", "Toads in ponds."),
        ("Toads and newts: friends: or foes?", "Toads and newts"),
        ("[Toads in ponds: a field study.]", "[Toads in ponds.]"),
        ("[Toads in ponds: a field study].", "[Toads in ponds]."),
        ("Mixing toads 1:1 with newts.", None),
        ("A t(9;22) or t(8:21) toad.", None),
        ("Toad-like newts - a comparison.", None),
        ("Toads (size: large) in ponds.", None),
        ("Response to: toads in ponds", None),
        ("Toads in ponds:", None),
        (": toads in ponds", None),
        ("", None),
    ],
)
def test_subtitle(title, left):
    found = subtitle(title)
    assert (title[: found[0]] + title[found[1] :] if found else None) == left


@pytest.mark.parametrize(
    ("tree", "left"),
    [
        ("(NP (NP (DT The) (NN role)) (PP (IN of) (NP (DT a) (NN toad))) (. .))", "Role of toad."),
        (
            "(NP (NP (DT No) (NN role)) (PP (IN of) (NP (DT a) (NN toad))) (. .))",
            "No role of toad.",
        ),
        ("(S (NP (DT This)) (VP (VBZ is) (NP (DT a) (NN toad))) (. .))", "This is toad."),
        ("(NP (DT a) (JJ few) (NNS toads))", "a few toads"),
        ("(NP (NP (NNS meals)) (ADVP (RB once) (NP (DT a) (NN day))))", "meals once a day"),
        (
            "(NP (NP (NN lack)) (PP (IN of) (NP (NN vitamin) (DT A) (NNS pills))))",
            "lack of vitamin A pills",
        ),
        ("(NP (DT The) (NN p53) (NN gene))", "p53 gene"),
        ("(NP (DT The) (NN mRNA) (NN level))", "mRNA level"),
        (
            "(NP (-LRB- -LSB-) (NP (DT The) (NN toad)) (PP (IN in) (NP (NNS ponds))) (-RRB- -RSB-))",
            "[ Toad in ponds ]",
        ),
        (
            "(NP (CC both) (NP (DT the) (NN toad)) (CC and) (NP (DT the) (NN newt)))",
            "both toad and newt",
        ),
    ],
)
def test_determiners(tree, left):
    assert cut("dt", tree) == left


@pytest.mark.parametrize(
    ("tree", "left"),
    [
        ("(NP (NP (NNS Toads)) (VP (VBG living) (PP (IN in) (NP (NNS ponds)))) (. .))", "Toads."),
        (
            "(NP (NP (NN Use)) (PP (IN of) (NP (NNS nets))) (PP (IN for) (S (VP (VBG catching) (NP (NNS toads))))) (. .))",
            "Use of nets.",
        ),
        (
            "(S (S (VP (VBG Catching) (NP (NNS toads)))) (VP (VBZ is) (ADJP (JJ hard))) (. .))",
            "Catching toads is hard.",
        ),
        (
            "(S (VP (VBG Catching) (NP (NNS toads)) (PP (IN with) (NP (NNS nets)))) (. .))",
            "Catching toads with nets.",
        ),
        (
            "(S (NP (NNS Toads)) (VP (VBP are) (VP (VBG eating) (NP (NN moss)))) (. .))",
            "Toads are eating moss.",
        ),
        (
            "(S (NP (NNS Toads)) (VP (VBP stop) (S (VP (VBG eating) (NP (NN moss))))) (. .))",
            "Toads stop eating moss.",
        ),
        (
            "(S (NP (NNS Toads)) (VP (VBP eat) (NP (NN moss)) (, ,) (S (VP (VBG leaving) (NP (DT no) (NN trace))))) (. .))",
            "Toads eat moss.",
        ),
        (
            "(S (NP (NNS Toads)) (, ,) (S (VP (VBG lacking) (NP (NN moss)))) (, ,) (VP (VBP leave)) (. .))",
            "Toads leave.",
        ),
        (
            "(NP (NP (NN Growth)) (PP (IN after) (NP (NN rain)) (CC and) (S (VP (VBG flooding)))) (. .))",
            "Growth after rain.",
        ),
        (
            "(S (NP (NNS Toads)) (VP (VBP leave) (SBAR (WHADVP (WRB when)) (S (VP (VBG losing) (NP (NN moss)))))) (. .))",
            "Toads leave.",
        ),
    ],
)
def test_gerund_phrases(tree, left):
    assert cut("vbg", tree) == left


NESTED = (
    "(NP (NP (NN Analysis)) (PP (IN of) (NP (NP (NNS genes)) (PP (IN in) (NP (NP (NNS toads)) "
    "(PP (IN from) (NP (NNS ponds))))))) (. .))"
)


@pytest.mark.parametrize(
    ("depth", "left"), [(3, "Analysis of genes."), (4, "Analysis of genes in toads."), (5, None)]
)
def test_nested_phrases_go_from_a_level_on(depth, left):
    assert cut("nested-pp", NESTED, depth=depth) == (
        left or "Analysis of genes in toads from ponds."
    )


@pytest.mark.parametrize(
    ("tree", "left"),
    [
        # What a participle or adjective governs stays.
        (
            "(NP (NP (NN Loss)) (PP (IN of) (NP (NP (NNS cells)) (VP (VBN treated) (PP (IN with) (NP (NN salt)))))))",
            "Loss of cells treated with salt",
        ),
        (
            "(NP (NP (NN Loss)) (PP (IN of) (NP (NP (NNS genes)) (ADJP (JJ similar) (PP (TO to) (NP (NN x1)))))))",
            "Loss of genes similar to x1",
        ),
        # A coordination is one level.
        (
            "(NP (NP (NN Loss)) (PP (PP (IN of) (NP (NNS toads))) (CC and) (PP (IN of) (NP (NNS newts)))))",
            "Loss of toads and of newts",
        ),
        # So is a preposition of several words.
        (
            "(NP (NP (NN Loss)) (PP (IN in) (NP (NP (DT the) (NN presence)) (PP (IN of) (NP (NN salt))))))",
            "Loss in the presence of salt",
        ),
        (
            "(S (NP (NNS Toads)) (VP (VBP live) (PP (IN in) (NP (NP (NNS ponds)) (PP (IN of) (NP (NNS fields)))))) (. .))",
            "Toads live in ponds.",
        ),
    ],
)
def test_nested_phrases(tree, left):
    assert cut("nested-pp", tree) == left


@pytest.mark.parametrize(
    ("tree", "left"),
    [
        (
            "(NP (NP (NN Loss)) (PP (IN of) (NP (NNS toads))) (PP (IN in) (NP (NNS ponds))) (PP (IN by) (NP (NN frost))) (. .))",
            "Loss of toads.",
        ),
        (
            "(NP (NP (NP (NN Loss)) (PP (IN of) (NP (NNS toads)))) (PP (IN in) (NP (NNS ponds))))",
            "Loss of toads",
        ),
        (
            "(S (NP (NNS Toads)) (VP (VBP live) (PP (IN in) (NP (NNS ponds))) (PP (IN near) (NP (NN moss)))) (. .))",
            "Toads live in ponds.",
        ),
        (
            "(NP (NP (NN Change)) (PP (IN from) (NP (NN egg))) (PP (TO to) (NP (NN toad))))",
            "Change from egg to toad",
        ),
        (
            "(PP (PP (IN in) (NP (NNS ponds))) (CC and) (PP (IN on) (NP (NN moss))))",
            "in ponds and on moss",
        ),
        (NESTED, "Analysis of genes in toads from ponds."),
    ],
)
def test_serial_phrases(tree, left):
    assert cut("serial-pp", tree) == left


@pytest.mark.parametrize(
    ("tree", "left"),
    [
        (
            "(NP (NP (NP (NN Growth)) (CC and) (NP (NN decay))) (PP (IN of) (NP (NN moss))))",
            "Growth of moss",
        ),
        ("(NP (NP (NN Growth) (CC and) (NN decay)) (PP (IN of) (NP (NN moss))))", "Growth of moss"),
        (
            "(NP (NP (NP (NN Growth)) (, ,) (CC and) (NP (NN decay))) (PP (IN of) (NP (NN moss))))",
            "Growth of moss",
        ),
        ("(NP (JJ Red) (CC and) (JJ green) (NN moss))", "Red and green moss"),
        (
            "(NP (NP (ADJP (JJ red))) (CC and) (NP (ADJP (JJ green))) (NN moss))",
            "red and green moss",
        ),
        ("(NP (NP (NN toad)) (, ,) (NP (NN newt)) (CC and) (NP (NN frog)))", "toad, newt and frog"),
        (
            "(NP (NP (NN link)) (PP (IN between) (NP (NP (NN toad)) (CC and) (NP (NN newt)))))",
            "link between toad and newt",
        ),
        ("(NP (NP (NN toad)) (CC but) (NP (RB not) (NN newt)))", "toad but not newt"),
        (
            "(NP (NN loss)) (PP (IN of) (NP (CC both) (NP (NN toad)) (CC and) (NP (NN newt))))",
            "loss of toad",
        ),
        (
            "(S (NP (NP (DT A) (NN toad)) (CC and) (NP (DT a) (NN newt))) (VP (VBP live)))",
            "A toad and a newt live",
        ),
        ("(S (NP (NP (NNS Toads)) (CC and) (NP (NNS newts))) (VP (VBP live)))", "Toads live"),
        (
            "(S (NP (NP (DT A) (NN toad)) (CC and) (NP (DT a) (NN newt))) (VP (VBD slept)))",
            "A toad slept",
        ),
        ("(NP (NN DNA) (CC and) (NN RNA) (NN synthesis))", "DNA and RNA synthesis"),
        # The skin may be that of both, or of the newt alone.
        ("(NP (NP (NN toad)) (CC or) (NP (NN newt)) (NN skin))", "toad or newt skin"),
        ("(NP (NP (NN toad)) (CC or) (NP (NN newt)) (JJ wet) (NN skin))", "toad or newt wet skin"),
        ("(NP (NP (NP (NN toad)) (CC and) (NP (NN newt))) (NP (NN skin)))", "toad and newt skin"),
        ("(NP (NX (NN toad) (CC and) (NN newt)) (NNS skins))", "toad and newt skins"),
        ("(NP (NP (NN toad)) (CC and) (NP (NN newt)) (ADJP (RB once) (JJ wet)))", "toad once wet"),
        ("(NP (NP (NP (NN toad)) (CC and) (NP (NN newt))) (, ,) (NP (NN skin)))", "toad, skin"),
    ],
)
def test_conjoined_noun_phrases(tree, left):
    assert cut("conjoined-np", tree) == left


def weight(word):
    return {"moss": 5.0, "gene": 1.0, "genes": 1.0}.get(word, 3.0)


@pytest.mark.parametrize(
    ("tree", "left"),
    [
        ("(NP (DT a) (JJ wet) (NN pond) (NN moss))", "a pond moss"),
        ("(NP (DT an) (JJ old) (NN moss))", "a moss"),
        ("(NP (DT a) (JJ wet) (NN x1) (NN gene))", "a wet x1 gene"),
        ("(NP (DT a) (NP (ADJP (RB very) (JJ wet)) (, ,) (JJ green) (NN moss)))", "a moss"),
        ("(NP (JJ wet) (CC and) (JJ green) (NN moss))", "moss"),
        ("(NP (NN T) (JJ cell-like) (NN moss))", "T cell-like moss"),
        (
            "(NP (NP (JJ wet) (NN moss)) (PP (IN of) (NP (JJ old) (NNS genes))))",
            "moss of old genes",
        ),
        ("(NP (JJ wet) (CC and) (NN pond) (NN moss))", "wet and pond moss"),
        ("(NP (JJ wet) (JJ Impaired) (JJ slow) (NN moss))", "Impaired slow moss"),
        ("(NP (JJ wet) (ADJP (RB very) (JJ low)) (NN moss))", "very low moss"),
        ("(NP (JJ wet) (CC and) (JJ reduced) (NN moss))", "wet and reduced moss"),
        ("(NP (JJ Newt) (POS 's) (NN moss))", "Newt 's moss"),
    ],
)
def test_simple_noun_phrases(tree, left):
    assert cut("simple-np", tree, idf=weight) == left


def test_a_heavier_threshold_keeps_more():
    tree = "(NP (JJ wet) (NN moss))"
    assert cut("simple-np", tree, idf=weight, idf_threshold=5.0) == "wet moss"
    assert cut("simple-np", tree, idf=weight, idf_threshold=4.9) == "moss"


@pytest.mark.parametrize(
    ("rule", "tree", "kept", "left"),
    [
        ("dt", "(NP (NP (DT No) (NN role)) (PP (IN of) (NP (NN vitamin) (DT A))))", "No role of vitamin A",
         "Role of vitamin"),
        ("dt", "(NP (NP (DT a) (JJ few) (NNS toads)) (PP (IN in) (NP (DT the) (NN pond))))", "a few toads in pond",
         "few toads in pond"),
        ("vbg", "(S (NP (NNS Toads)) (VP (VBP are) (VP (VBG eating) (NP (NN moss)))))", "Toads are eating moss",
         "Toads are"),
        ("vbg", "(S (S (VP (VBG Eating) (NP (NN moss)))) (VP (VBZ helps) (NP (NNS toads))))",
         "Eating moss helps toads", "Helps toads"),
        ("conjoined-np",
         "(NP (NP (NNS links)) (PP (IN between) (NP (NP (JJ red) (NNS toads)) (CC and) (NP (NNS newts)))))",
         "links between red toads and newts", "links between red toads"),
        ("conjoined-np", "(NP (NP (NNS toads)) (CC but) (NP (DT no) (NNS newts)))", "toads but no newts", "toads"),
        ("conjoined-np", "(NP (NP (NN toad)) (CC or) (NP (NN newt)) (NN skin))", "toad or newt skin", "toad skin"),
        ("simple-np", "(NP (JJ impaired) (NN moss))", "impaired moss", "moss"),
        # A complement, a complex preposition and a coordination are levels like any other phrase.
        ("nested-pp", "(NP (NP (NN role)) (PP (IN of) (NP (NP (NN moss)) (ADJP (JJ related) (PP (IN in) (NP (NN size)))))))",
         "role of moss related in size", "role of moss related"),
        ("nested-pp", "(NP (NNS toads) (PP (IN in) (NP (NP (DT the) (NN presence)) (PP (IN of) (NP (NN moss))))))",
         "toads in the presence of moss", "toads in the presence"),
        ("serial-pp", "(NP (NN way) (PP (IN from) (NP (NNS ponds))) (PP (IN to) (NP (NN moss))))", "way from ponds to moss",
         "way from ponds"),
        # Published is the pattern of three phrases: nouns that are joined without them stay.
        ("conjoined-np", "(NP (NNS toads) (CC and) (NNS newts))", "toads", "toads and newts"),
        ("simple-np", "(NP (NN toad) (JJ skin-specific) (NN factor))", "toad skin-specific factor", "toad factor"),
        ("simple-np", "(NP (JJ red) (CC and) (JJ wet) (NN toad) (NN skin))", "toad skin", "toad skin"),
    ],
)  # fmt: skip
def test_strict_rules_have_no_exceptions(rule, tree, kept, left):
    assert cut(rule, tree, idf=lambda word: 3.0) == kept
    assert cut(rule, tree, idf=lambda word: 3.0, strict=True) == left


@pytest.mark.parametrize("rule", ["nested-pp", "serial-pp"])
def test_rules_without_an_exception_are_the_same_when_strict(rule):
    pond = "(NP (NP (NNS toads)) (PP (IN in) (NP (NNS ponds))))"
    tree = f"(NP (NP (NN role)) (PP (IN of) {pond}) (PP (IN at) (NP (NN night))))"
    assert cut(rule, tree, strict=True) == cut(rule, tree)


@pytest.mark.parametrize(
    ("title", "left"),
    [
        ("Toads in ponds: a field study.", "Toads in ponds."),
        ("Toads in ponds -- a field study.", "Toads in ponds."),
        ("Toads and newts: friends: or foes?", "Toads and newts"),
        ("[Toads in ponds: a field study.]", "[Toads in ponds.]"),
        # Our exceptions: a ratio, a bracket, a preposition; a single dash is no mark.
        ("Mixing toads 1:1 with newts.", "Mixing toads 1."),
        ("Toads (size: large) in ponds.", "Toads (size."),
        ("Response to: toads in ponds", "Response to"),
        ("Toads in ponds – a field study", None),
        ("Toads in ponds:", None),
    ],
)
def test_a_strict_subtitle_begins_at_the_first_mark(title, left):
    found = subtitle(title, strict=True)
    assert (title[: found[0]] + title[found[1] :] if found else None) == left
