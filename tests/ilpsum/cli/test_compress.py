import gzip
import io
import json
import subprocess
import sys

import pytest

from ilpsum.cli import main
from ilpsum.compression.trees import read_tree
from tests.json_lines import read_lines

TITLES = ["The growth of moss in ponds: a field study.", "", "Toads eat the moss.", "   ", "x"]


def run(capsys, *arguments):
    status = main(["compress", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def titles(tmp_path):
    path = tmp_path / "titles.txt"
    path.write_text("\n".join(TITLES) + "\n", encoding="utf-8")
    return path


def test_one_line_for_each_line(titles, capsys):
    status, out, err = run(capsys, titles)
    assert (status, err) == (0, "")
    assert out.split("\n") == ["Growth of moss.", "", "Toads eat moss.", "   ", "x", ""]


def test_tsv_has_rules_ratios_and_parse(titles, capsys):
    _, out, _ = run(capsys, titles, "-o", "tsv", "--rules", "dt,subtitle")
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["id", "text", "rules", "characters", "words", "parse", "fits"]
    assert rows[1] == [
        "1",
        "Growth of moss in ponds.",
        "subtitle,dt",
        "0.558140",
        "0.555556",
        "parser",
        "true",
    ]
    assert rows[2] == ["2", "", "", "1.000000", "1.000000", "none", "true"]
    assert len(rows) == len(TITLES) + 1


def test_jsonl_has_the_cuts(titles, capsys):
    _, out, _ = run(capsys, titles, "-o", "jsonl", "--max-chars", "5", "--variant", "b")
    records = read_lines(out)
    assert [record["source"] for record in records] == TITLES
    assert records[0]["cuts"][0] == {"rule": "subtitle", "text": ": a field study"}
    assert records[0]["fits"] is False
    assert records[4] == {
        "id": "5", "source": "x", "text": "x", "rules": [], "cuts": [], "characters": 1.0, "words": 1.0,
        "parse": "none", "fits": True,
    }  # fmt: skip


def test_texts_that_do_not_fit_give_a_warning(titles, capsys):
    status, out, err = run(capsys, titles, "--max-chars", "16")
    assert (status, out.split("\n")[0]) == (0, "Growth of moss.")
    assert err == ""
    status, _, err = run(capsys, titles, "--max-chars", "14")
    assert status == 0
    assert err == (
        "ilpsum: 2 of 5 texts are longer than 14 characters after compression; see `fits` in -o tsv or -o jsonl\n"
    )
    assert run(capsys, titles, "--max-chars", "14", "--quiet")[2] == ""


def test_json_lines_and_gzip(tmp_path, capsys):
    path = tmp_path / "titles.jsonl.gz"
    records = [{"pmid": 7, "title": "The moss\ngrows."}, {"id": "b", "text": "A toad\ud800 sits."}]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))
    _, out, _ = run(capsys, path, "-o", "tsv")
    assert [line.split("\t")[:2] for line in out.splitlines()[1:]] == [
        ["7", "Moss grows."],
        ["b", "toad\ufffd sits."],
    ]


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.jsonl", '{"title": "x y"}\n{"title": 5}\n', ":2:"),
        ("a.jsonl", '{"title": "x y"}\n{"title":\n', ":2:"),
        ("a.xml", "<PubmedArticleSet><PubmedArticle>", ""),
        (
            "a.xml",
            '<!DOCTYPE x [<!ENTITY a "b">]><PubmedArticleSet>&a;</PubmedArticleSet>',
            "entities",
        ),
    ],
)
def test_unreadable_input_gives_a_one_line_error(tmp_path, capsys, name, text, place):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    status, _, err = run(capsys, path)
    assert status == 2
    assert err.count("\n") == 1
    assert name + place in err or place in err


def test_a_missing_file_and_unknown_rules(capsys, tmp_path):
    assert run(capsys, tmp_path / "nowhere")[0] == 2
    status, _, err = run(capsys, tmp_path / "nowhere", "--rules", "dtt")
    assert status == 2
    assert "nested-pp" in err


