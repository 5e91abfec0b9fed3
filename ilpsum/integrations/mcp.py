"""`ask` and `select` as tools of the Model Context Protocol, over standard input and output; needs `mcp`.

`python -m ilpsum.integrations.mcp FILE...` answers only from these abstracts.
"""

import sys
from dataclasses import asdict
from typing import Any

from mcp.server import MCPServer

from ilpsum.answers.sources import Sources
from ilpsum.api.asking import ask
from ilpsum.passages import select


def server(sources: Sources) -> MCPServer:
    """Return a server with two tools: one answers from the sources, one selects passages from texts in the request."""
    tools = MCPServer("ilpsum")

    @tools.tool(name="ask")
    def _ask(question: str, words: int = 200) -> dict[str, Any]:
        """Answer a biomedical question by sentences of the collection, word for word, each with its source."""
        return ask(question, sources, words=words).to_dict()

    @tools.tool(name="select")
    def _select(question: str, texts: list[str], budget: int = 300) -> list[dict[str, Any]]:
        """Return the passages of texts that answer a question best, verbatim, in at most `budget` words."""
        return [asdict(passage) for passage in select(question, texts, budget)]

    return tools


if __name__ == "__main__":
    server(Sources(documents=sys.argv[1:])).run()
