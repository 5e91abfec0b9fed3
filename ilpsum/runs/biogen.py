"""TREC BioGen runs: answers whose sentences cite PMIDs, and every rule that they have to keep.

2024: one JSON document, `{"team_id", "run_name", "contact_email", "results": [{"topic_id", "answer", "references"}]}`,
citations in the running text (`ilpsum.runs.citations`). 2025: a JSON object a line, `{"metadata": {"team_id", "run_id",
"topic_id"}, "responses": [{"text", "citations": [PMID, ...]}]}`.
"""

import json
import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ilpsum.errors import InputError
from ilpsum.pipeline.coherence.openings import is_anaphoric
from ilpsum.records import Sentence, Summary
from ilpsum.runs.biogen_check import check_2024, check_2025
from ilpsum.runs.biogen_rules import EXAMPLE_EMAIL, SENTENCES_2024, WORDS_2024, WORDS_2025
from ilpsum.runs.citations import MOST_PMIDS, cite, clean, count_words, parse
from ilpsum.runs.findings import is_pmid
from ilpsum.runs.onefile import OneFileWriter, json_list

__all__ = ["BiogenWriter2024", "BiogenWriter2025", "check_2024", "check_2025"]

# 22401746, or 22401746-2 for the second snippet of an abstract.
_PMID = re.compile(r"(\d+)(?:-\d+)?")

_MUST = "an answer cites PMIDs, so the documents' ids must be PMIDs"

# Details that have an entry for each sentence.
_BY_SENTENCE = ("citations", "support")


class _BiogenWriter(OneFileWriter):
    """Makes an answer of a summary: its sentences, cleaned, each with the PMIDs that it cites.

    A sentence cites what `summary.details["citations"]` names for it, a list of PMIDs for each sentence; without such
    details, the document that it comes from, whose id must then be its PMID. Where the answer is longer than the format
    allows, whole sentences go, the least relevant first, with what points back to them, and a remark says so.
    """

    @classmethod
    def _fitted(cls, summary: Summary) -> Summary:
        """Its provenance has the sentences of the answer as they stand in their documents.

        Raises:
            InputError: a sentence's document is no PMID.
        """
        kept = [
            (i, clean(s.text), c) for i, (s, c) in enumerate(zip(summary.sentences, _citations(summary), strict=True))
        ]
        kept = [entry for entry in kept if entry[1]]
        warnings = []
        while kept and cls._too_long([text for _, text, _ in kept]):
            least = min(range(len(kept)), key=lambda i: (summary.sentences[kept[i][0]].relevance, -i))
            warnings.append(f"left out for the limits of the format: {kept.pop(least)[1]}")
            while least < len(kept) and is_anaphoric(kept[least][1]):
                warnings.append(f"left out with the sentence before it: {kept.pop(least)[1]}")
        places = [i for i, _, _ in kept]
        details = {**summary.details, "responses": [{"text": text, "citations": list(c)} for _, text, c in kept]}
        details |= {key: [details[key][i] for i in places] for key in _BY_SENTENCE if key in details}
        return replace(
            summary,
            text=" ".join(text for _, text, _ in kept),
            sentences=tuple(summary.sentences[i] for i in places),
            details=details,
            warnings=(*summary.warnings, *warnings),
        )

    @classmethod
    @abstractmethod
    def _too_long(cls, sentences: Sequence[str]) -> bool:
        """Whether an answer of these sentences breaks a limit of the format."""


class BiogenWriter2024(_BiogenWriter):
    """Writes OUT/NAME.json and OUT/NAME.provenance.jsonl; arguments as `RunWriter`.

    The track wants an address of contact: an example stands in its place, to be replaced before a run is sent in.
    """

    @classmethod
    def _too_long(cls, sentences: Sequence[str]) -> bool:
        answer = " ".join(sentences)
        return count_words(answer) > WORDS_2024 or len(parse(answer).sentences) > SENTENCES_2024

    @classmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:  # noqa: ARG003  # the head of the file names it
        responses = summary.details.get("responses", ())
        cited = (pmid for response in responses for pmid in response["citations"])
        text = " ".join(cite(r["text"], r["citations"]) for r in responses)
        return {"topic_id": summary.topic, "answer": text, "references": list(dict.fromkeys(cited))}

    def _file(self, objects: Iterator[str]) -> Iterator[str]:
        head = {"team_id": _team(self.name), "run_name": self.name, "contact_email": EXAMPLE_EMAIL}
        before = json.dumps(head, ensure_ascii=False)[:-1] + ', "results": '
        return json_list(objects, before, "}")


class BiogenWriter2025(_BiogenWriter):
    """Writes OUT/NAME.jsonl and OUT/NAME.provenance.jsonl; arguments as `RunWriter`."""

    suffix = ".jsonl"

    @classmethod
    def _too_long(cls, sentences: Sequence[str]) -> bool:
        return sum(len(sentence.split()) for sentence in sentences) > WORDS_2025

    @classmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:
        metadata = {"team_id": _team(name), "run_id": name, "topic_id": summary.topic}
        return {"metadata": metadata, "responses": summary.details.get("responses", [])}


def _team(name: str) -> str:
    return name.rstrip("0123456789") or name


def _citations(summary: Summary) -> list[tuple[str, ...]]:
    """The PMIDs that each sentence cites, three at most, each once."""
    named = summary.details.get("citations")
    if named is None:
        return [(_pmid(summary, sentence),) for sentence in summary.sentences]
    if len(named) != len(summary.sentences):
        raise InputError(f'topic {summary.topic}: "citations" must be a list of PMIDs for each sentence')
    if other := next((pmid for pmids in named for pmid in pmids if not is_pmid(pmid)), None):
        raise InputError(f"topic {summary.topic}: the document {other!r} is no PMID; {_MUST}")
    return [tuple(dict.fromkeys(pmids))[:MOST_PMIDS] for pmids in named]


def _pmid(summary: Summary, sentence: Sentence) -> str:
    match = _PMID.fullmatch(sentence.document)
    pmid = match[1].lstrip("0") if match else ""
    if not is_pmid(pmid):
        raise InputError(f"topic {summary.topic}: the document {sentence.document!r} is no PMID; {_MUST}")
    return pmid
