"""The routes of the reading room."""

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ilpsum.errors import IlpsumError, InputError, UsageError, printable
from ilpsum.files.records import reason
from ilpsum.pages.forms import FORMS
from ilpsum.pages.room import drawing
from ilpsum.pages.room.asking import MOST_CHARACTERS, Ask
from ilpsum.pages.room.guard import COOKIE, Guard, Queue, is_foreign
from ilpsum.pages.room.session import Answered, Session
from ilpsum.version import __version__

_ELSEWHERE = "another site brought this question, whose words would be sent to a service"
_STATUS: dict[type[Exception], int] = {
    msgspec.MsgspecError: 422,
    UsageError: 422,
    InputError: 422,
    IlpsumError: 503,
    OSError: 503,
}


def application(
    session: Session,
    *,
    hosts: frozenset[str],
    token: str = "",
    queue: Queue | None = None,
    root_path: str = "",
) -> Starlette:
    """Return the ASGI application of a session; see `Guard` for `token`.

    It serves requests to these `hosts` only, which prevents DNS rebinding, where another site
    resolves its own name to this machine. `root_path` is the prefix under which a proxy serves it,
    whether or not the proxy removes it.
    """
    made = _Routes(session, queue or Queue(), token)
    routes: list[BaseRoute] = [
        Route("/", made.page),
        Route("/answer.{suffix}", made.export),
        Route("/api/stage", made.stage),
        Route("/api/health", made.health),
        Mount("/assets", StaticFiles(packages=[("ilpsum.pages", "assets")])),
    ]
    if root_path:
        routes.insert(0, Mount(root_path, routes=list(routes)))
    trusted = Middleware(TrustedHostMiddleware, allowed_hosts=sorted(hosts), www_redirect=False)
    handlers = dict.fromkeys((*_STATUS, HTTPException, Exception), _one_line)
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, token=token), trusted],
        exception_handlers=handlers,
    )


class _Routes:
    """One method per route."""

    def __init__(self, session: Session, queue: Queue, token: str) -> None:
        self._session, self._queue, self._token = session, queue, token

    async def page(self, request: Request) -> Response:
        """The page that answers the question in the URL, or asks for one."""
        if self._token and "token" in request.query_params:
            answer = RedirectResponse("./", 303)
            answer.set_cookie(
                COOKIE,
                request.query_params["token"],
                httponly=True,
                samesite="strict",
            )
            return answer
        answered, problem, status = None, "", 200
        try:
            ask = _asked(request)
            if self._is_started_elsewhere(request, ask):
                problem = f"{_ELSEWHERE}; press Ask to ask it"
            elif ask.question.strip():
                answered = await self._answer(request, ask)
        except msgspec.MsgspecError as error:
            question = request.query_params.get("question", "")
            ask, problem, status = Ask(question[:MOST_CHARACTERS]), reason(error), 422
        except IlpsumError as error:
            problem, status = str(error), 422
        return HTMLResponse(drawing.page(self._session, ask, answered, printable(problem)), status)

    async def export(self, request: Request) -> Response:
        """The answer or its sources as a file, whose suffix names the form."""
        suffix = request.path_params["suffix"]
        form = next((form for form in FORMS.values() if form.suffix == f".{suffix}"), None)
        if form is None:
            raise HTTPException(404, "no such file")
        if self._is_started_elsewhere(request, ask := _asked(request)):
            raise HTTPException(403, f"{_ELSEWHERE}; ask it on the page of the server")
        answered = await self._answer(request, ask)
        name = {"content-disposition": f'attachment; filename="answer.{suffix}"'}
        return Response(
            form.written(answered.answer),
            media_type=form.media_type,
            headers=name,
        )

    async def stage(self, request: Request) -> Response:
        """The current processing stage of a question, in words; empty if it is idle."""
        return PlainTextResponse(self._session.stage(_asked(request)))

    async def health(self, _request: Request) -> Response:
        """The server's health: version and number of searched abstracts."""
        searched = self._session.search.documents if self._session.search else 0
        return JSONResponse({"status": "ok", "version": __version__, "abstracts": searched})

    async def _answer(self, request: Request, ask: Ask) -> Answered:
        if not self._session.waits(ask):
            return await self._queue.run(request, self._session.answer, ask)
        fetched = await self._queue.run(request, self._session.fetch, ask, waits=True)
        waits = self._session.judged(ask)
        return await self._queue.run(request, self._session.answer, ask, fetched, waits=waits)

    def _is_started_elsewhere(self, request: Request, ask: Ask) -> bool:
        """Whether a page of another site would have words sent to a service."""
        return self._session.waits(ask) and is_foreign(request.headers)


def _asked(request: Request) -> Ask:
    return Ask.of_query(request.url.query)


async def _one_line(_request: Request, error: Exception) -> Response:
    text = str(error)
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)
    if isinstance(error, HTTPException):
        status, text = error.status_code, error.detail
    elif isinstance(error, OSError):
        text = error.strerror or text
    elif isinstance(error, msgspec.MsgspecError):
        text = reason(error)
    elif status == 500:
        text = "error in ilpsum; the log of the server has the details"
    return PlainTextResponse(printable(text) + "\n", status)
