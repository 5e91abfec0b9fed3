"""JSON lines runs, one topic per line: `{"id", "summary", "sentences": [{"text", "document", "start", "end"}]}`."""

from typing import Any

from ilpsum.records import Summary
from ilpsum.runs.onefile import OneFileWriter


class JsonlWriter(OneFileWriter):
    """Writes OUT/NAME.jsonl and OUT/NAME.provenance.jsonl; arguments as for `RunWriter`."""

    suffix = ".jsonl"

    @classmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:  # noqa: ARG003  # its lines don't name the run
        keys = ("text", "document", "start", "end")
        sentences = [{key: getattr(sentence, key) for key in keys} for sentence in summary.sentences]
        return {"id": summary.topic, "summary": summary.text, "sentences": sentences}
