"""ROUGE against the output of ROUGE-1.5.5 for the same texts, and against its definition."""

import random
import re
from collections import Counter
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.registry import UnknownNameError
from ilpsum.errors import ArgumentError, UsageError
from ilpsum.metrics import METRICS
from ilpsum.metrics.rouge import References, cut, rouge
from ilpsum.records import Topic
from tests.measures import peak

CANDIDATE = """Silencing of the miR-372 cluster slowed the growth of treated glioma cells.
Treatments with 5-aza did not change (p<0.05) how cells were growing; the cells lived on.
Taken together, the cluster's role in gliomas remains debated."""
REFERENCES = [
    """The miR-372/373 cluster drives growth of glioma.
Its silencing slows growing cells, and treatment with 5-aza changes nothing.""",
    """Growth of glioma cells depends on a cluster of microRNAs.
The cells live on when the cluster is silenced.
Debate remains about its role.""",
    "A cluster of microRNAs, miR-372 among them, is needed for growth; treated cells were growing slowly.",
]
NAMES = "ROUGE-1 ROUGE-2 ROUGE-3 ROUGE-4 ROUGE-L ROUGE-S4 ROUGE-S* ROUGE-SU4 ROUGE-SU*".split()
# Printed by ROUGE-1.5.5.pl (WordNet exceptions off): `-n 4 -2 4 -U` and `-2 -1 -U -x`, with these
# options beside.
SCRIPT = [
    ({}, [  # -f A
        (0.56452, 0.28455, 0.37838), (0.20339, 0.10000, 0.13408), (0.05357, 0.02564, 0.03468),
        (0.00000, 0.00000, 0.00000), (0.51613, 0.26016, 0.34594), (0.18868, 0.08772, 0.11976),
        (0.28135, 0.07114, 0.11356), (0.25926, 0.12174, 0.16568), (0.30690, 0.08101, 0.12818),
    ]),
    ({"stem": True}, [  # -m -f A
        (0.66129, 0.33333, 0.44324), (0.25424, 0.12500, 0.16760), (0.10714, 0.05128, 0.06936),
        (0.03774, 0.01754, 0.02395), (0.56452, 0.28455, 0.37838), (0.24151, 0.11228, 0.15329),
        (0.38746, 0.09797, 0.15640), (0.31790, 0.14928, 0.20316), (0.41116, 0.10853, 0.17173),
    ]),
    ({"multiple": "best"}, [  # -f B
        (0.61905, 0.31707, 0.41935), (0.25000, 0.12500, 0.16667), (0.10526, 0.05128, 0.06896),
        (0.00000, 0.00000, 0.00000), (0.57143, 0.29268, 0.38709), (0.24444, 0.11579, 0.15714),
        (0.32381, 0.08293, 0.13204), (0.31818, 0.15217, 0.20588), (0.35217, 0.09419, 0.14863),
    ]),
    ({"stem": True, "words": 20}, [  # -m -l 20 -f A
        (0.53448, 0.43056, 0.47692), (0.16364, 0.13043, 0.14516), (0.05769, 0.04545, 0.05084),
        (0.02041, 0.01587, 0.01786), (0.44828, 0.36111, 0.40000), (0.19592, 0.15238, 0.17143),
        (0.24627, 0.15942, 0.19355), (0.26333, 0.20573, 0.23099), (0.27580, 0.18172, 0.21909),
    ]),
    ({"stem": True, "words": 20, "multiple": "best"}, [  # -m -l 20 -f B
        (0.71429, 0.62500, 0.66667), (0.30000, 0.26087, 0.27907), (0.15789, 0.13636, 0.14634),
        (0.05556, 0.04762, 0.05128), (0.71429, 0.62500, 0.66667), (0.32222, 0.27619, 0.29743),
        (0.45714, 0.34783, 0.39506), (0.40000, 0.34375, 0.36975), (0.48261, 0.37124, 0.41966),
    ]),
    ({"bytes": 100}, [  # -b 100 -f A
        (0.45283, 0.44444, 0.44860), (0.12000, 0.11765, 0.11881), (0.02128, 0.02083, 0.02105),
        (0.00000, 0.00000, 0.00000), (0.37097, 0.42593, 0.39655), (0.15455, 0.15111, 0.15281),
        (0.14673, 0.14161, 0.14412), (0.21481, 0.21014, 0.21245), (0.18053, 0.17451, 0.17747),
    ]),
    ({"bytes": 100, "stem": True, "multiple": "best"}, [  # -b 100 -m -f B
        (0.64706, 0.61111, 0.62857), (0.18750, 0.17647, 0.18182), (0.06667, 0.06250, 0.06452),
        (0.00000, 0.00000, 0.00000), (0.52381, 0.61111, 0.56410), (0.24286, 0.22667, 0.23449),
        (0.33824, 0.30065, 0.31834), (0.32558, 0.30435, 0.31461), (0.37500, 0.33529, 0.35403),
    ]),
    ({"bytes": 75}, [  # -b 75 -f A: within the first line of each text
        (0.51220, 0.53846, 0.52500), (0.15789, 0.16667, 0.16216), (0.02857, 0.03030, 0.02941),
        (0.00000, 0.00000, 0.00000), (0.30508, 0.46154, 0.36734), (0.18125, 0.19333, 0.18710),
        (0.18846, 0.20940, 0.19838), (0.24747, 0.26344, 0.25521), (0.23154, 0.25556, 0.24296),
    ]),
]  # fmt: skip


