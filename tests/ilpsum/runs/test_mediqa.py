"""Runs of MEDIQA 2021: written, read and checked."""

import json
from pathlib import Path

from ilpsum.cli import main
from ilpsum.runs.formats import FORMATS, default_output
from ilpsum.runs.reading import read_run

LINES = [
    {"id": "7", "question": "Do newts sing?", "answers": ["Newts sing at dusk.", "Toads do not sing. They hum."]},
    {"id": "8", "question": "Do toads?", "answers": ["Toads do not sing. They hum.", "Newts sing at dusk."]},
]


def test_a_run_is_written_checked_and_scored(tmp_path: Path, capsys) -> None:
    topics = tmp_path / "topics.jsonl"
    topics.write_text("\n".join(json.dumps({**line, "extractive": "Newts sing at dusk."}) for line in LINES))
    assert main(["summarize", str(topics), "--system", "lead", "--words", "4", "--out", str(tmp_path), "--quiet"]) == 0
    run = tmp_path / "SYS1.txt"
    assert run.read_text() == "7||Newts sing at dusk.\n8||Toads do not sing.\n"
    assert main(["check", str(run), "--as", "mediqa", "--topics", str(topics), "--quiet"]) == 0
    assert read_run(tmp_path / "SYS1").texts == {"7": "Newts sing at dusk.", "8": "Toads do not sing."}
    capsys.readouterr()
    assert main(["evaluate", str(run), str(topics), "--metrics", "ROUGE-2"]) == 0
    assert "7\tROUGE-2\t1.000000\t1.000000\t1.000000" in capsys.readouterr().out


def test_what_a_check_finds(tmp_path: Path) -> None:
    topics, run = tmp_path / "topics.jsonl", tmp_path / "run.txt"
    topics.write_text("\n".join(map(json.dumps, LINES)))
    run.write_text("7||Newts sing.\n7||Again.\n9||Who?\n\n3\n8||Never read.\n")
    found = [str(finding).removeprefix(f"{run}:").strip() for finding in FORMATS["mediqa"].check(run, topics=topics)]
    assert found == [
        "2: question 7: a second answer to the topic '7'; expected one",
        f"3: question 9: no topic '9' in {topics}",
        "5: expected ID||text; correct this line",
        "warning: no answer to the question '8'",
    ]
    run.write_text("7||\n8||Toads hum.\n")
    assert [(f.warning, f.message) for f in FORMATS["mediqa"].check(run)] == [(True, "empty summary")]


def test_the_default_of_its_topics() -> None:
    assert default_output("mediqa") is FORMATS["mediqa"]
    assert FORMATS["mediqa"].words > FORMATS["jsonl"].words == 250
