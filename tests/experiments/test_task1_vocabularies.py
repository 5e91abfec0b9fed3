"""Free vocabularies of UMLS as one table, from invented tables, read by ilpsum's own reader."""

import sqlite3

from experiments.task1_vocabularies import main
from ilpsum.task1.thesaurus import Thesaurus

MESH = (
    "ui\tname\tentry_terms\ttree_numbers\nD1\tGlimmer Fever\tShine Disease|Fever, Glimmer\tC91.100\n"
    "D2\tNight Glimmer\t\tC91.100.200\nD3\tPublication Formats\t\tV02\nD4\tMoss Letters\t\tV02.100\n"
)
GO = """
CREATE TABLE go_term (_id INTEGER, term TEXT, ontology TEXT);
CREATE TABLE go_synonym (_id INTEGER, synonym TEXT, like_go_id INTEGER);
CREATE TABLE go_bp_parents (_id INTEGER, _parent_id INTEGER, relationship_type TEXT);
CREATE TABLE go_mf_parents (_id INTEGER, _parent_id INTEGER, relationship_type TEXT);
CREATE TABLE go_cc_parents (_id INTEGER, _parent_id INTEGER, relationship_type TEXT);
INSERT INTO go_term VALUES (1, 'all', 'universal'), (2, 'moss growth', 'BP'), (3, 'pond moss growth', 'BP'),
    (4, 'night glimmer', 'BP');
INSERT INTO go_synonym VALUES (2, 'growth of moss', 0), (2, 'GO:9999999', 1);
INSERT INTO go_bp_parents VALUES (3, 2, 'isa'), (4, 2, 'regulates'), (2, 1, 'isa');
"""
GENES = """
CREATE TABLE gene_info (_id INTEGER, gene_name TEXT, symbol TEXT);
CREATE TABLE alias (_id INTEGER, alias_symbol TEXT);
INSERT INTO gene_info VALUES (1, 'toad factor 1', 'TDF1');
INSERT INTO alias VALUES (1, 'TDF1'), (1, 'WARTY');
"""


def test_vocabularies_are_read_as_umls(tmp_path, monkeypatch, capsys):
    mesh, go, genes, out = (
        tmp_path / name for name in ("mesh.tsv", "GO.sqlite", "genes.sqlite", "umls.tsv")
    )
    mesh.write_text(MESH, encoding="utf-8")
    for path, script in ((go, GO), (genes, GENES)):
        table = sqlite3.connect(path)
        table.executescript(script)
        table.close()
    arguments = ["--out", out, "--mesh", mesh, "--go", go, "--genes", genes]
    monkeypatch.setattr("sys.argv", ["task1_vocabularies.py", *map(str, arguments)])
    main()
    # Night Glimmer is one concept of MeSH and GO.
    assert capsys.readouterr().out.startswith("7 concepts with 13 terms")
    thesaurus = Thesaurus.read([out])

    def concept(*words):
        ((_, end, (name,)),) = thesaurus.find(words)
        assert end == len(words)
        return name

    assert concept("glimmer", "fever") == concept("shine", "disease")
    assert "Night Glimmer" in thesaurus.expansion(concept("glimmer", "fever"))
    assert "pond moss growth" in thesaurus.expansion(concept("growth", "of", "moss"))
    assert "night glimmer" not in thesaurus.expansion(concept("moss", "growth"))
    assert concept("tdf1") == concept("warty") == concept("toad", "factor", "1")
    assert thesaurus.expansion(concept("moss", "letters")) == []
    assert thesaurus[concept("glimmer", "fever")].types == ()
