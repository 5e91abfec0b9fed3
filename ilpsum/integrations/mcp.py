"""`ask` and `select` as tools of the Model Context Protocol, over standard input and output; needs
`mcp`.

`python -m ilpsum.integrations.mcp FILE... [--judge URL --judge-model NAME]` answers only from these
abstracts; a judge grades their sentences, which are sent to it.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from ilpsum.answers.sources import Sources
from ilpsum.api.asking import ask
from ilpsum.api.systems import summarizer
from ilpsum.errors import IlpsumError
from ilpsum.learning.judging.judge import Judge
from ilpsum.passages import select


def server(sources: Sources, judge: Judge | None = None) -> MCPServer:
    """Return a server with two tools: one answers from the sources, one selects passages from texts
    in the request. A judge grades the sentences of both.
    """
    system = summarizer(searched=True, may_stop_early=True, relevance=judge)
    tools = MCPServer("ilpsum")

    @tools.tool(name="ask")
    def _ask(question: str, words: int = 200) -> dict[str, Any]:
        """Answer a biomedical question by sentences of the collection, word for word, each with its
        source.
        """
        with _said():
            return ask(question, sources, words=words, system=system).to_dict()

    @tools.tool(name="select")
    def _select(question: str, texts: list[str], budget: int = 300) -> list[dict[str, Any]]:
        """Return the passages of texts that answer a question best, verbatim, in at most `budget`
        words.
        """
        with _said():
            return [asdict(passage) for passage in select(question, texts, budget, relevance=judge)]

    return tools


@contextmanager
def _said() -> Iterator[None]:
    """Pass on the line of our own errors; the library hides the text of all others from the
    caller.
    """
    try:
        yield
    except IlpsumError as error:
        raise ToolError(str(error)) from None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m ilpsum.integrations.mcp")
    parser.add_argument("documents", nargs="+", metavar="FILE")
    parser.add_argument("--judge", metavar="URL")
    parser.add_argument("--judge-model", metavar="NAME", default="")
    options = parser.parse_args()
    judged_by = Judge(options.judge, options.judge_model) if options.judge else None
    server(Sources(documents=options.documents), judged_by).run()
