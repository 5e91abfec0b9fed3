import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.parser.brackets import bracket_score, brackets, constituents
from ilpsum.compression.trees import Tree, bracketed, category, escape, read_tree, unescape
from ilpsum.errors import InputError

words = st.text(
    st.characters(codec="utf-8", exclude_characters="()", exclude_categories=["Z", "C"]),
    min_size=1,
    max_size=8,
)
labels = st.sampled_from(["NP", "VP", "NP-SBJ", "-LRB-", "."])
leaves = st.builds(lambda label, word: Tree(label, [word]), labels, words)
trees = st.recursive(
    leaves,
    lambda parts: st.builds(
        lambda label, kids: Tree(label, kids), labels, st.lists(parts, min_size=1, max_size=4)
    ),
)


@given(trees)
def test_written_brackets_can_be_parsed(tree):
    assert read_tree(bracketed(tree)) == tree


@pytest.mark.parametrize(
    "text",
    [
        "",
        "word",
        "(NP",
        "(NP (NN x)",
        "(NP (NN x)))",
        "(NP x y)",
        "(NP ())",
        "(NP (NN x) y)",
        "(S (NN x)) (S (NN y))",
    ],
)
def test_errors_in_brackets_name_the_line(text):
    with pytest.raises(InputError, match=r"^trees:7: "):
        read_tree(text, "trees", 7)


def test_a_backslash_is_a_word():
    assert read_tree("(NP \\)") == Tree("NP", ["\\"])


def test_a_root_without_a_label_is_the_root():
    assert read_tree("( (NP (NN toad)) )").label() == "S1"


def test_constituents_are_the_phrases_from_the_root_down():
    tree = read_tree("(S1 (S (NP (DT a) (NN toad)) (VP (VBZ sits))))")
    assert [(c.label, c.start, c.end) for c in constituents(tree)] == [
        ("S1", 0, 3),
        ("S", 0, 3),
        ("NP", 0, 2),
        ("VP", 2, 3),
    ]


@pytest.mark.parametrize(
    ("label", "plain"), [("NP-SBJ=1", "NP"), ("-LRB-", "-LRB-"), ("WHNP|x", "WHNP"), ("VP", "VP")]
)
def test_categories_lose_their_functions(label, plain):
    assert category(label) == plain


@pytest.mark.parametrize(
    ("text", "word"), [("(OH)2D", "-LRB-OH-RRB-2D"), ("[Ca]i", "-LSB-Ca-RSB-i"), ("a b", "ab")]
)
def test_brackets_in_words_are_named(text, word):
    assert escape(text) == word
    assert unescape(word) == text.replace(" ", "")


def test_bracket_f1_counts_labels_and_spans():
    gold = read_tree("(S1 (S (NP (DT a) (NN toad)) (VP (VBZ sits) (PP (IN on) (NP (NN moss))))))")
    found = read_tree("(S1 (S (NP (DT a) (NN toad)) (VP (VBZ sits)) (PP (IN on) (NP (NN moss)))))")
    # Right: S, NP, PP, NP of five each; VP has another end.
    score = bracket_score([(gold, found)])
    assert (score.precision, score.recall, score.f1) == pytest.approx((0.8, 0.8, 0.8))
    assert score.exact == 0
    assert score.tags == 1


def test_the_wrapper_counts_only_where_asked():
    tree = read_tree("(S1 (S (S (NP (NN moss)) (VP (VBZ grows)))))")
    assert sum(brackets(tree).values()) == sum(brackets(tree, wrapper=False).values()) + 1