def test_given_trees_are_used(tmp_path, titles, capsys):
    trees = tmp_path / "trees.txt"
    # A tree with a determiner that isn't one, an empty one, and ones that fit no text.
    lines = [
        "",
        "()",
        "(S1 (NP (DT Toads) (NN eat) (DT the) (NN moss) (. .)))",
        "(S1 (X (Y z)))",
        "(S1 (X (Y z)))",
    ]
    trees.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _, out, _ = run(capsys, titles, "--trees", trees, "--rules", "dt", "-o", "tsv")
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    assert rows[2][1] == "Eat moss."
    assert [row[5] for row in rows] == ["parser", "none", "given", "none", "parser"]


def test_every_text_needs_a_tree(tmp_path, titles, capsys):
    trees = tmp_path / "trees.txt"
    trees.write_text("(S1 (X (Y z)))\n", encoding="utf-8")
    status, _, err = run(capsys, titles, "--trees", trees)
    assert status == 2
    assert "trees.txt:2:" in err


def test_trees_with_options_that_exclude_them(titles, capsys):
    assert run(capsys, titles, "--trees", titles, "--parse")[0] == 2
    assert run(capsys, titles, "--tokenized")[0] == 2
    assert run(capsys, titles, "--trees", "-")[0] == 2


def test_parse_prints_a_tree_a_line(tmp_path, capsys):
    path = tmp_path / "tokens.txt"
    long = " ".join(["moss"] * 400)
    path.write_text(f"Toads -LRB- newts -RRB- eat [ moss ] .\n\n{long}\n", encoding="utf-8")
    status, out, _ = run(capsys, path, "--parse", "--tokenized")
    lines = out.split("\n")
    assert status == 0
    assert len(lines) == 4
    assert read_tree(lines[0]).leaves() == "Toads -LRB- newts -RRB- eat -LSB- moss -RSB- .".split()
    assert lines[0].startswith("(S1 (S ")
    assert lines[1] == ""
    assert len(read_tree(lines[2]).leaves()) == 400


def test_standard_input_in_cp1252_is_read_as_such_and_told(monkeypatch, capsysbinary):
    raw = b"The moss of K\xf6ln.\r\nA toad\x0bsits\xe2\x80\xa8here.\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(raw))))
    assert main(["compress", "--rules", "dt"]) == 0
    out, err = capsysbinary.readouterr()
    assert out.decode() == "Moss of K\xf6ln.\nToad sits here.\n"
    assert err.decode() == "ilpsum: standard input:1: not UTF-8 (byte 13); read as cp1252\n"


@pytest.mark.parametrize("text", ["", "[]", "[ ]\n", "id\ttitle\n"])
def test_input_without_a_text_is_an_error(tmp_path, capsys, text):
    path = tmp_path / "titles.json"
    path.write_text(text, encoding="utf-8")
    form = ["--from", "tsv"] if "\t" in text else []
    status, out, err = run(capsys, path, *form)
    assert (status, out) == (2, "")
    expected = "expected lines, JSON lines or PubMed XML"
    assert err == f"ilpsum: {path}: no text to compress; {expected}\n"


def test_a_list_of_records_is_read_as_json_lines_are(tmp_path, capsys):
    path = tmp_path / "titles.json"
    path.write_text('[{"pmid": 7, "title": "The moss"},\n {"text": "A toad"}]', encoding="utf-8")
    status, out, _ = run(capsys, path, "-o", "tsv")
    rows = [line.split("\t")[:2] for line in out.splitlines()[1:]]
    assert (status, rows) == (0, [["7", "The moss"], ["2", "A toad"]])