def triple(score):
    return (score.recall, score.precision, score.f1)


@pytest.mark.parametrize(("options", "printed"), SCRIPT)
def test_scores_equal_those_of_the_script(options, printed):
    scores = rouge(CANDIDATE, REFERENCES, NAMES, **options)
    for name, numbers in zip(NAMES, printed, strict=True):
        assert triple(scores[name]) == pytest.approx(numbers, abs=2e-5), name


@pytest.mark.parametrize(
    ("size", "printed"),
    [
        (3, (1.0, 1.0, 1.0)),
        (12, (1.0, 1.0, 1.0)),
        (13, (1.0, 0.75, 0.85714)),
        (18, (0.75, 0.6, 0.66667)),
    ],
)
def test_a_byte_limit_cuts_words_and_counts_no_line_ends(size, printed):
    """ROUGE-1 of ROUGE-1.5.5 with `-b`; the accented letters are two bytes each."""
    scores = rouge(
        "na\u00efve caf\u00e9s sing loud",
        ["na\u00efve caf\u00e9 singers sing\nloud songs"],
        ["ROUGE-1"],
        bytes=size,
    )
    assert triple(scores["ROUGE-1"]) == pytest.approx(printed, abs=2e-5)


def test_jackknife_is_the_mean_of_the_scripts_numbers_without_each_reference():
    # The means of three runs of the script (-m), each on two of the references.
    scores = rouge(
        CANDIDATE, REFERENCES, ["ROUGE-2", "ROUGE-L", "ROUGE-SU4"], stem=True, multiple="jackknife"
    )
    assert triple(scores["ROUGE-2"]) == pytest.approx((0.25328, 0.12500, 0.16718), abs=2e-5)
    assert triple(scores["ROUGE-L"]) == pytest.approx((0.56572, 0.28455, 0.37822), abs=2e-5)
    assert triple(scores["ROUGE-SU4"]) == pytest.approx((0.31712, 0.14928, 0.20269), abs=2e-5)


def test_jackknife_of_one_reference_is_its_score():
    assert rouge(CANDIDATE, REFERENCES[:1], multiple="jackknife") == rouge(
        CANDIDATE, REFERENCES[:1]
    )


@pytest.mark.parametrize("multiple", ["pool", "best", "jackknife"])
@pytest.mark.parametrize(
    ("candidate", "references"),
    [
        ("", ["a b"]),
        ("a b", [""]),
        ("", [""]),
        ("a b", []),
        ("", []),
        ("\u00e9 -- \u03b1", ["\u03b1"]),
        ("a", ["b", ""]),
    ],
)
def test_nothing_to_count_gives_zero(candidate, references, multiple):
    for score in rouge(candidate, references, NAMES, multiple=multiple).values():
        assert triple(score) == (0.0, 0.0, 0.0)


