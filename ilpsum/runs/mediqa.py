"""Runs of MEDIQA 2021 multi-answer summarization: one line `ID||summary` per question, as in the task's own files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.formats.mediqa import entries
from ilpsum.records import Summary
from ilpsum.runs.findings import Findings
from ilpsum.runs.formats import Finding, Paths
from ilpsum.runs.onefile import OneFileWriter


class MediqaWriter(OneFileWriter):
    """Writes OUT/NAME.txt and OUT/NAME.provenance.jsonl; arguments as for `RunWriter`."""

    suffix = ".txt"

    @classmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:  # noqa: ARG003  # its lines don't name the run
        return {"id": summary.topic, "summary": " ".join(summary.text.split())}

    def _file(self, objects: Iterator[str]) -> Iterator[str]:
        return (f"{answer['id']}||{answer['summary']}\n" for answer in map(json.loads, objects))


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a run; arguments and exceptions as for `Format.check`."""
    findings = Findings(path, topics, "question")
    try:
        for line, question, text in entries(path):
            place = f"{line}: question {question}"
            findings.answered(question, place)
            if not text:
                findings.add(place, "empty summary", warning=True)
    except InputError as error:
        findings.add(error.line or 0, error.message)
    return findings.all()
