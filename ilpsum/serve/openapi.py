"""The OpenAPI description of the room's API, from the records that its requests are read into."""

from typing import Any

import msgspec

from ilpsum.serve.asking import Given, Texts
from ilpsum.version import __version__

_ERRORS = {
    "401": "the token is missing",
    "403": "a request from a page of another site",
    "410": "the texts are held no longer",
    "413": "the request is too large",
    "415": "the body is not JSON",
    "421": "another host name",
    "422": "the question, a setting or a text cannot be used",
    "429": "too many requests of one client",
    "503": "too many requests, or the index cannot be read",
}
_NUMBER, _TEXT, _COUNT = {"type": "number"}, {"type": "string"}, {"type": "integer"}
_SENTENCE = {
    "text": _TEXT,
    "source": {**_COUNT, "description": "number of its source"},
    "document": {**_TEXT, "description": "id of its source"},
    "start": {**_COUNT, "description": "offset of its first character in the source"},
    "end": {**_COUNT, "description": "offset after its last character"},
    "relevance": {"type": ["number", "null"]},
    "why": {**_TEXT, "description": "why it was chosen, or left out"},
}
_SOURCE = {"number": _COUNT, "id": _TEXT, "pmid": {"type": ["string", "null"]}, "title": _TEXT, "date": _TEXT}
_ANSWER = {
    "question": _TEXT,
    "words": _COUNT,
    "sentences": {"type": "array", "items": {"type": "object", "properties": _SENTENCE}},
    "sources": {"type": "array", "items": {"type": "object", "properties": _SOURCE}},
    "left_out": {"type": "array", "items": {"type": "object", "properties": _SENTENCE}},
    **{name: {"type": ["number", "null"]} for name in ("objective", "bound", "gap")},
    "unanswered": {"type": ["string", "null"], "description": "why there is no answer"},
    "warnings": {"type": "array", "items": _TEXT},
}
_HELD = {"id": _TEXT, "documents": _COUNT, "warnings": {"type": "array", "items": _TEXT}}
_STOPS = {"lambdas": {"type": "array", "items": _NUMBER}, "words": {"type": "array", "items": _COUNT}}
_HEALTH = {"status": {"const": "ok"}, "version": _TEXT, "abstracts": _COUNT}


def description() -> dict[str, Any]:
    """Return the description of the API (OpenAPI 3.1)."""
    (given, texts), components = msgspec.json.schema_components(
        [Given, Texts], ref_template="#/components/schemas/{name}"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "ilpsum",
            "version": __version__,
            "description": "Answers in sentences quoted from abstracts. Every selection is a proved optimum.",
        },
        "paths": {
            "/api/answers": {"post": _operation("Answer a question", _ANSWER, body=given)},
            "/api/texts": {
                "post": _operation("Hold texts in memory; `held` of a question names them", _HELD, body=texts)
            },
            "/api/stops": {"get": _operation("Where the answer changes over lambda and words", _STOPS, query=True)},
            "/api/health": {"get": _operation("Whether the room answers", _HEALTH)},
        },
        "components": {"schemas": components},
    }


def _operation(
    summary: str, result: dict[str, Any], *, body: dict[str, Any] | None = None, query: bool = False
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": summary,
        "responses": {
            "200": {"description": "done", "content": _as_json({"type": "object", "properties": result})},
            **{
                status: {"description": f"{why}, in one line", "content": {"text/plain": {"schema": _TEXT}}}
                for status, why in _ERRORS.items()
            },
        },
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": _as_json(body)}
    if query:
        places = {"type": "array", "items": _TEXT}
        kinds: dict[str, Any] = {"question": _TEXT, "words": _COUNT, "lambda": _NUMBER, "held": _TEXT}
        kinds |= {"keep": places, "bar": places}
        operation["parameters"] = [
            {"name": name, "in": "query", "required": name == "question", "schema": kind}
            for name, kind in kinds.items()
        ]
    return operation


def _as_json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
