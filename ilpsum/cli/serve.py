"""`ilpsum serve`: a local web page and API that answer questions from abstracts."""

import argparse
import contextlib
import re
import secrets
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ilpsum import resources
from ilpsum.cli.options import add_common, add_value, number_type, sources_of
from ilpsum.cli.setting_options import add_set, add_sources, judge_of
from ilpsum.cli.terminal import list_warnings, notify
from ilpsum.errors import UsageError

if TYPE_CHECKING:
    import uvicorn

    from ilpsum.pages.room import Session

_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
# Example questions about the demo's abstracts.
_EXAMPLES = (
    "Does gentamicin release zinc from lysosomes of kidney cells?",
    "How does gentamicin kill kidney tubule cells?",
    "Does mirolone heal leg ulcers?",
    "What are the side effects of mirolone?",
)
_PORT = number_type(int, lambda value: 0 <= value <= 65535, "a port from 0 to 65535")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `serve`."""
    add = partial(add_value, parser)
    add(
        "--port",
        "N",
        "port (default: 8314; 0 for a free one)",
        type=_PORT,
        default=8314,
    )
    add(
        "--host",
        "ADDRESS",
        "address to listen on (default: this machine only)",
        default="127.0.0.1",
    )
    add(
        "--name",
        "HOST",
        "additional host name of the server",
        action="append",
        default=[],
    )
    add(
        "--root-path",
        "/PATH",
        "path under which a proxy serves the page, such as /ilpsum",
        type=_prefix,
        default="",
    )
    add_common(parser, "--quiet")
    add_sources(
        parser,
        "abstracts (default: those of the demo)",
        "services, alone or beside --documents",
    )
    add_set(parser, "source", "judge")


def _prefix(text: str) -> str:
    """Return a path prefix without a slash at its end."""
    if not re.fullmatch(r"(?:/[\w.~-]+)*/?", text):
        raise argparse.ArgumentTypeError(f"expected a path such as /ilpsum, got {text[:100]!r}")
    return text.rstrip("/")


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM, then return 0."""
    try:
        from ilpsum.pages.room import application
        from ilpsum.pages.room.server import server
    except ImportError as error:
        needed = f"serve needs Starlette and uvicorn, {error.name} is not installed"
        raise UsageError(f"{needed}: {resources.installs('serve')}") from None
    if any("*" in name for name in options.name):
        raise UsageError("--name: expected a host name, without a *")
    with _listen(options) as listener:
        session = _session(options)
        is_local = options.host in ("127.0.0.1", "localhost", "::1")
        token = "" if is_local else secrets.token_urlsafe(24)
        hosts = _LOCAL | {name.lower() for name in (*options.name, options.host)}
        served = application(
            session,
            hosts=hosts,
            token=token,
            root_path=options.root_path,
        )
        running = server(served)
        with _clean_stop(running):
            _announce(options, listener.getsockname()[1], token)
            running.run([listener])
    return 0


def _session(options: argparse.Namespace) -> "Session":
    """Return a session over what is searched: without a choice, the abstracts of the demo."""
    from ilpsum.answers.retrieval import indexed, require_abstracts
    from ilpsum.pages.room import Session

    is_demo = not (options.documents or options.pubmed or options.europepmc)
    if is_demo:
        options.documents = [str(resources.demo() / "abstracts.xml")]
    where = sources_of(options)
    search = indexed(where) if where.documents else None
    if search:
        require_abstracts(search, where)
        list_warnings(search.warnings, quiet=options.quiet)
        # Do not try to read damaged files again for each question.
        where = replace(where, documents=search.files, problems=())
    session = Session(search, where, judge_of(options))
    if is_demo:
        session.examples = _EXAMPLES
    else:
        session.find_examples()
    return session


def _listen(options: argparse.Namespace) -> socket.socket:
    """Return a listening socket; called before abstracts are indexed, which may take long."""
    try:
        family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        return socket.create_server((options.host, options.port), family=family)
    except OSError as error:
        place = f"{options.host}:{options.port}"
        raise UsageError(
            f"cannot listen on {place} ({error.strerror}); choose another --host or --port"
        ) from None


def _announce(options: argparse.Namespace, port: int, token: str) -> None:
    host = f"[{options.host}]" if ":" in options.host else options.host
    name = options.name[0] if options.name else host
    query = f"?token={token}" if token else ""
    print(f"http://{name}:{port}{options.root_path}/{query}", flush=True)
    if token:
        what = (
            "whoever has the address above, with its token, can ask, over an unencrypted connection"
        )
        notify(f"{options.host} can be reached from other machines: {what}", options.quiet)
    notify("Ctrl-C stops the server", options.quiet)


@contextlib.contextmanager
def _clean_stop(running: "uvicorn.Server") -> Iterator[None]:
    """Let SIGINT and SIGTERM stop the server, also before it listens for them and when it raises
    them again.
    """
    before = {
        number: signal.signal(number, running.handle_exit)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
