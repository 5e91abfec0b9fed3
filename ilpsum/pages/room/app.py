"""The routes of the reading room, and their OpenAPI description, generated from the request and response records."""

import logging
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ilpsum.errors import IlpsumError, InputError, UsageError, printable
from ilpsum.files.records import decode, reason
from ilpsum.pages import plain
from ilpsum.pages.forms import FORMS
from ilpsum.pages.room import drawing
from ilpsum.pages.room.asking import Ask, BroughtTexts, Question
from ilpsum.pages.room.guard import COOKIE, Guard, Queue, Refused
from ilpsum.pages.room.session import Answered, ForgottenError, Session
from ilpsum.runs import formats
from ilpsum.version import __version__

_EXPECTED = "an object as /openapi.json describes it", "correct it and ask again"
_STATUS: dict[type[Exception], int] = {
    msgspec.MsgspecError: 422,
    ForgottenError: 410,
    UsageError: 422,
    InputError: 422,
    IlpsumError: 503,
}

_ERRORS = {
    "401": "the token is missing",
    "403": "a request from a page of another site",
    "410": "the server no longer holds the texts",
    "413": "the request is too large",
    "415": "the body is not JSON",
    "421": "another host name",
    "422": "an invalid question, setting or text",
    "429": "too many requests of one client",
    "503": "too many requests, or the index cannot be read",
}


def application(session: Session, *, hosts: frozenset[str], token: str = "", queue: Queue | None = None) -> Starlette:
    """Return the ASGI application of a room; see `Guard` for `hosts` and `token`."""
    routes = _Routes(session, queue or Queue(), token)
    return Starlette(
        routes=[
            Route("/", routes.page),
            Route("/answer.{suffix}", routes.export),
            Route("/api/answers", routes.answers, methods=["POST"]),
            Route("/api/texts", routes.texts, methods=["POST"]),
            Route("/api/texts/{held}", routes.forget, methods=["DELETE"]),
            Route("/api/stops", routes.stops),
            Route("/api/stage", routes.stage),
            Route("/api/health", routes.health),
            Route("/openapi.json", routes.openapi),
            Mount("/assets", StaticFiles(packages=[("ilpsum.pages", "assets")])),
        ],
        middleware=[Middleware(Guard, hosts=hosts, token=token)],
        exception_handlers=dict.fromkeys((*_STATUS, ClientDisconnect, HTTPException, OSError, Exception), _one_line),
    )


class _Routes:
    """One method per route."""

    def __init__(self, session: Session, queue: Queue, token: str) -> None:
        self._session, self._queue, self._token = session, queue, token

    async def page(self, request: Request) -> Response:
        """The page that answers the question in the URL, or asks for one."""
        if self._token and "token" in request.query_params:
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, request.query_params["token"], httponly=True, samesite="strict")
            return answer
        ask = Ask.of_query(request.query_params.multi_items())
        try:
            answered = await self._answer(request, ask) if ask.question.strip() else None
        except IlpsumError as error:
            return HTMLResponse(drawing.page(self._session, ask, None, str(error)), 422)
        return HTMLResponse(drawing.page(self._session, ask, answered))

    async def export(self, request: Request) -> Response:
        """The answer or its sources as a file, whose suffix names the form; `jsonl` is BioGen's format."""
        suffix = request.path_params["suffix"]
        form = next((form for form in FORMS.values() if form.suffix == f".{suffix}"), None)
        if not form and suffix != "jsonl":
            raise Refused(404, "no such file")
        answered = await self._answer(request, Ask.of_query(request.query_params.multi_items()))
        name = {"content-disposition": f'attachment; filename="answer.{suffix}"'}
        content = form.written(answered.answer) if form else _biogen(answered)
        return Response(content, media_type=form.media_type if form else "application/x-ndjson", headers=name)

    async def answers(self, request: Request) -> Response:
        """The answer to an API question, in the format of `ilpsum ask --json`."""
        given = decode(await request.body(), Question, _EXPECTED, "the request")
        ask = given.ask
        if given.texts:
            held = await self._queue.run(request, self._session.hold, given.texts)
            ask = msgspec.structs.replace(ask, held=held.id)
        answered = await self._answer(request, ask)
        return Response(plain.to_json(answered.answer), media_type="application/json")

    async def texts(self, request: Request) -> Response:
        """Keep texts in memory."""
        given = decode(await request.body(), BroughtTexts, _EXPECTED, "the request")
        return _json(await self._queue.run(request, self._session.hold, given.texts))

    async def forget(self, request: Request) -> Response:
        """Delete texts."""
        return _json(self._session.forget(request.path_params["held"]))

    async def stops(self, request: Request) -> Response:
        """The values of lambda and the word limits at which the answer changes."""
        ask = Ask.of_query(request.query_params.multi_items())
        return _json(await self._queue.run(request, self._session.stops, ask))

    async def stage(self, request: Request) -> Response:
        """The current processing stage of a question, in words; empty if it is idle."""
        return PlainTextResponse(self._session.stage(Ask.of_query(request.query_params.multi_items())))

    async def health(self, _request: Request) -> Response:
        """The server's health: version and number of searched abstracts."""
        searched = self._session.search.documents if self._session.search else 0
        return _json({"status": "ok", "version": __version__, "abstracts": searched})

    async def openapi(self, _request: Request) -> Response:
        """The OpenAPI description of the API."""
        return _json(description())

    async def _answer(self, request: Request, ask: Ask) -> Answered:
        return await self._queue.run(request, self._session.answer, ask)


