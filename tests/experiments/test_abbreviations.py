"""The table of abbreviations is learned from texts that define them."""

import gzip
import json

from experiments.abbreviations import LEAST, TYPED, abbreviations
from ilpsum.answers.alternatives import abbreviations as included


def test_a_short_form_that_enough_texts_define_alike_is_kept(tmp_path):
    plain = tmp_path / "papers.txt.gz"
    lines = ["Grey Newt Fever (GNF) is rare."] * (LEAST - 1) + ["Great newt folly (GNF) is not."]
    lines += ["Cold air newts (CAN) can sing; they can."] * LEAST  # a word of the language
    lines += ["Restless toad syndrome (RTS) is new."] * (LEAST - 1)  # too few
    plain.write_bytes(gzip.compress("\n".join(lines).encode()))
    abstracts = tmp_path / "abstracts.jsonl"
    record = {"title": "Newts", "abstract": "A grey newt fever (GNF) ward."}
    abstracts.write_text(json.dumps(record) + "\n")
    assert abbreviations([plain, abstracts]) == {**TYPED, "gnf": "grey newt fever"}


def test_the_included_table_has_what_clinicians_type():
    table = included()
    assert len(table) > 1500
    assert table["ckd"] == "chronic kidney disease"
    assert table["mi"] == "myocardial infarction"
    assert table["afib"] == "atrial fibrillation"
    assert "can" not in table
    assert all(short == short.lower() and long == long.lower() for short, long in table.items())
