"""`ask` and `select` as tools of the Model Context Protocol, over standard input and output; needs
`mcp`.

`python -m ilpsum.integrations.mcp [FILE...] [--judge URL --judge-model NAME]` answers only from
these abstracts; without files it only selects. A judge grades their sentences, which are sent to
it.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from msgspec import structs

from ilpsum.answers.retrieval import indexed, require_abstracts
from ilpsum.answers.sources import Sources
from ilpsum.api.asking import ask
from ilpsum.api.systems import summarizer
from ilpsum.errors import IlpsumError, UsageError, printable
from ilpsum.learning.judging.judge import Judge
from ilpsum.passages import select
from ilpsum.resources import installs

if TYPE_CHECKING:
    from mcp.server import MCPServer


def server(sources: Sources | None, judge: Judge | None = None) -> "MCPServer":
    """Return a server with two tools: one answers from the sources, one selects passages from texts
    in the request. A judge grades the sentences of both.

    Without sources, it only selects.

    Raises:
        UsageError: `mcp` is not installed.
    """
    try:
        from mcp.server import MCPServer
    except ImportError:
        raise UsageError(f"mcp is not installed: {installs('mcp')}") from None
    tools = MCPServer("ilpsum")
    if sources is not None:
        _add_ask(tools, sources, judge)

    @tools.tool(name="select")
    def _select(question: str, texts: list[str], budget: int = 300) -> list[dict[str, Any]]:
        """Return the passages of texts that answer a question best, verbatim, in at most `budget`
        words.
        """
        with _our_errors():
            return [asdict(passage) for passage in select(question, texts, budget, relevance=judge)]

    return tools


def _add_ask(tools: "MCPServer", sources: Sources, judge: Judge | None) -> None:
    system = summarizer(searched=True, may_stop_early=True, relevance=judge)

    @tools.tool(name="ask")
    def _ask(question: str, words: int = 200, retracted: bool = False) -> dict[str, Any]:
        """Answer a biomedical question by sentences of the collection, word for word, each with its
        source; if `retracted`, also by retracted articles, which are marked.
        """
        wanted = structs.replace(sources.wanted, retracted=retracted or sources.wanted.retracted)
        with _our_errors():
            chosen = replace(sources, wanted=wanted)
            return ask(question, chosen, words=words, system=system).to_dict()


@contextmanager
def _our_errors() -> Iterator[None]:
    """Pass on the line of our own errors; the library hides the text of all others from the
    caller.
    """
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        yield
    except IlpsumError as error:
        raise ToolError(str(error)) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until standard input ends; exit status 2 if a file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m ilpsum.integrations.mcp")
    add = parser.add_argument
    add("documents", nargs="*", metavar="FILE", help="abstracts to answer from; else only select")
    add("--judge", metavar="URL", help="server of a model that grades sentences")
    add("--judge-model", metavar="NAME", default="", help="its model")
    options = parser.parse_args(arguments)
    try:
        judge = Judge(options.judge, options.judge_model) if options.judge else None
        sources = Sources(documents=options.documents) if options.documents else None
        if sources is not None:
            # A client would learn of a missing file with its first question only.
            require_abstracts(indexed(sources), sources)
        tools = server(sources, judge)
    except IlpsumError as error:
        sys.stderr.write(printable(f"ilpsum: {error}") + "\n")
        return 2
    tools.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
