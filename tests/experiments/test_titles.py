import math
from dataclasses import replace

import pytest

from experiments.__main__ import main
from experiments.parser.compressions import read_manual
from experiments.parser.evaluation import THRESHOLDS, CachingParser, Study, read_trees
from experiments.parser.idf import count, save_idf
from ilpsum.compression.published_rules import CompressorOptions
from ilpsum.compression.trees import read_tree
from ilpsum.errors import InputError, ModelError
from ilpsum.files.idf import IdfTable, load_idf, singular

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
    return read_manual(path)


@pytest.fixture
def study(references):
    options = CompressorOptions((), idf=lambda word: {"moss": 3.2}.get(word, 2.6), min_words=1)
    return Study(references.titles, tuple(map(read_tree, TREES)), options, Failing(), references)


def test_each_rule_alone_and_in_sequence(study):
    alone = {row.name: row for row in [study.untrimmed(), *study.alone()]}
    assert list(alone) == [
        "untrimmed", "subtitle", "dt", "vbg", "nested-pp", "serial-pp", "conjoined-np", "simple-np",
    ]  # fmt: skip
    titles = [alone[name].titles for name in ("untrimmed", "subtitle", "dt", "vbg", "serial-pp")]
    assert titles == [2, 1, 2, 0, 1]
    assert alone["untrimmed"].characters.mean == 1
    # "Toads: a field study." loses ": a field study", 15 characters of 21 and 3 words of 4.
    assert alone["subtitle"].characters.mean == pytest.approx(6 / 21)
    assert (alone["subtitle"].characters_cut.mean, alone["subtitle"].words_cut.mean) == (15, 3)
    assert math.isnan(alone["vbg"].characters.mean)
    sequence = study.in_sequence()
    assert [row.name for row in sequence][:2] == ["subtitle", "+ dt"]
    means = [row.characters.mean for row in sequence]
    assert means == sorted(means, reverse=True)
    assert sequence[-1].titles == 2
    assert sequence[-1].bleu > study.untrimmed().bleu
    assert [float(row.name) for row in study.thresholds()] == list(THRESHOLDS)
    assert (THRESHOLDS[0], THRESHOLDS[-1], len(THRESHOLDS)) == (2.0, 10.0, 17)
    # One title of two is cut to 6/21, the other stays.
    assert sequence[0].characters.deviation == pytest.approx((1 - 6 / 21) / 2)


def test_the_variants_are_the_first_six_rules_and_all_seven(study):
    a, b = study.variants()
    sequence = study.in_sequence()
    assert (a.name, b.name) == ("variant A", "variant B")
    assert (a.characters, b.characters) == (sequence[-2].characters, sequence[-1].characters)


def test_strict_rules_are_evaluated(study):
    strict = replace(study, options=replace(study.options, strict=True))
    # No exception of these titles keeps anything, so both leave the same.
    assert strict.variants() == study.variants()


def test_as_many_trees_as_titles(tmp_path):
    path = tmp_path / "trees"
    path.write_text("(S1 (NP (NN moss)))\n", encoding="utf-8")
    assert [tree.leaves() for tree in read_trees(path, ["Moss"])] == [["moss"]]
    assert read_trees(None, ["Moss", "Toads"]) == (None, None)
    with pytest.raises(InputError, match="1 trees for 2 titles"):
        read_trees(path, ["Moss", "Toads"])


def test_the_page_has_the_papers_tables_and_figures(tmp_path, capsys):
    titles = tmp_path / "titles.tsv"
    titles.write_text(TITLES, encoding="utf-8")
    short = tmp_path / "short.txt"
    short.write_text("Growth of moss.\nToads: a field study.\n", encoding="utf-8")
    out = tmp_path / "out"
    arguments = ["--titles", str(titles), "--compressions", str(short), "--out", str(out)]
    assert main(["titles", *arguments]) == 0
    page = (out / "titles.md").read_text(encoding="utf-8")
    for item in ("Table 1", "Table 3", "Table 4", "Figure 3", "Figure 4"):
        assert item in page
    # "Growth of moss." for "The growth of moss in ponds.": 13 of 28 characters go, 3 of 6 words;
    # "Toads." for "Toads: a field study.": 15 of 21, 3 of 4.
    assert "| ann | 2 | 0.411 | 14.00 ± 1.00 | 0.375 | 3.00 ± 0.00 |  |" in page
    assert "| ann against bob | 1 |" in page
    assert "`python -m experiments titles --titles titles.tsv --compressions short.txt`" in page
    assert str(tmp_path) not in page
    for plot in ("titles-figure3.svg", "titles-figure4.svg"):
        assert "</svg>" in (out / plot).read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["titles", *arguments]) == 2
    assert "--overwrite" in capsys.readouterr().err


def test_compressions_need_manual_ones(tmp_path, capsys):
    assert main(["titles", "--compressions", str(tmp_path / "x")]) == 2
    assert "name them by --titles" in capsys.readouterr().err


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
            return [
                None if len(words) > 1 else read_tree(f"(S1 (NN {words[0]}))")
                for words in sentences
            ]

    counting = Counting()
    cached = CachingParser(counting)
    asked = [["moss"], ["a", "toad"], ["moss"]]
    first = cached.parse(asked)
    assert first == cached.parse(asked)
    assert [tree is None for tree in first] == [False, True, False]
    assert counting.seen == [("moss",), ("a", "toad")]
