"""What reaches the terminal."""

import json
import sys
from pathlib import Path

import pytest

from ilpsum.cli import main
from ilpsum.cli.terminal import escaped, escaping

CLEAR = "\x1b[2J\x9b31m\u202e"


@pytest.mark.parametrize("text", ["newts\tsing\n", "Ångström → µm", "日本"])
def test_plain_text_stays(text: str) -> None:
    assert escaped(text) == text


def test_controls_become_escapes_that_json_reads() -> None:
    assert escaped(CLEAR) == "\\u001b[2J\\u009b31m\\u202e"
    line = json.dumps({"id": CLEAR}, ensure_ascii=False)
    assert json.loads(escaped(line)) == {"id": CLEAR}


def test_whatever_is_printed_is_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    with escaping():
        sys.stdout.write(f"{CLEAR}\n")
        sys.stderr.write(f"{CLEAR} \ud800\n")
    out, err = capsys.readouterr()
    assert (out, err) == ("\\u001b[2J\\u009b31m\\u202e\n", "\\u001b[2J\\u009b31m\\u202e \\ud800\n")


def test_an_error_is_one_line_without_controls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summarize", f"no{CLEAR}\nfile", "--out", str(tmp_path / "out")]) == 2
    assert main(["evaluate", f"{tmp_path}/{CLEAR}\n.txt", str(tmp_path)]) == 2
    with pytest.raises(SystemExit):
        main(["summarize", "x", f"--{CLEAR}\n"])
    err = capsys.readouterr().err
    assert err.count("\n") == 3
    assert not set(CLEAR[0] + CLEAR[4] + CLEAR[-1]) & set(err)


def test_ids_of_topics_are_printed_without_controls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "r.jsonl"
    run.write_text(json.dumps({"id": f"D{CLEAR}\n1", "summary": "Newts sing at dusk."}) + "\n")
    gold = tmp_path / "g.jsonl"
    document = {"id": f"d{CLEAR}", "text": "Newts sing at dusk. Olms hum."}
    gold.write_text(json.dumps({"id": f"D{CLEAR}\n1", "summaries": ["Newts sing."], "documents": [document]}) + "\n")
    assert main(["evaluate", str(run), str(gold)]) == 0
    out, err = capsys.readouterr()
    assert not {"\x1b", "\x9b", "\u202e"} & set(out + err)
    assert all(line.startswith("#") or line.count("\t") == 4 for line in out.splitlines())