def test_an_empty_reference_counts_in_the_precision_of_a_pool_only():
    # -f A divides by the candidate's n-grams once a reference, empty or not.
    assert triple(rouge("a b", ["a b", ""], ["ROUGE-1"])["ROUGE-1"]) == pytest.approx(
        (1.0, 0.5, 2 / 3)
    )
    assert triple(rouge("a b", ["", "a b"], ["ROUGE-1"], multiple="best")["ROUGE-1"]) == (
        1.0,
        1.0,
        1.0,
    )


def test_one_token_has_no_skip_bigram_and_no_unigram_of_one():
    assert triple(rouge("gene", ["gene"], ["ROUGE-1"])["ROUGE-1"]) == (1.0, 1.0, 1.0)
    assert triple(rouge("gene", ["gene"], ["ROUGE-SU4"])["ROUGE-SU4"]) == (0.0, 0.0, 0.0)


def test_only_ascii_letters_and_digits_make_tokens():
    tokens = ["mir", "372", "na", "ve", "elvin", "p", "0", "05", "ab"]
    text = "miR-372 na\u00efve \u212aelvin p<0.05 _aB_"
    assert triple(rouge(" ".join(tokens), [text], ["ROUGE-2"])["ROUGE-2"]) == (1.0, 1.0, 1.0)


def test_the_limit_counts_words_between_white_space_of_candidate_and_references():
    # A limit of two words keeps `a-b c` of both, which is three tokens.
    scores = rouge("a-b\u00a0c d e", ["a-b c x y"], ["ROUGE-1"], words=2)
    assert triple(scores["ROUGE-1"]) == (1.0, 1.0, 1.0)
    assert cut(["one two", "", " three  four", "five"], 3) == ["one two", "", "three"]


def test_lines_matter_to_rouge_l_alone():
    candidate, reference = "d e f\na b c", "a b c d e f"
    split = rouge(candidate, [reference], NAMES)
    joined = rouge(candidate.replace("\n", " "), [reference], NAMES)
    assert split["ROUGE-L"].recall == 1.0
    assert joined["ROUGE-L"].recall == 0.5
    assert all(split[name] == joined[name] for name in NAMES if name != "ROUGE-L")


def test_unknown_names_and_options_are_errors():
    with pytest.raises(UnknownNameError, match="ROUGE-SU4"):
        References(["a"], ["ROUGE-5"])
    with pytest.raises(UsageError, match="jackknife"):
        References(["a"], multiple="worst")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="0"):
        References(["a"], words=0)
    with pytest.raises(UsageError, match="byte limit: expected 1 or more, got 0"):
        References(["a"], bytes=0)
    with pytest.raises(UsageError, match="not both"):
        References(["a"], words=1, bytes=1)


# The definition, read anew: lists of n-grams, and the textbook table of common subsequences.


def naive_tokens(text):
    return re.sub(
        r"[^a-z0-9]", " ", "".join(c.lower() if c.isascii() else " " for c in text)
    ).split()


def naive_grams(tokens, name):
    if name[6:].isdigit():
        n = int(name[6:])
        return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    gap = 4 if name.endswith("4") else len(tokens)
    pairs = [
        (tokens[i], tokens[j]) for i, j in combinations(range(len(tokens)), 2) if j - i - 1 <= gap
    ]
    return pairs + ([(token,) for token in tokens[:-1]] if "SU" in name else [])


