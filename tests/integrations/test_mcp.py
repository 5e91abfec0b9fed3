"""The tools of the Model Context Protocol; `make integrations` installs its library."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from ilpsum import Judge, Sources, resources
from ilpsum.integrations import __file__ as package
from tests.ilpsum.learning.judging.conftest import standin  # noqa: F401  # a fixture
from tests.ilpsum.learning.judging.standin import Fault

pytest.importorskip("mcp")

PILE = resources.demo() / "abstracts.xml"


def test_a_client_asks_and_selects(tmp_path):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def call() -> tuple[set[str], str, str]:
        # The folder of indexes is that of the user's cache.
        started = StdioServerParameters(
            command=sys.executable,
            args=["-m", "ilpsum.integrations.mcp", str(PILE)],
            env={"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(Path(package).parents[2])},
        )
        async with stdio_client(started) as streams, ClientSession(*streams) as session:
            await session.initialize()
            names = {tool.name for tool in (await session.list_tools()).tools}
            question = {"question": "How does gentamicin kill kidney cells?", "words": 60}
            answer = await session.call_tool("ask", question)
            texts = {
                "question": "When do newts sing?",
                "texts": ["Newts sing in May. Ponds freeze."],
                "budget": 5,
            }
            passages = await session.call_tool("select", texts)
            return names, str(answer.content), str(passages.content)

    names, answer, passages = asyncio.run(call())
    assert names == {"ask", "select"}
    assert "Gentamicin kills kidney tubule cells through zinc" in answer
    assert "Newts sing in May." in passages
    assert "Ponds freeze." not in passages


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        (
            "ask",
            {"question": "Do newts sing?", "words": 0},
            "words: expected a whole number, 1 or more, got 0",
        ),
        ("ask", {"question": " "}, "the question is empty"),
        (
            "ask",
            {"question": "newts " * 2000},
            "expected a question of at most 10,000 characters, got 11,999",
        ),
        ("select", {"question": "newts", "texts": ["Newts sing."], "budget": -1}, "budget"),
    ],
)
def test_a_caller_gets_our_own_line(tool, given, expected):
    from mcp.server.mcpserver.exceptions import ToolError

    from ilpsum.integrations.mcp import server

    with pytest.raises(ToolError, match=expected):
        asyncio.run(server(Sources(documents=[PILE])).call_tool(tool, given))


def test_the_option_that_a_notice_names_quotes_a_retracted_article(tmp_path):
    from ilpsum.integrations.mcp import server

    record = {"pmid": 7, "title": "Newts", "abstract": "Newts sing in May.", "retracted": True}
    file = tmp_path / "newts.json"
    file.write_text(json.dumps([record, {"pmid": 8, "title": "T", "abstract": "Toads hum."}]))
    tools = server(Sources(documents=[file], index=tmp_path / "index"))

    def answer(**given):
        return str(
            asyncio.run(tools.call_tool("ask", {"question": "When do newts sing?", **given}))
        )

    assert "the option retracted quotes them" in answer()
    assert "Newts sing in May." not in answer()
    assert "Newts sing in May." in answer(retracted=True)


def test_the_server_opens_no_file_that_a_call_names():
    from ilpsum.integrations.mcp import server

    tools = asyncio.run(server(Sources(documents=[PILE])).list_tools())
    assert {tool.name: sorted(tool.input_schema["properties"]) for tool in tools} == {
        "ask": ["question", "retracted", "words"],
        "select": ["budget", "question", "texts"],
    }


def test_a_judge_grades_the_sentences_of_both_tools(standin):  # noqa: F811
    from mcp.server.mcpserver.exceptions import ToolError

    from ilpsum.integrations.mcp import server

    tools = server(Sources(documents=[PILE]), Judge(standin.url, "newt-7b"))

    def call(tool, **given):
        return str(asyncio.run(tools.call_tool(tool, given)))

    standin.grade = lambda _question, sentence: 3 if "zinc" in sentence else 1
    answer = call("ask", question="How does gentamicin kill kidney cells?", words=60)
    assert f"Sentences graded by newt-7b at {standin.host}" in answer
    assert "graded 3 of 3" in answer
    texts = ["Newts sing of zinc in May. Ponds freeze in winter."]
    passages = call("select", question="When do newts sing?", texts=texts)
    assert "Newts sing of zinc in May." in passages
    assert "Ponds freeze" not in passages
    standin.faults = [Fault(401, b'{"error": "bad key"}')]
    with pytest.raises(ToolError, match=r"the judge newt-7b at .* refused \(status 401"):
        call("select", question="Do newts freeze?", texts=texts)


def test_without_files_it_only_selects():
    from ilpsum.integrations.mcp import server

    (tool,) = asyncio.run(server(None).list_tools())
    assert tool.name == "select"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nosuch.xml"], "ilpsum: nosuch.xml: no such file or folder; check the path\n"),
        (["texts.txt"], "ilpsum: texts.txt: plain text or topics, not abstracts;"),
        (["--judge", "http://localhost/v1"], "ilpsum: the judge: name its model"),
    ],
)
def test_what_cannot_be_served_is_one_line_at_the_start(
    tmp_path, monkeypatch, capsys, arguments, says
):
    from ilpsum.integrations.mcp import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "texts.txt").write_text("Newts sing.")
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert told.startswith(says)
    assert told.count("\n") == 1


def test_help_needs_no_server(capsys):
    from ilpsum.integrations.mcp import main

    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "abstracts to answer from; else only select" in capsys.readouterr().out
