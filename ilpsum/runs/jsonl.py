"""Runs as JSON lines: a topic a line, `{"id", "summary", "sentences": [{"text", "document", "start", "end"}]}`."""

import json
from collections.abc import Iterator

from ilpsum.records import Summary
from ilpsum.runs.onefile import OneFileWriter


class JsonlWriter(OneFileWriter):
    """Writes OUT/NAME.jsonl and OUT/NAME.provenance.jsonl; arguments as `RunWriter`."""

    suffix = ".jsonl"

    def _lines(self, answers: Iterator[Summary]) -> Iterator[str]:
        for answer in answers:
            sentences = [
                {"text": s.text, "document": s.document, "start": s.start, "end": s.end} for s in answer.sentences
            ]
            entry = {"id": answer.topic, "summary": answer.text, "sentences": sentences}
            yield json.dumps(entry, ensure_ascii=False) + "\n"
