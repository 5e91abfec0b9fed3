"""The OpenAPI description of the room's API, from the records of its requests and answers."""

from typing import Any

import msgspec

from ilpsum.report.plain import JsonAnswer
from ilpsum.serve.asking import Ask, BroughtTexts, Question
from ilpsum.serve.room import Held, Stops
from ilpsum.version import __version__

_ERRORS = {
    "401": "the token is missing",
    "403": "a request from a page of another site",
    "410": "the room no longer holds the texts",
    "413": "the request is too large",
    "415": "the body is not JSON",
    "421": "another host name",
    "422": "the question, a setting or a text cannot be used",
    "429": "too many requests of one client",
    "503": "too many requests, or the index cannot be read",
}


class Health(msgspec.Struct, frozen=True):
    """Whether the room answers, its version, and how many abstracts it searches."""

    status: str
    version: str
    abstracts: int


def description() -> dict[str, Any]:
    """Return the description of the API (OpenAPI 3.1)."""
    records = (Question, BroughtTexts, Ask, JsonAnswer, Held, Stops, Health)
    schemas, components = msgspec.json.schema_components(records, ref_template="#/components/schemas/{name}")
    given, texts, _, answer, held, stops, health = schemas
    query = [
        {"name": name, "in": "query", "required": name == "question", "schema": schema}
        for name, schema in components["Ask"]["properties"].items()
    ]
    path = {"name": "held", "in": "path", "required": True, "schema": {"type": "string"}}
    about = "Answers in sentences quoted from abstracts. Every selection is a proved optimum."
    return {
        "openapi": "3.1.0",
        "info": {"title": "ilpsum", "version": __version__, "description": about},
        "paths": {
            "/api/answers": {"post": _operation("Answer a question", answer, requestBody=_body(given))},
            "/api/texts": {
                "post": _operation(
                    "Hold texts in memory; `held` of a question names them", held, requestBody=_body(texts)
                )
            },
            "/api/texts/{held}": {
                "delete": _operation("Forget texts, and all that was made of them", held, parameters=[path])
            },
            "/api/stops": {"get": _operation("Where the sliders change the answer", stops, parameters=query)},
            "/api/health": {"get": _operation("Whether the room answers", health)},
        },
        "components": {"schemas": components},
    }


def _operation(summary: str, result: dict[str, Any], **more: object) -> dict[str, Any]:
    refusals = {
        status: {"description": f"{why}, in one line", "content": {"text/plain": {"schema": {"type": "string"}}}}
        for status, why in _ERRORS.items()
    }
    done = {"description": "done", "content": {"application/json": {"schema": result}}}
    return {"summary": summary, "responses": {"200": done, **refusals}, **more}


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}
