"""Every rule of the BioGen formats, each with its own message and place, over files of any size."""

import re
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.io.json_stream import read_json_lines
from ilpsum.pipeline.citing import MOST_PMIDS
from ilpsum.runs.biogen_rules import EXAMPLE_EMAIL, SENTENCES_2024, WORDS_2024, WORDS_2025
from ilpsum.runs.citations import Citation, CitedAnswer, count_words, parse
from ilpsum.runs.findings import (
    Findings,
    Pmids,
    Topics,
    document_items,
    has_repeated_keys,
    is_pmid,
    object_hook,
    quoted,
)
from ilpsum.runs.formats import Finding

_HEAD_2024 = ("team_id", "run_name", "contact_email")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_CITED = re.compile(r"\[\s*\d+(?:\s*,\s*\d+)*\s*\]")


def check_2024(path: Path, *, topics: Path | None = None, pmids: Path | None = None) -> list[Finding]:
    """The faults of a run of 2024.

    Args:
        path: the run, one JSON document.
        topics: the topics; an answer to another is a fault, a topic without an answer a remark.
        pmids: the released PMIDs, one a line.

    Raises:
        InputError: the run cannot be opened, or the topics or PMIDs cannot be read.
    """
    known, released, findings = Topics(topics), Pmids(pmids) if pmids else None, Findings(path)
    members: dict[str, tuple[int, Any]] = {}
    for item in document_items(path, "results", findings, members):
        _Result(item.value, item.line, known, released, findings).check()
    for name in _HEAD_2024:
        line, value = members.pop(name, (0, None))
        if not isinstance(value, str) or not value.strip():
            findings.add(line, f'"{name}" must be a text that is not empty')
        elif name == "contact_email" and not _EMAIL.fullmatch(value.strip()):
            findings.add(line, f'"contact_email" must be an address, not {quoted(value)}')
        elif value == EXAMPLE_EMAIL:
            findings.add(line, f'"contact_email" is the example {EXAMPLE_EMAIL}; give your own', warning=True)
    for name, (line, _) in members.items():
        findings.add(line, f'"{name}" is no member of the format', warning=True)
    _tell_open(known, findings)
    return findings.list()


def check_2025(path: Path, *, topics: Path | None = None, pmids: Path | None = None) -> list[Finding]:
    """The faults of a run of 2025, JSON lines; arguments and errors as `check_2024`."""
    known, released, findings = Topics(topics), Pmids(pmids) if pmids else None, Findings(path)
    if not path.is_file():
        raise InputError("no such run; name its file", path)
    first: dict[str, Any] = {}
    count = 0
    try:
        for line, value in read_json_lines(path, object_hook):
            count += 1
            if isinstance(value, InputError):
                findings.add(line, value.message)
            else:
                _Line(value, line, known, released, findings).check(first)
    except InputError as error:
        findings.add(error.line or 0, error.message)
    if not count:
        findings.add(0, "no answers in it; a JSON object a line was expected")
    _tell_open(known, findings)
    return findings.list()


def _tell_open(topics: Topics, findings: Findings) -> None:
    if why := topics.unanswered("topic"):
        findings.add(0, why, warning=True)


class _Result:
    """One answer of 2024."""

    def __init__(self, value: Any, line: int, topics: Topics, released: Pmids | None, findings: Findings) -> None:
        self._value, self._topics, self._released, self._findings = value, topics, released, findings
        self._place = f"{line}"

    def check(self) -> None:
        """Tells all that is wrong with it."""
        value = self._value
        if not isinstance(value, dict):
            self._tell(f"a result must be an object, not {quoted(value)}")
            return
        name = value.get("topic_id")
        if isinstance(name, str) and name:
            self._place += f": topic {name}"
            if why := self._topics.finding(name):
                self._tell(why)
        else:
            self._tell(f'"topic_id" must be a text, not {quoted(name)}')
        if has_repeated_keys(value):
            self._tell("a key stands twice in it")
        references = self._references(value.get("references"))
        if not isinstance(value.get("answer"), str):
            self._tell(f'"answer" must be a text, not {quoted(value.get("answer"))}')
            return
        answer = parse(value["answer"])
        cited = [pmid for citation in answer.citations for pmid in self._cited(citation)]
        for pmid in dict.fromkeys(cited):
            if references is not None and pmid not in references:
                self._tell(f'{pmid} is cited and not in "references"')
        for pmid in references or ():
            if pmid not in cited:
                self._tell(f'{pmid} is in "references" and no citation that counts names it')
        self._check_text(answer)

    def _tell(self, message: str, *, warning: bool = False) -> None:
        self._findings.add(self._place, message, warning=warning)

    def _references(self, listed: Any) -> dict[str, None] | None:
        if not isinstance(listed, list):
            self._tell(f'"references" must be a list of PMIDs, not {quoted(listed)}')
            return None
        found: dict[str, None] = {}
        for entry in listed:
            if not is_pmid(entry):
                self._tell(f'{quoted(entry)} in "references" is no PMID (a text of 1 to 8 digits, the first not 0)')
            elif entry in found:
                self._tell(f'{entry} stands twice in "references"')
            elif self._released is not None and entry not in self._released:
                self._tell(f"{entry} is not among the released PMIDs")
            if isinstance(entry, str):
                found[entry] = None
        return found

    def _cited(self, citation: Citation) -> tuple[str, ...]:
        """The PMIDs of a citation that count; what is wrong with it is told."""
        at = f"at character {citation.start + 1} of the answer"
        text = quoted(f"[{','.join(citation.entries)}]")
        wrong = [entry for entry in citation.entries if not is_pmid(entry)]
        if wrong:
            self._tell(f"{text} {at}: {quoted(wrong[0])} is no PMID; square brackets hold PMIDs, commas between")
            return ()
        if citation.sentence < 0:
            rule = "a citation stands within its sentence, before the final punctuation"
            self._tell(f"{text} {at} is discarded: {rule}")
        if len(citation.entries) > MOST_PMIDS:
            self._tell(f"{text} {at}: only the first {MOST_PMIDS} count", warning=True)
        for pmid in citation.entries:
            if self._released is not None and pmid not in self._released:
                self._tell(f"{text} {at}: {pmid} is not among the released PMIDs")
        return citation.counting

    def _check_text(self, answer: CitedAnswer) -> None:
        if "[" in answer.text or "]" in answer.text:
            self._tell("a square bracket without its partner in the answer")
        words, counted = len(answer.text.split()), count_words(answer.text)
        if words > WORDS_2024:
            self._tell(f"an answer of {words} words; at most {WORDS_2024} are allowed")
        elif counted > WORDS_2024:
            self._tell(f"by the validator's tokens the answer may have up to {counted} words", warning=True)
        if len(answer.sentences) > SENTENCES_2024:
            self._tell(f"an answer of {len(answer.sentences)} sentences; at most {SENTENCES_2024} are allowed")
        if not words:
            self._tell("an empty answer", warning=True)


