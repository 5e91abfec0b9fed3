"""TREC BioGen runs: answers whose sentences cite PMIDs.

2024: one JSON document, `{"team_id", "run_name", "contact_email", "results": [{"topic_id", "answer", "references"}]}`,
citations in the running text (`ilpsum.runs.biogen_rules`). 2025: JSON lines, `{"metadata": {"team_id", "run_id",
"topic_id"}, "responses": [{"text", "citations": [PMID, ...]}]}`.
"""

import json
from collections.abc import Iterator
from typing import Any

from ilpsum.errors import InputError
from ilpsum.io.pmids import is_pmid
from ilpsum.records import Summary
from ilpsum.runs.biogen_rules import EXAMPLE_EMAIL, cite
from ilpsum.runs.onefile import OneFileWriter, json_list


class _BiogenWriter(OneFileWriter):
    """Writes the responses of summaries made by `ilpsum.pipeline.citing.with_citations`."""

    @classmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:
        if len(summary.responses) != len(summary.sentences):
            raise InputError(f"topic {summary.topic}: sentences without citations; expected PMIDs for each")
        cited = (pmid for response in summary.responses for pmid in response.pmids)
        if other := next((pmid for pmid in cited if not is_pmid(pmid)), None):
            what = "answers cite PMIDs, so the ids of documents must be PMIDs"
            raise InputError(f"topic {summary.topic}: the document {other!r} is not a PMID; {what}")
        return super()._answer(name, summary)


class BiogenWriter2024(_BiogenWriter):
    """Writes OUT/NAME.json and OUT/NAME.provenance.jsonl; arguments as for `RunWriter`.

    The track requires a contact address; unless it is given, the run has an example that `check` warns about.
    """

    def __init__(self, *arguments: Any, contact_email: str | None = None, **options: Any) -> None:
        self._contact_email = contact_email or EXAMPLE_EMAIL
        super().__init__(*arguments, **options)

    @classmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:  # noqa: ARG003  # the head of the file names it
        cited = (pmid for response in summary.responses for pmid in response.pmids)
        text = " ".join(cite(response.text, response.pmids) for response in summary.responses)
        return {"topic_id": summary.topic, "answer": text, "references": list(dict.fromkeys(cited))}

    def _file(self, objects: Iterator[str]) -> Iterator[str]:
        head = {"team_id": _team(self.name), "run_name": self.name, "contact_email": self._contact_email}
        before = json.dumps(head, ensure_ascii=False)[:-1] + ', "results": '
        return json_list(objects, before, "}")


class BiogenWriter2025(_BiogenWriter):
    """Writes OUT/NAME.jsonl and OUT/NAME.provenance.jsonl; arguments as for `RunWriter`."""

    suffix = ".jsonl"

    @classmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:
        metadata = {"team_id": _team(name), "run_id": name, "topic_id": summary.topic}
        responses = [{"text": response.text, "citations": list(response.pmids)} for response in summary.responses]
        return {"metadata": metadata, "responses": responses}


def _team(name: str) -> str:
    """The team of a run: its name without the run number, which is one digit."""
    return name[:-1] if name[1:] and name[-1].isdecimal() else name