def test_the_header_of_a_table_names_its_columns(tmp_path, capsys):
    path = tmp_path / "titles.tsv"
    path.write_text("PMID\tYear\tTitle\n7\t1999\tThe moss\n\n8\t2001\tA toad\n", encoding="utf-8")
    # Also without --from: the file's name tells.
    for form in (["--from", "tsv"], []):
        status, out, _ = run(capsys, path, *form, "-o", "tsv")
        rows = [line.split("\t")[:2] for line in out.splitlines()[1:]]
        assert (status, rows) == (0, [["7", "The moss"], ["8", "A toad"]])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id\tyear\n1\t1999\n", "1: no column title or text, got id, year;"),
        ("id\tyear\ttitle\n1\t1999\n", "2: 2 columns; expected 3 as in the header"),
    ],
)
def test_a_table_without_titles_is_refused(tmp_path, capsys, text, problem):
    path = tmp_path / "titles.tsv"
    path.write_text(text, encoding="utf-8")
    status, out, err = run(capsys, path, "--from", "tsv")
    assert (status, out) == (2, "")
    assert f"{path}:{problem}" in err


def test_processes_give_the_same_output(tmp_path, capsys):
    path = tmp_path / "many.txt"
    path.write_text(
        "".join(f"The growth of moss {n} in a pond near the toads.\n" for n in range(300)),
        encoding="utf-8",
    )
    alone = run(capsys, path, "-o", "tsv")
    assert run(capsys, path, "-o", "tsv", "--jobs", "2") == alone
    assert alone[1].count("\n") == 301


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from ilpsum.cli import main\n"
        "try: main(['compress', '--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'nltk', 'sacrebleu', 'matplotlib', 'gensim', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_compressing_loads_the_trees_of_nltk_alone(titles):
    code = (
        f"import sys; from ilpsum.cli import main; main(['compress', {str(titles)!r}, '--variant', 'b'])\n"
        "heavy = ('nltk.tree', 'nltk', 'sacrebleu', 'matplotlib', 'gensim', 'scipy', 'sklearn')\n"
        "print([m for m in heavy if m in sys.modules])\n"
        "import nltk; print(nltk.Tree is sys.modules['nltk.tree'].Tree)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["['nltk.tree']", "True"]


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\n", b"PK\x03\x04\x00\x00", b"\x89PNG\r\n\x1a\n\x00\x00"]
)
def test_binary_input_gives_a_one_line_error(tmp_path, capsys, content):
    path = tmp_path / "titles.bin"
    path.write_bytes(content)
    status, out, err = run(capsys, path, "--quiet")
    assert (status, out) == (2, "")
    assert err == f"ilpsum: {path}: not a text file; expected lines, JSON lines or PubMed XML\n"


def test_strict_and_an_idf_of_ones_own(tmp_path, capsys):
    titles, idf = tmp_path / "titles.txt", tmp_path / "idf.tsv"
    titles.write_text("No effect of the red toad on the green newt.\n", encoding="utf-8")
    idf.write_text("toads\t1.5\nnewt\t4\nnewts\t3.5\n\n", encoding="utf-8")
    rules = ("--rules", "dt,simple-np")
    assert run(capsys, titles, *rules)[1] == "No effect of toad on newt.\n"
    assert run(capsys, titles, *rules, "--strict")[1] == "Effect of toad on newt.\n"
    assert run(capsys, titles, *rules, "--idf", idf)[1] == "No effect of red toad on newt.\n"
    assert run(capsys, titles, *rules, "--idf", idf, "--idf-threshold", "3.5")[1] == (
        "No effect of red toad on green newt.\n"
    )


@pytest.mark.parametrize(
    "text", ["toad 1.5\n", "toad\tcommon\n", "toad\t-1\n", "\t2\n", "toad\tnan\n", "\n"]
)
def test_errors_in_a_table_of_idf_name_the_file(tmp_path, titles, capsys, text):
    idf = tmp_path / "idf.tsv"
    idf.write_text(text, encoding="utf-8")
    status, out, err = run(capsys, titles, "--variant", "b", "--idf", idf)
    assert (status, out) == (2, "")
    assert "idf.tsv" in err
    assert "expected a word, a tab and its IDF" in err


def test_idf_needs_the_rule_that_uses_it(titles, capsys):
    status, _, err = run(capsys, titles, "--idf", titles)
    assert status == 2
    assert "--variant b" in err