def naive_table(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, j in ((i, j) for i in range(len(a)) for j in range(len(b))):
        table[i + 1][j + 1] = (
            table[i][j] + 1 if a[i] == b[j] else max(table[i][j + 1], table[i + 1][j])
        )
    return table


def naive_union(sentence, others):
    marked = set()
    for other in others:
        table, i, j = naive_table(sentence, other), len(sentence), len(other)
        while i and j:
            if sentence[i - 1] == other[j - 1]:
                i, j = i - 1, j - 1
                marked.add(i)
            elif table[i - 1][j] >= table[i][j - 1]:
                i -= 1
            else:
                j -= 1
    return sorted(marked)


def naive_matches(candidate, reference, name):
    """Matches, n-grams of the reference, n-grams of the candidate."""
    if name != "ROUGE-L":
        ours, theirs = (
            Counter(naive_grams(naive_tokens(text), name)) for text in (candidate, reference)
        )
        return (ours & theirs).total(), theirs.total(), ours.total()
    ours, theirs = (
        [naive_tokens(line) for line in text.split("\n")] for text in (candidate, reference)
    )
    left = Counter(chain.from_iterable(ours)) & Counter(chain.from_iterable(theirs))
    matched = 0
    for sentence in theirs:
        for i in naive_union(sentence, ours):
            matched += left[sentence[i]] > 0
            left[sentence[i]] -= left[sentence[i]] > 0
    return matched, sum(map(len, theirs)), sum(map(len, ours))


texts = st.lists(
    st.sampled_from(["a", "b", "Aa", "ab", "a-b", "\u00e4b", "1", "\n", "."]), max_size=25
).map(" ".join)


@settings(deadline=None, max_examples=300)
@given(texts, st.lists(texts, min_size=1, max_size=3), st.sampled_from(NAMES))
def test_scores_equal_the_definition(candidate, references, name):
    counts = [naive_matches(candidate, reference, name) for reference in references]
    matched, theirs, ours = (sum(column) for column in zip(*counts, strict=True))
    score = rouge(candidate, references, [name])[name]
    assert score.recall == pytest.approx(matched / theirs if theirs else 0)
    assert score.precision == pytest.approx(matched / ours if ours else 0)
    both = score.recall + score.precision
    assert score.f1 == pytest.approx(2 * score.recall * score.precision / both if both else 0)


@settings(deadline=None, max_examples=100)
@given(texts, st.lists(texts, min_size=1, max_size=3), st.sampled_from(NAMES))
def test_properties(candidate, references, name):
    pooled, best = (
        rouge(candidate, references, [name], multiple=m)[name] for m in ("pool", "best")
    )
    assert best.recall >= pooled.recall - 1e-5
    assert rouge(candidate, references[::-1], [name])[name] == pooled
    itself = rouge(candidate, [candidate], [name])[name]
    assert triple(itself) in ((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))


def test_common_subsequences_of_long_sentences():
    rng = random.Random(3)
    candidate, reference = (" ".join(rng.choices("abcdefgh", k=200)) for _ in range(2))
    matched = len(naive_union(reference.split(), [candidate.split()]))
    assert rouge(candidate, [reference], ["ROUGE-L"])["ROUGE-L"].recall == pytest.approx(
        matched / 200
    )


@pytest.mark.parametrize("options", [{"stem": True}, {"bytes": 100}])
def test_prepared_references_score_many_candidates(options):
    references = References(REFERENCES, NAMES, **options)
    for candidate in (CANDIDATE, *REFERENCES, ""):
        assert references.score(candidate) == rouge(candidate, REFERENCES, NAMES, **options)
    assert list(references.score("")) == NAMES


def test_every_metric_is_registered():
    assert sorted(METRICS) == sorted(NAMES)


@pytest.mark.parametrize("name", ["ROUGE-S*", "ROUGE-SU*"])
def test_all_pairs_of_words_take_little_memory(name):
    rng = random.Random(4)
    texts = [" ".join(rng.choices("abcdefgh", k=500)) for _ in range(3)]
    # Pairs are counted as they come: a list of those of one text alone would take 8 MB.
    assert peak(lambda: rouge(texts[0], texts[1:], [name])) < 2**20
    with pytest.raises(
        UsageError, match="take texts of up to 5000 words, got 5001; score ROUGE-S4 or SU4"
    ):
        rouge("a " * 5001, ["a"], [name])


def test_one_text_for_a_list_of_references_is_an_error():
    for call in (lambda: rouge("newts sing", "newts sing"), lambda: References("newts sing")):
        with pytest.raises(ArgumentError, match="references: expected a list of texts, got one"):
            call()
    with pytest.raises(ArgumentError, match="summaries: expected a list"):
        Topic("t", summaries="newts sing")
