"""Writers and checks of TREC BioGen runs, whose sentences cite PMIDs.

2024: one JSON document, `{"team_id", "run_name", "contact_email", "results": [{"topic_id", "answer", "references"}]}`,
with inline citations (`ilpsum.formats.biogen.rules`). 2025: JSON lines, `{"metadata": {"team_id", "run_id",
"topic_id"}, "responses": [{"text", "citations": [PMID, ...]}]}`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.files.json_text import parts, read_json_lines
from ilpsum.files.pmids import Pmids, is_pmid
from ilpsum.formats.biogen import rules
from ilpsum.formats.findings import Findings, document_items, quoted
from ilpsum.formats.papers.printed import MOST_PMIDS
from ilpsum.formats.registry import Finding, Paths
from ilpsum.formats.writing import OneFileWriter, json_list, lines_of, texts_of
from ilpsum.records import Summary

_CITED = re.compile(r"\[\s*\d+(?:\s*,\s*\d+)*\s*\]")


class _Writer(OneFileWriter):
    """Writes summaries with responses, as returned by `ilpsum.pipeline.text.with_citations`."""

    @classmethod
    def answer(cls, name: str, summary: Summary) -> bytes:
        if len(summary.responses) != len(summary.sentences):
            raise InputError(f"topic {summary.topic}: sentences without citations; expected PMIDs for each")
        cited = (pmid for response in summary.responses for pmid in response.pmids)
        if other := next((pmid for pmid in cited if not is_pmid(pmid)), None):
            what = "answers cite PMIDs, so the ids of documents must be PMIDs"
            raise InputError(f"topic {summary.topic}: the document {other!r} is not a PMID; {what}")
        return super().answer(name, summary)


class Writer2024(_Writer):
    """Writes OUT/NAME.json.

    The track requires a contact address; the default is an example address, which `check` warns about.
    """

    @classmethod
    def fields(cls, name: str, summary: Summary) -> dict[str, Any]:  # noqa: ARG003  # the head of the file names it
        """Return the answer."""
        cited = (pmid for response in summary.responses for pmid in response.pmids)
        text = " ".join(rules.cite(response.text, response.pmids) for response in summary.responses)
        return {"topic_id": summary.topic, "answer": text, "references": list(dict.fromkeys(cited))}

    def file(self, objects: Iterator[str]) -> Iterator[str]:
        """Yield the submission."""
        head = {
            "team_id": _team(self.name),
            "run_name": self.name,
            "contact_email": self.contact_email or rules.EXAMPLE_EMAIL,
        }
        before = json.dumps(head, ensure_ascii=False)[:-1] + ', "results": '
        return json_list(objects, before, "}")

    @staticmethod
    def texts(path: Path) -> Iterator[tuple[str, str, str]]:
        """Yield the answers of a run, without their citations."""
        every = parts(path, lists=("results",))
        items = ((item.line, item.value) for item in every if item.key == "results" and item.element)
        return ((topic, rules.parse(text).text, "") for topic, text, _ in texts_of(path, items, "topic_id", "answer"))


class Writer2025(_Writer):
    """Writes OUT/NAME.jsonl."""

    suffix = ".jsonl"

    @classmethod
    def fields(cls, name: str, summary: Summary) -> dict[str, Any]:
        """Return the answer."""
        metadata = {"team_id": _team(name), "run_id": name, "topic_id": summary.topic}
        responses = [{"text": response.text, "citations": list(response.pmids)} for response in summary.responses]
        return {"metadata": metadata, "responses": responses}

    @staticmethod
    def texts(path: Path) -> Iterator[tuple[str, str, str]]:
        """Yield the answers of a run."""
        for line, value in lines_of(path):
            try:
                topic, texts = value["metadata"]["topic_id"], [response["text"] for response in value["responses"]]
                yield str(topic), " ".join(texts), ""
            except (KeyError, TypeError):
                what = 'expected an object with "metadata" and "responses"; `ilpsum check` lists every error'
                raise InputError(what, path, line) from None


def _team(name: str) -> str:
    """Return the team id of a run: its name without the final digit, the run number."""
    return name[:-1] if name[1:] and name[-1].isdecimal() else name


def check_2024(path: Path, *, topics: Paths | None = None, pmids: Path | None = None) -> list[Finding]:
    """Return the errors and warnings of a 2024 run.

    An answer to an unknown topic is an error, an unanswered topic a warning. Arguments and exceptions as for
    `Format.check`.
    """
    checker = _Checker2024(path, topics, pmids)
    members: dict[str, tuple[int, Any]] = {}
    for item in document_items(path, "results", checker.findings, members):
        checker.check(item.value, item.line)
    checker.check_head(members)
    return checker.findings.all()


def check_2025(path: Path, *, topics: Paths | None = None, pmids: Path | None = None) -> list[Finding]:
    """Return the errors and warnings of a 2025 run; arguments and exceptions as for `check_2024`."""
    checker = _Checker2025(path, topics, pmids)
    line = 0
    try:
        for line, value in read_json_lines(path):
            if isinstance(value, InputError):
                checker.findings.add(line, value.message)
            else:
                checker.check(value, line)
    except InputError as error:
        checker.findings.add(error.line or 0, error.message)
    if not line:
        checker.findings.add(0, "no answers; expected one JSON object a line")
    return checker.findings.all()


class _Checker:
    """Checks shared by both formats."""

    def __init__(self, path: Path, topics: Paths | None, pmids: Path | None) -> None:
        self.findings = Findings(path, topics)
        self._released = Pmids(pmids) if pmids else None
        self._place = ""

    def _add(self, message: str, *, warning: bool = False) -> None:
        self.findings.add(self._place, message, warning=warning)

    def _check_topic(self, topic: str) -> None:
        self._place += f": topic {topic}"
        self.findings.answered(topic, self._place)

    def _check_words(self, words: int, limit: int) -> None:
        if words > limit:
            self._add(f"the answer has {words} words; at most {limit} are allowed")

    def _check_pmids(self, entries: Any, name: str, where: str = "", *, numbers: bool = False) -> list[str] | None:
        """Check a list of PMIDs (strings, or integers if `numbers`); return its strings, None if it is not a list."""
        if not isinstance(entries, list):
            self._add(f'{where}expected a list of PMIDs as "{name}", got {quoted(entries)}')
            return None
        listed: list[str] = []
        for entry in entries:
            pmid = str(entry) if numbers and type(entry) is int else entry
            if not is_pmid(pmid):
                self._add(f'{where}{quoted(entry)} in "{name}" is not a PMID (1 to 8 digits, the first not 0)')
            elif pmid in listed:
                self._add(f'{where}{pmid} appears twice in "{name}"')
            else:
                self._check_released(pmid, where)
            if isinstance(pmid, str):
                listed.append(pmid)
        return listed

    def _check_released(self, pmid: str, where: str) -> None:
        if self._released is not None and pmid not in self._released:
            self._add(f"{where}{pmid} is not among the released PMIDs")


class _Checker2024(_Checker):
    """Checks the head and the results of a 2024 run."""

    def check_head(self, members: dict[str, tuple[int, Any]]) -> None:
        """Check the document's members other than `results`, given as (line, value) by name."""
        for name in ("team_id", "run_name", "contact_email"):
            line, value = members.pop(name, (0, None))
            if not isinstance(value, str) or not value.strip():
                self.findings.add(line, f'expected a non-empty string as "{name}"')
            elif name == "contact_email" and not rules.EMAIL.fullmatch(value.strip()):
                self.findings.add(line, f'expected an e-mail address as "contact_email", got {quoted(value)}')
            elif value == rules.EXAMPLE_EMAIL:
                advice = f'"contact_email" is the example {value}; give yours: --set run.contact_email=...'
                self.findings.add(line, advice, warning=True)
        for name, (line, _) in members.items():
            self.findings.add(line, f'"{name}" is not part of the format', warning=True)

    def check(self, value: Any, line: int) -> None:
        """Check one element of `results`."""
        self._place = str(line)
        if not isinstance(value, dict):
            self._add(f"expected an object for each result, got {quoted(value)}")
            return
        topic = value.get("topic_id")
        if isinstance(topic, str) and topic:
            self._check_topic(topic)
        else:
            self._add(f'expected a non-empty string as "topic_id", got {quoted(topic)}')
        references = self._check_pmids(value.get("references"), "references")
        if not isinstance(value.get("answer"), str):
            self._add(f'expected a string as "answer", got {quoted(value.get("answer"))}')
            return
        answer = rules.parse(value["answer"])
        cited = dict.fromkeys(pmid for citation in answer.citations for pmid in self._cited(citation))
        if references is not None:
            for pmid in cited:
                if pmid not in references:
                    self._add(f'{pmid} is cited but missing from "references"')
            for pmid in dict.fromkeys(references):
                if pmid not in cited:
                    self._add(f'{pmid} is in "references" but no valid citation names it')
        self._check_text(answer)

    def _cited(self, citation: rules.Citation) -> tuple[str, ...]:
        """Check a citation and return its valid PMIDs."""
        text = quoted(f"[{','.join(citation.entries)}]")
        where = f"{text} at character {citation.start + 1} of the answer"
        wrong = next((entry for entry in citation.entries if not is_pmid(entry)), None)
        if wrong is not None:
            self._add(f"{where}: {quoted(wrong)} is not a PMID; expected comma-separated PMIDs in square brackets")
            return ()
        if citation.sentence < 0:
            self._add(f"{where} is discarded: a citation must be inside its sentence, before the final punctuation")
        if len(citation.entries) > MOST_PMIDS:
            self._add(f"{where}: only the first {MOST_PMIDS} count", warning=True)
        for pmid in citation.entries:
            self._check_released(pmid, f"{where}: ")
        return citation.counting

    def _check_text(self, answer: rules.CitedAnswer) -> None:
        if "[" in answer.text or "]" in answer.text:
            self._add("unbalanced square bracket in the answer")
        words, counted, most = len(answer.text.split()), rules.count_words(answer.text), rules.WORDS_2024
        self._check_words(words, most)
        if words <= most < counted:
            self._add(f"the validator may count up to {counted} words; at most {most} are allowed", warning=True)
        sentences, most = len(answer.sentences), rules.SENTENCES_2024
        if sentences > most:
            self._add(f"the answer has {sentences} sentences; at most {most} are allowed")
        elif sentences > rules.SAFE_SENTENCES_2024:
            what = f"the validator may count more than {sentences} sentences; at most {most} are allowed"
            self._add(what, warning=True)
        if not words:
            self._add("empty answer", warning=True)


