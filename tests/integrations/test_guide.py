"""The adapters' examples in docs/guides/passages.md run as they are."""

import re
import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "passages.md"
BLOCKS = re.findall(
    r"tests/integrations runs it -->\n```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.M | re.S
)


def test_the_guide_has_an_example_of_each_library():
    assert [block.split()[1].partition(".")[0] for block in BLOCKS] == [
        "langchain_core",
        "llama_index",
        "haystack",
    ]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[1])
def test_examples_print_the_answer_with_its_place(block, capsys):
    if find_spec(block.split()[1].partition(".")[0]) is None:
        pytest.skip("the library is not installed; `make integrations` installs it")
    assert len(block.strip().splitlines()) <= 12
    exec(compile(block, str(GUIDE), "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith(
        "Velin 2 binds the scales of the tarn moth to its wing. 7 0"
    )


def test_the_chain_of_langchain_keeps_its_budget(capsys):
    if find_spec("langchain_core") is None:
        pytest.skip("the library is not installed; `make integrations` installs it")
    runpy.run_path(str(GUIDE.parents[1] / "scripts" / "rag_langchain.py"), run_name="__main__")
    assert "paper-0:0-54 Velin 2 binds the scales" in capsys.readouterr().out
