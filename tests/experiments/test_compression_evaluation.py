import math

import pytest

from experiments.parser.evaluation import (
    THRESHOLDS,
    CachingParser,
    Study,
    between_annotators,
    bleu,
    plot,
    read_references,
    tables,
)
from experiments.parser.judgments import agreements, read_judgments
from ilpsum.compression.compressor import CompressorOptions
from ilpsum.compression.trees import read_tree
from ilpsum.errors import InputError, ModelError
from ilpsum.io.idf import IdfTable, count, load_idf, save_idf, singular

TITLES = (
    "id\ttitle\tann\tbob\n"
    "1\tThe growth of moss in ponds.\tGrowth of moss.\tMoss growth in ponds.\n"
    "2\tToads: a field study.\tToads.\t\n"
)
TREES = (
    "(S1 (S (NP (NP (DT The) (NN growth)) (PP (IN of) (NP (NN moss))) (PP (IN in) (NP (NNS ponds))) (. .))))",
    "(S1 (S (NP (NP (NNS Toads)) (: :) (NP (DT a) (NN field) (NN study)) (. .))))",
)


class Failing:
    def parse(self, sentences):
        return [None] * len(sentences)


@pytest.fixture
def references(tmp_path):
    path = tmp_path / "titles.tsv"
    path.write_text(TITLES, encoding="utf-8")
    return read_references(path)


@pytest.fixture
def study(references):
    options = CompressorOptions((), idf=lambda word: {"moss": 3.2}.get(word, 2.6), min_words=1)
    return Study(references.titles, tuple(map(read_tree, TREES)), options, Failing(), references)


def test_references_are_read(references):
    assert references.annotators == ("ann", "bob")
    assert references.compressions == (("Growth of moss.", "Toads."), ("Moss growth in ponds.", None))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id\ttitle\n1\tToads\n", 1),
        ("judge\tid\tround\n", 1),
        ("id\ttitle\tann\n1\tToads\n", 2),
        ("id\ttitle\tann\n1\tToads\t\n", 2),
        ("", 1),
    ],
)
def test_errors_in_references_name_the_line(tmp_path, text, line):
    path = tmp_path / "titles.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rf"titles.tsv:{line}: "):
        read_references(path)


def test_bleu_is_sacrebleus():
    import sacrebleu

    texts = ["growth of green moss in the ponds", "toads live in the wet moss"]
    one = ["growth of moss in the northern ponds", "toads live in wet moss today"]
    two = ["the growth of green moss in ponds", "toads live in the moss"]
    value, signature = bleu(texts, [one, two])
    assert value == pytest.approx(sacrebleu.corpus_bleu(texts, [one, two]).score / 100)
    assert "nrefs:2" in signature
    assert "version:" in signature
    assert bleu(texts, [texts])[0] == pytest.approx(1.0)
    # A reference that is missing does not count against a text.
    assert bleu(texts, [texts, [None, "x"]])[0] == pytest.approx(1.0)


def test_annotators_are_measured_against_each_other(references):
    found = between_annotators(references)
    assert [(a, b) for a, b, _ in found] == [("ann", "bob"), ("bob", "ann")]
    assert found[0][2] == pytest.approx(bleu(["Growth of moss."], [["Moss growth in ponds."]])[0])


def test_tables_have_the_papers_rows(study):
    found = tables(study)
    alone = {row.setting: row for row in found["rules alone"]}
    assert list(alone) == [
        "untrimmed", "subtitle", "dt", "vbg", "nested-pp", "serial-pp", "conjoined-np", "simple-np",
    ]  # fmt: skip
    assert [alone[name].titles for name in ("untrimmed", "subtitle", "dt", "vbg", "serial-pp")] == [2, 1, 2, 0, 1]
    assert alone["untrimmed"].characters.mean == 1
    # "Toads: a field study." loses ": a field study", 15 characters of 21 and 3 words of 4.
    assert alone["subtitle"].characters.mean == pytest.approx(6 / 21)
    assert (alone["subtitle"].characters_cut.mean, alone["subtitle"].words_cut.mean) == (15, 3)
    assert math.isnan(alone["vbg"].characters.mean)
    sequence = found["rules in sequence"]
    assert [row.setting for row in sequence][:3] == ["untrimmed", "subtitle", "+ dt"]
    means = [row.characters.mean for row in sequence]
    assert means == sorted(means, reverse=True)
    assert sequence[-1].titles == 2
    assert sequence[-1].bleu > sequence[0].bleu
    assert [float(row.setting) for row in found["simple-np alone, by idf threshold"]] == list(THRESHOLDS)
    assert (THRESHOLDS[0], THRESHOLDS[-1], len(THRESHOLDS)) == (2.0, 10.0, 17)