class _Line:
    """The answer to one topic of 2025."""

    def __init__(self, value: Any, line: int, topics: Topics, released: Pmids | None, findings: Findings) -> None:
        self._value, self._topics, self._released, self._findings = value, topics, released, findings
        self._place = f"{line}"

    def check(self, first: dict[str, Any]) -> None:
        """Tells all that is wrong with it; `first` keeps the team and run of the first line."""
        value = self._value
        if not isinstance(value, dict):
            self._tell(f"an object was expected, not {quoted(value)}")
            return
        self._check_metadata(value.get("metadata"), first)
        if has_repeated_keys(value):
            self._tell("a key stands twice in it")
        responses = value.get("responses")
        if not isinstance(responses, list):
            self._tell(f'"responses" must be a list, not {quoted(responses)}')
            return
        words = sum(self._check_response(number, response) for number, response in enumerate(responses, 1))
        if words > WORDS_2025:
            self._tell(f"an answer of {words} words; at most {WORDS_2025} are allowed")
        if not responses:
            self._tell("an empty answer", warning=True)

    def _tell(self, message: str, *, warning: bool = False) -> None:
        self._findings.add(self._place, message, warning=warning)

    def _check_metadata(self, metadata: Any, first: dict[str, Any]) -> None:
        if not isinstance(metadata, dict):
            self._tell(f'"metadata" must be an object with team_id, run_id and topic_id, not {quoted(metadata)}')
            return
        name = metadata.get("topic_id")
        if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
            self._tell(f'"topic_id" must be a text or a number, not {quoted(name)}')
        else:
            self._place += f": topic {name}"
            if why := self._topics.finding(str(name)):
                self._tell(why)
        for key in ("team_id", "run_id"):
            found = metadata.get(key)
            if not isinstance(found, str) or not found.strip():
                self._tell(f'"{key}" must be a text that is not empty, not {quoted(found)}')
            elif first.setdefault(key, found) != found:
                self._tell(f'"{key}" is {quoted(found)}, on the first line it was {quoted(first[key])}')

    def _check_response(self, number: int, response: Any) -> int:
        """Tells what is wrong with a response and returns its words."""
        if not isinstance(response, dict):
            self._tell(f"response {number} must be an object, not {quoted(response)}")
            return 0
        self._check_citations(number, response.get("citations"))
        text = response.get("text")
        if not isinstance(text, str) or not text.strip():
            self._tell(f'response {number}: "text" must be a text that is not empty, not {quoted(text)}')
            return 0
        if _CITED.search(text):
            self._tell(f'response {number}: PMIDs in its text; they belong into "citations"', warning=True)
        return len(text.split())

    def _check_citations(self, number: int, citations: Any) -> None:
        if not isinstance(citations, list):
            self._tell(f'response {number}: "citations" must be a list of PMIDs, not {quoted(citations)}')
            return
        if len(citations) > MOST_PMIDS:
            self._tell(f"response {number}: {len(citations)} citations; at most {MOST_PMIDS} are allowed")
        if not citations:
            self._tell(f"response {number} cites nothing", warning=True)
        seen: set[str] = set()
        for entry in citations:
            pmid = str(entry) if isinstance(entry, int) and not isinstance(entry, bool) else entry
            if not is_pmid(pmid):
                self._tell(f"response {number}: {quoted(entry)} is no PMID (1 to 8 digits, the first not 0)")
            elif pmid in seen:
                self._tell(f"response {number}: {pmid} is cited twice")
            elif self._released is not None and pmid not in self._released:
                self._tell(f"response {number}: {pmid} is not among the released PMIDs")
            if isinstance(pmid, str):
                seen.add(pmid)