def _json(value: object) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def _biogen(answered: Answered) -> bytes:
    """Return the answer as a line in the BioGen 2025 format."""
    if answered.answer.lines and not answered.summary.responses:
        raise UsageError("BioGen's format cites PubMed abstracts, but these texts have no PMIDs")
    return formats.FORMATS["biogen-2025"].writer.compose("room", answered.summary).answer


async def _one_line(_request: Request, error: Exception) -> Response:
    """Return a one-line response to a failed request."""
    if isinstance(error, ClientDisconnect):
        status, text = 499, "the client has left while it was sending"
        logging.getLogger(__name__).debug(text)
    elif isinstance(error, HTTPException):
        status, text = error.status_code, error.detail
    elif isinstance(error, OSError):
        status, text = 503, error.strerror or str(error)
    else:
        status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)
        text = reason(error) if isinstance(error, msgspec.MsgspecError) else str(error)
        text = text if status != 500 else "error in ilpsum; the log of the server has the details"
    return PlainTextResponse(printable(text) + "\n", status)


def description() -> dict[str, Any]:
    """Return the description of the API (OpenAPI 3.1): its routes and, exactly, what they accept."""
    schemas, components = msgspec.json.schema_components(_ACCEPTED.values(), ref_template="#/components/schemas/{name}")
    bodies = dict(zip(_ACCEPTED, schemas, strict=True))
    responses = {status: {"description": why} for status, why in {"200": "done", **_ERRORS}.items()}
    paths: dict[str, dict[str, Any]] = {}
    for (method, path), summary in _OPERATIONS.items():
        operation: dict[str, Any] = {"summary": summary, "responses": responses}
        if body := bodies.get(path if method == "post" else ""):
            operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
        if "{held}" in path:
            operation["parameters"] = [{"name": "held", "in": "path", "required": True, "schema": {"type": "string"}}]
        paths.setdefault(path, {})[method] = operation
    info = {"title": "ilpsum", "version": __version__, "description": "Answers in sentences quoted from abstracts."}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": components}}


_ACCEPTED = {"/api/answers": Question, "/api/texts": BroughtTexts}
_OPERATIONS = {
    ("post", "/api/answers"): "Answer a question; the answer is that of `ilpsum ask --json`",
    ("post", "/api/texts"): "Hold texts in memory, for `held` of a question",
    ("delete", "/api/texts/{held}"): "Delete texts and all answers from them",
    ("get", "/api/health"): "Whether the server responds",
}