def test_standard_deviations_are_over_the_titles(study):
    first = tables(study)["rules in sequence"][1]
    # One title of two is cut to 6/21, the other stays.
    assert first.characters.deviation == pytest.approx((1 - 6 / 21) / 2)


def test_the_plot_is_drawn(study, tmp_path):
    path = tmp_path / "plot.png"
    plot(tables(study), path)
    assert path.read_bytes().startswith(b"\x89PNG")


ANSWERS = (
    "judge\tid\tround\tanswer\tvariant\n"
    "ann\t1\tshort\tyes\ta\nann\t1\tfull\tyes\ta\n"
    "ann\t2\tshort\tno\ta\nann\t2\tfull\tyes\ta\n"
    "ann\t3\tshort\tyes\ta\nann\t3\tfull\tno\ta\n"
    "ann\t4\tshort\tno\ta\nann\t4\tfull\tno\ta\n"
    "bob\t1\tfull\tyes\ta\nbob\t1\tshort\tyes\ta\n"
    "bob\t2\tshort\tno\ta\n"
    "ann\t1\tshort\tno\tb\nann\t1\tfull\tno\tb\n"
)


def test_judgments(tmp_path):
    path = tmp_path / "answers.tsv"
    path.write_text(ANSWERS, encoding="utf-8")
    rows = {(row.variant, row.judge): row for row in agreements(read_judgments(path))}
    assert list(rows) == [("a", "ann"), ("a", "bob"), ("a", "all"), ("b", "ann"), ("b", "all")]
    ann = rows["a", "ann"]
    assert (ann.titles, ann.flips, ann.lost, ann.false) == (4, 2, 1, 1)
    assert (ann.precision, ann.recall, ann.f1) == (0.5, 0.5, 0.5)
    both = rows["a", "all"]
    assert (both.titles, both.flips) == (5, 2)
    assert both.f1 == pytest.approx(2 / 3)
    assert math.isnan(rows["b", "ann"].precision)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("judge\tid\tround\n", 1),
        ("judge\tid\tround\tanswer\nann\t1\tfirst\tyes\n", 2),
        ("judge\tid\tround\tanswer\nann\t1\tfull\tperhaps\n", 2),
        ("judge\tid\tround\tanswer\nann\t1\tfull\tyes\nann\t1\tfull\tno\n", 3),
    ],
)
def test_errors_in_answers_name_the_line(tmp_path, text, line):
    path = tmp_path / "answers.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rf"answers.tsv:{line}: "):
        read_judgments(path)


def test_idf_counts_documents_not_occurrences(tmp_path):
    table = count(["Toads and a toad.", "A toad sits.", "Moss, moss.", "Moss grows"])
    assert table.counts == {"moss": 2, "toad": 2}
    assert table("toads") == pytest.approx(math.log(2))
    assert table("unheard") == pytest.approx(math.log(4))
    assert table("moss-unheard") == pytest.approx(math.log(4))
    assert table("5") == 0
    path = tmp_path / "idf.npz"
    save_idf(path, table, {"documents": "invented"})
    assert load_idf(path) == table
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ModelError):
        load_idf.__wrapped__(path)


def test_the_included_idf_separates_heavy_from_lightweight_heads():
    table = load_idf()
    assert isinstance(table, IdfTable)
    assert table.documents == 15975
    # The paper's example: "gene" is a lightweight head, "nucleosome" is not.
    assert table("gene") < 2.0 < table("nucleosome")


@pytest.mark.parametrize(
    ("word", "plain"), [("Studies", "study"), ("virus", "virus"), ("gas", "gas"), ("toads", "toad")]
)
def test_plural_endings(word, plain):
    assert singular(word) == plain


def test_the_tables_parse_each_title_once():
    class Counting:
        def __init__(self):
            self.seen = []

        def parse(self, sentences):
            self.seen += [tuple(words) for words in sentences]
            return [None if len(words) > 1 else read_tree(f"(S1 (NN {words[0]}))") for words in sentences]

    counting = Counting()
    cached = CachingParser(counting)
    asked = [["moss"], ["a", "toad"], ["moss"]]
    first = cached.parse(asked)
    assert first == cached.parse(asked)
    assert [tree is None for tree in first] == [False, True, False]
    assert counting.seen == [("moss",), ("a", "toad")]
