"""BioASQ submissions: `{"questions": [{"id", "ideal_answer"}]}`, ideal answers of at most 200 words."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.records import Summary
from ilpsum.runs.findings import Findings, document_items, quoted
from ilpsum.runs.formats import FORMATS, Finding, Paths
from ilpsum.runs.onefile import OneFileWriter, json_list

WORDS = FORMATS["bioasq"].words


class BioasqWriter(OneFileWriter):
    """Writes OUT/NAME.json and OUT/NAME.provenance.jsonl; arguments as for `RunWriter`.

    The questions of all input files form one submission, in the order of writing.
    """

    @classmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:  # noqa: ARG003  # a submission names no run
        return {"id": summary.topic, "ideal_answer": " ".join(summary.text.split())}

    def _file(self, objects: Iterator[str]) -> Iterator[str]:
        return json_list(objects, '{"questions": ', "}")


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a submission; arguments and exceptions as for `Format.check`."""
    findings = Findings(path, topics, "question")
    for item in document_items(path, "questions", findings, {}):
        _check_answer(item.value, item.line, findings)
    return findings.all()


def _check_answer(value: Any, line: int, findings: Findings) -> None:
    if not isinstance(value, dict):
        findings.add(line, f"expected an object for each question, got {quoted(value)}")
        return
    question = value.get("id")
    if not isinstance(question, str) or not question:
        findings.add(line, f'expected a non-empty string as "id", got {quoted(question)}')
        return
    place = f"{line}: question {question}"
    findings.answered(question, place)
    exact = value.get("exact_answer")
    if exact is not None and not isinstance(exact, str | list):
        findings.add(place, f'expected a string or a list as "exact_answer", got {quoted(exact)}')
    # A system may give only an exact or only an ideal answer.
    if "ideal_answer" in value or exact is None:
        _check_ideal(value.get("ideal_answer"), place, findings)


def _check_ideal(ideal: Any, place: str, findings: Findings) -> None:
    answers = ideal if isinstance(ideal, list) else [ideal]
    if not answers or not all(isinstance(answer, str) for answer in answers):
        findings.add(place, f'expected a string or a list of strings as "ideal_answer", got {quoted(ideal)}')
        return
    for answer in answers:
        words = len(answer.split())
        if words > WORDS:
            findings.add(place, f"the ideal answer has {words} words; at most {WORDS} are allowed")
        if not words:
            findings.add(place, "empty ideal answer", warning=True)