class _Checker2025(_Checker):
    """Checks the lines of a 2025 run."""

    def __init__(self, path: Path, topics: Paths | None, pmids: Path | None) -> None:
        super().__init__(path, topics, pmids)
        self._first: dict[str, str] = {}

    def check(self, value: Any, line: int) -> None:
        """Check one line."""
        self._place = str(line)
        if not isinstance(value, dict):
            self._add(f"expected an object, got {quoted(value)}")
            return
        self._check_metadata(value.get("metadata"))
        responses = value.get("responses")
        if not isinstance(responses, list):
            self._add(f'expected a list as "responses", got {quoted(responses)}')
            return
        words = sum(self._check_response(*response) for response in enumerate(responses, 1))
        self._check_words(words, rules.WORDS_2025)
        if not responses:
            self._add("empty answer", warning=True)

    def _check_metadata(self, metadata: Any) -> None:
        if not isinstance(metadata, dict):
            self._add(f'expected an object with team_id, run_id and topic_id as "metadata", got {quoted(metadata)}')
            return
        topic = metadata.get("topic_id")
        if isinstance(topic, bool) or not isinstance(topic, str | int) or not str(topic).strip():
            self._add(f'expected a non-empty string or a number as "topic_id", got {quoted(topic)}')
        else:
            self._check_topic(str(topic))
        for key in ("team_id", "run_id"):
            value = metadata.get(key)
            if not isinstance(value, str) or not value.strip():
                self._add(f'expected a non-empty string as "{key}", got {quoted(value)}')
            elif (first := self._first.setdefault(key, value)) != value:
                self._add(f'"{key}" is {quoted(value)} but {quoted(first)} on the first line')

    def _check_response(self, number: int, response: Any) -> int:
        """Check a response and return its number of words."""
        where = f"response {number}: "
        if not isinstance(response, dict):
            self._add(f"{where}expected an object, got {quoted(response)}")
            return 0
        cited = self._check_pmids(response.get("citations"), "citations", where, numbers=True)
        if cited is not None and len(response["citations"]) > MOST_PMIDS:
            self._add(f"{where}{len(response['citations'])} citations; at most {MOST_PMIDS} are allowed")
        if response.get("citations") == []:
            self._add(f"{where}no citations", warning=True)
        text = response.get("text")
        if not isinstance(text, str) or not text.strip():
            self._add(f'{where}expected a non-empty string as "text", got {quoted(text)}')
            return 0
        if _CITED.search(text):
            self._add(f'{where}PMIDs in the text; put them in "citations"', warning=True)
        return len(text.split())
