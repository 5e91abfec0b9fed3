"""BioASQ submissions: `{"questions": [{"id", "ideal_answer"}]}`, an ideal answer of at most 200 words a question."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.errors import UsageError
from ilpsum.records import Summary
from ilpsum.runs.findings import Findings, Topics, document_items, has_repeated_keys, quoted
from ilpsum.runs.formats import FORMATS, Finding
from ilpsum.runs.onefile import OneFileWriter, json_list, one_line

WORDS = FORMATS["bioasq"].words


class BioasqWriter(OneFileWriter):
    """Writes OUT/NAME.json and OUT/NAME.provenance.jsonl; arguments as `RunWriter`.

    All questions of all input files make one submission, in the order in which they are written.
    """

    @classmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:  # noqa: ARG003  # a submission names no run
        return {"id": summary.topic, "ideal_answer": one_line(summary.text)}

    def _file(self, objects: Iterator[str]) -> Iterator[str]:
        return json_list(objects, '{"questions": ', "}")


def check(path: Path, *, topics: Path | None = None, pmids: Path | None = None) -> list[Finding]:
    """The faults of a submission.

    Args:
        path: the submission.
        topics: the questions, in anything that `read_topics` reads.
        pmids: not for this format.

    Raises:
        InputError: the submission cannot be opened, or the topics cannot be read.
        UsageError: PMIDs were given.
    """
    if pmids is not None:
        raise UsageError("--pmids is for runs that cite PMIDs; a BioASQ submission does not")
    known, findings = Topics(topics), Findings(path)
    for item in document_items(path, "questions", findings, {}):
        _check_answer(item.value, item.line, known, findings)
    if why := known.unanswered("question"):
        findings.add(0, why, warning=True)
    return findings.list()


def _check_answer(value: Any, line: int, topics: Topics, findings: Findings) -> None:
    if not isinstance(value, dict):
        findings.add(line, f"a question must be an object, not {quoted(value)}")
        return
    name = value.get("id")
    if not isinstance(name, str) or not name:
        findings.add(line, '"id" must be a text')
        return
    place = f"{line}: question {name}"
    if has_repeated_keys(value):
        findings.add(place, "a key stands twice in it")
    if why := topics.finding(name):
        findings.add(place, why)
    exact = value.get("exact_answer")
    if exact is not None and not isinstance(exact, str | list):
        findings.add(place, '"exact_answer" must be a text or a list')
    # A system may answer in one of the two ways only.
    if "ideal_answer" in value or exact is None:
        _check_ideal(value.get("ideal_answer"), place, findings)


def _check_ideal(ideal: Any, place: str, findings: Findings) -> None:
    answers = ideal if isinstance(ideal, list) else [ideal]
    if not answers or not all(isinstance(answer, str) for answer in answers):
        findings.add(place, '"ideal_answer" must be a text or a list of texts')
        return
    for answer in answers:
        words = len(answer.split())
        if words > WORDS:
            findings.add(place, f"an ideal answer of {words} words; at most {WORDS} are allowed")
        if not words:
            findings.add(place, "an empty ideal answer", warning=True)
