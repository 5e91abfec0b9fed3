"""The protocols of judges: how sentences are sent, and how the reply is read."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from features.registry import Registry
from ilpsum.learning.judging.replies import BEST, grades_of, scores_of

# Room for the reply in tokens: for each sentence a grade with its comma, in any writing, and what
# models write around them.
_TOKENS, _MORE = 16, 512
_SEED = 1


class Instructions(msgspec.Struct, frozen=True):
    """What a language model is told, with the version of the text."""

    version: int
    text: str


@cache
def instructions() -> Instructions:
    """Return the instructions, read once per process."""
    data = Path(__file__).with_name("instructions.toml").read_bytes()
    return msgspec.toml.decode(data, type=Instructions)


@dataclass(frozen=True)
class Protocol:
    """How a kind of judge is asked.

    Attributes:
        path: path of requests below the address, which the address may include.
        body: returns the body of a request from (model, question, sentences).
        read: returns the grades or scores from (body of the reply, number of sentences).
        grades: whether the values are grades from 0 to 3, which instructions ask for; else scores
            on any scale.
    """

    path: str
    body: Callable[[str, str, Sequence[str]], dict[str, Any]]
    read: Callable[[bytes, int], tuple[float, ...]]
    grades: bool


def _chat(model: str, question: str, sentences: Sequence[str]) -> dict[str, Any]:
    """Return a request in the form of OpenAI's chat completions."""
    n = len(sentences)
    grades = {
        "type": "array",
        "items": {"type": "integer", "enum": list(range(BEST + 1))},
        "minItems": n,
        "maxItems": n,
    }
    schema = {
        "type": "object",
        "properties": {"grades": grades},
        "required": ["grades"],
        "additionalProperties": False,
    }
    message = {"question": question, "sentences": list(sentences)}
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": instructions().text.strip()},
            {"role": "user", "content": json.dumps(message, ensure_ascii=False)},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "grades", "strict": True, "schema": schema},
        },
        "temperature": 0,
        "seed": _SEED,
        "max_tokens": _MORE + _TOKENS * n,
    }


def _rerank(model: str, question: str, sentences: Sequence[str]) -> dict[str, Any]:
    """Return a request in Cohere's form of reranking."""
    return {"model": model, "query": question, "documents": list(sentences)}


def _rerank_texts(_model: str, question: str, sentences: Sequence[str]) -> dict[str, Any]:
    """Return a request in the form of text-embeddings-inference, which serves one model."""
    return {"query": question, "texts": list(sentences)}


PROTOCOLS: Registry[Protocol] = Registry("kind of judge")
PROTOCOLS.add("chat", Protocol("chat/completions", _chat, grades_of, grades=True))
PROTOCOLS.add("rerank", Protocol("rerank", _rerank, scores_of, grades=False))
PROTOCOLS.add("rerank-texts", Protocol("rerank", _rerank_texts, scores_of, grades=False))


def kind_of(url: str) -> str:
    """Return the kind of judge that an address tells: `rerank` if it ends so, else `chat`."""
    return "rerank" if url.rstrip("/").endswith("/rerank") else "chat"


def with_fields(body: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request with a server's own fields; null removes a field."""
    merged = {**body, **fields}
    return {key: value for key, value in merged.items() if value is not None}
