import math

import pytest

from experiments.parser.compressions import (
    ManualCompressions,
    between_annotators,
    bleu,
    evaluate_compressions,
    read_compressions,
    read_manual,
)
from experiments.parser.judgments import agreements, read_judgments
from ilpsum.cli import main
from ilpsum.errors import InputError

TITLES = (
    "id\ttitle\tann\tbob\n"
    "1\tThe growth of moss in ponds.\tGrowth of moss.\tMoss growth in ponds.\n"
    "2\tToads: a field study.\tToads.\t\n"
)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "titles.tsv"
    path.write_text(TITLES, encoding="utf-8")
    return path


@pytest.fixture
def references(path):
    return read_manual(path)


def test_references_are_read(references):
    assert references.annotators == ("ann", "bob")
    assert references.compressions == (
        ("Growth of moss.", "Toads."),
        ("Moss growth in ponds.", None),
    )


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
        read_manual(path)


def test_annotators_are_measured_against_each_other(references):
    found = between_annotators(references)
    assert [(row.name, row.titles) for row in found] == [
        ("ann against bob", 1),
        ("bob against ann", 1),
    ]
    assert found[0].bleu == pytest.approx(bleu(["Growth of moss."], [["Moss growth in ponds."]]))
    assert found[0].characters.mean == pytest.approx(15 / 28)


def test_a_single_annotator_has_lengths_but_no_score(references):
    alone = ManualCompressions(
        references.ids, references.titles, ("ann",), references.compressions[:1]
    )
    (row,) = between_annotators(alone)
    assert (row.name, row.titles) == ("ann", 2)
    assert math.isnan(row.bleu)


def test_an_id_that_occurs_twice_is_an_error(path):
    path.write_text(TITLES + "1\tNewts sing.\tNewts.\t\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"titles.tsv:4: the id 1 occurs twice, first on line 2"):
        read_manual(path)


@pytest.mark.parametrize(
    "text",
    [
        "Growth of moss.\nToads: a field study.\n",
        "id\ttext\trules\n2\tToads: a field study.\t\n9\tNewts.\t\n1\tGrowth of moss.\tdt\n",
        '{"id": "2", "text": "Toads: a field study."}\n{"id": "1", "text": "Growth of moss."}\n',
    ],
)
def test_compressions_are_read_in_every_form(tmp_path, references, text):
    run = tmp_path / "run"
    run.write_text(text, encoding="utf-8")
    assert read_compressions(run, references) == ("Growth of moss.", "Toads: a field study.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Moss.\n", "1 lines for 2 titles"),
        ("id\ttext\n1\tMoss.\n", "no compression of 1 titles, the first 2"),
        ("id\ttext\n1\n", "run:2: no tab"),
        ('{"id": "1"}\n', "run:1: no id and text"),
        ('{"id": "1", "text": "x"}\n{\n', "run:2: not JSON"),
    ],
)
def test_errors_in_compressions(tmp_path, references, text, message):
    run = tmp_path / "run"
    run.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_compressions(run, references)


def test_rows_of_a_run(references):
    texts = ("Growth of moss.", "Toads: a field study.")
    rows = {row.name: row for row in evaluate_compressions("run", texts, references)}
    assert list(rows) == ["run", "run, changed", "untrimmed", "ann against bob", "bob against ann"]
    assert [rows[name].titles for name in ("run", "run, changed", "untrimmed")] == [2, 1, 2]
    assert rows["run"].bleu == pytest.approx(bleu(texts, references.references))
    assert rows["run, changed"].bleu == pytest.approx(1.0)
    assert rows["run"].characters.mean == pytest.approx((15 / 28 + 1) / 2)
    assert rows["run"].characters.deviation == pytest.approx((1 - 15 / 28) / 2)
    assert (rows["run, changed"].words_cut.mean, rows["untrimmed"].words_cut.mean) == (3, 0)


def test_a_run_that_changed_nothing(references):
    changed = evaluate_compressions("run", references.titles, references)[1]
    assert changed.titles == 0
    assert math.isnan(changed.bleu)


def test_the_output_of_compress_is_read(path, tmp_path, references, capsys):
    assert main(["compress", str(path), "--from", "tsv", "-o", "tsv"]) == 0
    compressed = tmp_path / "run.tsv"
    compressed.write_text(capsys.readouterr().out, encoding="utf-8")
    texts = read_compressions(compressed, references)
    assert len(texts) == 2
    assert texts[1].startswith("Toads")


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
    assert (ann.titles, ann.no_to_yes, ann.yes_to_no, ann.true_negatives) == (4, 1, 1, 1)
    assert (ann.precision, ann.recall, ann.f1) == (0.5, 0.5, 0.5)
    both = rows["a", "all"]
    assert (both.titles, both.true_positives) == (5, 2)
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
