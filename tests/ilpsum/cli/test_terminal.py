"""What reaches the terminal."""

import io
import json
import os
import subprocess
import sys

import pytest

from ilpsum.cli import main
from ilpsum.cli.terminal import escaped, escaping
from tests.json_lines import lines_of

CLEAR = "\x1b[2J\x9b31m\u202e"


@pytest.mark.parametrize("text", ["newts\tsing\n", "Ångström → µm", "日本"])
def test_plain_text_stays(text):
    assert escaped(text) == text


def test_controls_become_escapes_that_json_reads():
    assert escaped(CLEAR) == "\\u001b[2J\\u009b31m\\u202e"
    line = json.dumps({"id": CLEAR}, ensure_ascii=False)
    assert json.loads(escaped(line)) == {"id": CLEAR}


def test_whatever_is_printed_is_escaped(capsys):
    with escaping():
        sys.stdout.write(f"{CLEAR}\n")
        sys.stderr.write(f"{CLEAR} \ud800\n")
    out, err = capsys.readouterr()
    assert (out, err) == ("\\u001b[2J\\u009b31m\\u202e\n", "\\u001b[2J\\u009b31m\\u202e \\ud800\n")


def test_an_error_is_one_line_without_controls(tmp_path, capsys):
    assert main(["summarize", f"no{CLEAR}\nfile", "--out", str(tmp_path / "out")]) == 2
    assert main(["evaluate", f"{tmp_path}/{CLEAR}\n.txt", str(tmp_path)]) == 2
    with pytest.raises(SystemExit):
        main(["summarize", "x", f"--{CLEAR}\n"])
    err = capsys.readouterr().err
    assert err.count("\n") == 3
    assert not set(CLEAR[0] + CLEAR[4] + CLEAR[-1]) & set(err)


def test_ids_of_topics_are_printed_without_controls(tmp_path, capsys):
    run = tmp_path / "r.jsonl"
    run.write_text(json.dumps({"id": f"D{CLEAR}\n1", "summary": "Newts sing at dusk."}) + "\n")
    gold = tmp_path / "g.jsonl"
    document = {"id": f"d{CLEAR}", "text": "Newts sing at dusk. Olms hum."}
    gold.write_text(
        json.dumps({"id": f"D{CLEAR}\n1", "summaries": ["Newts sing."], "documents": [document]})
        + "\n"
    )
    assert main(["evaluate", str(run), str(gold)]) == 0
    out, err = capsys.readouterr()
    assert not {"\x1b", "\x9b", "\u202e"} & set(out + err)
    assert all(line.startswith("#") or line.count("\t") == 4 for line in out.splitlines())


def written(text, encoding, errors):
    """The bytes of a text printed to a stream of an encoding."""
    below = io.BytesIO()
    stream = io.TextIOWrapper(below, encoding=encoding, errors=errors, newline="\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        with escaping():
            sys.stdout.write(text)
            sys.stdout.flush()
    return below.getvalue()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_what_an_encoding_lacks_is_escaped_as_json_does(encoding, errors):
    row = {"id": "naïve 日本 😀 \ud83d"}
    printed = written(json.dumps(row, ensure_ascii=False), encoding, errors)
    assert json.loads(printed.decode(encoding)) == row


def test_bytes_of_a_file_name_are_written_as_they_were():
    assert written("n\udce9wts \xe9", "ascii", "surrogateescape") == b"n\xe9wts \\u00e9"


@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}],
)
def test_answers_in_a_locale_without_unicode(tmp_path, locale):
    def answer(*arguments):
        command = [sys.executable, "-m", "ilpsum", "ask", "Where do grey newts sing?", *arguments]
        environment = {**os.environ, **locale}
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
        return done.stdout

    text = "Grey néwts sing in “cold” ponds at dusk. Toads hum in warm lakes."
    ris = "TY  - JOUR\nTI  - Néwts\nAB  - Grey néwts sing in ponds.\nER  - \n"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "b.ris").write_text(ris, encoding="utf-8")
    assert "néwts" in json.loads(answer("a.txt", "--json"))["sentences"][0]["text"]
    # RIS is UTF-8 whatever the terminal; a text is in the terminal's encoding.
    assert "TI  - Néwts" in answer("b.ris", "--to", "ris").decode("utf-8")
    assert b"n\\u00e9wts" in answer("b.ris")


def test_a_table_has_nothing_that_a_spreadsheet_computes(tmp_path, capsys):
    names = ["=cmd|' /C calc'!A1", "@SUM(1)", "+1+cmd|x", "-2+3", "-0.5", "D1"]
    run, gold = tmp_path / "r.jsonl", tmp_path / "g.jsonl"
    run.write_text(lines_of({"id": name, "summary": "Newts sing."} for name in names))
    documents = [{"id": "1", "text": "Newts sing at dusk."}]
    topic = {"summaries": ["Newts sing."], "documents": documents}
    gold.write_text(lines_of(topic | {"id": name} for name in names))
    assert main(["evaluate", str(run), str(gold), "--metrics", "ROUGE-2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    printed = {line.partition("\t")[0] for line in lines if not line.startswith("#")}
    assert printed == {*(f"'{name}" for name in names[:4]), "-0.5", "D1", "all"}
