"""UMLS and MetaMap's output as tables of `link`; all concepts are invented."""

import gzip
from pathlib import Path

import pytest

from experiments.umls_table import main as convert
from ilpsum.cli import main as ilpsum
from ilpsum.task1.thesaurus import Thesaurus


def name(cui: str, text: str, language: str = "ENG", best: str = "PPFY", off: str = "N") -> str:
    status, form, preferred = best[:1], best[1:3], best[3:]
    row = [cui, language, status, "L1", form, "S1", preferred, "A1", "", "", "", "SRC", "PT", "1"]
    return "|".join([*row, text, "0", off, "", ""]) + "\n"


def relation(first: str, kind: str, second: str, off: str = "N") -> str:
    row = [first, "A", "AUI", kind, second, "A", "AUI", "", "R", "", "SRC", "SRC", "", "", off]
    return "|".join([*row, "", ""]) + "\n"


@pytest.fixture
def meta(tmp_path: Path) -> Path:
    names = [
        name("C1", "Shine disease", best="SVCN"),
        name("C1", 'Glimmer "fever"'),
        name("C1", "Fièvre", language="FRE"),
        name("C1", "Old shine", off="O"),
        name("C2", "Night glimmer"),
    ]
    (tmp_path / "MRCONSO.RRF").write_text("".join(names), encoding="utf-8")
    with gzip.open(tmp_path / "MRSTY.RRF.gz", "wt") as stream:
        stream.write("C1|T047|B2|Disease|AT1||\nC9|T047|B2|Disease|AT2||\n")
    kinds = [
        relation("C1", "CHD", "C2"),
        relation("C2", "PAR", "C1"),
        relation("C1", "RN", "C9"),
        relation("C2", "SY", "C1", off="Y"),
    ]
    (tmp_path / "MRREL.RRF").write_text("".join(kinds))
    return tmp_path


def test_umls_becomes_a_table_of_link(meta, capsys):
    table = meta / "umls.tsv"
    convert([str(meta), "--out", str(table)])
    assert capsys.readouterr().out == f"2 concepts in {table}\n"
    first, second = Thesaurus.read([table])
    assert (first.id, first.name, first.types) == ("C1", 'Glimmer "fever"', ("T047",))
    assert set(first.terms) == {'Glimmer "fever"', "Shine disease"}
    # Children expand a concept, parents do not; C9 has no English name.
    assert (first.related, second.related) == (("C2",), ())


def test_what_metamap_found_is_found_by_link(tmp_path, tac_topic):
    output = tmp_path / "output.txt"
    output.write_text(
        '1|MMI|5.18|Glimmer Fever|C0000001|[dsyn,fndg]|["Glimmer fever"-tx-1-"shining ill"-noun-0,'
        '"Shine disease"-tx-2-"shine"-noun-1]|TI;TX|3/11|C91.100|\n'
        "1|AA|GF|glimmer fever|1|2|3|4|5:2\n",
        encoding="utf-8",
    )
    table = tmp_path / "metamap.tsv"
    convert([str(output), "--out", str(table)])
    thesaurus = Thesaurus.read([table])
    assert thesaurus["C0000001"].types == ("dsyn", "fndg")
    found = thesaurus.find(("a", "shining", "ill", "toad", "with", "shine"))
    assert found == [(1, 3, ("C0000001",)), (5, 6, ("C0000001",))]
    topic = tac_topic(gold=False)  # type: ignore[operator]
    links = str(tmp_path / "links.txt")
    command = ["link", str(topic), "--query", "comb-1", "--umls", str(table), "--out", links]
    assert ilpsum([*command, "--quiet"]) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [("no output of metamap\n", "make it by `metamap -N`"), ("1|MMI|5.18|Fever\n", "4 fields")],
)
def test_other_files_are_refused(tmp_path, content, message, capsys):
    path = tmp_path / "x.txt"
    path.write_text(content)
    for source, expected in ((path, message), (tmp_path, "no MRCONSO.RRF")):
        with pytest.raises(SystemExit, match="2"):
            convert([str(source), "--out", str(tmp_path / "t.tsv")])
        assert expected in capsys.readouterr().err
