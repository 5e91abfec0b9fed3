"""The adapters against the real libraries, with invented texts; `make integrations` installs them."""

import asyncio
import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import pytest

from ilpsum import Judge
from ilpsum.integrations import OPTIONS, SEPARATOR, metadata, passages_of
from tests.ilpsum.learning.judging.conftest import standin  # noqa: F401  # a fixture

QUESTION = "What does velin 2 do in the wings of the tarn moth?"
TEXTS = [
    "Tarn moths live beside mountain lakes. Velin 2 binds the scales of the tarn moth to its wing at low temperature. "
    "The lakes freeze in November.",
    "Frost switches velin 2 off, and the wings of the tarn moth lose their scales. Beetles have no velins at all.",
    "The museum is open on Sundays. It shows nine stuffed owls and a boat.",
]
BUDGET = 40


def tokens(text: str) -> int:
    """Pieces of words, stops and line ends: more than words, and joins cost something."""
    return len(re.findall(r"\w{1,4}|[^\w ]", text))


def check(
    texts: list[str],
    places: list[tuple[int, int, int]],
    budget: int = BUDGET,
    count: Callable[[str], int] = tokens,
) -> None:
    """The texts are verbatim, in source order and within the budget."""
    assert texts
    assert [TEXTS[i][start:end] for i, start, end in places] == texts
    assert places == sorted(places)
    assert count("\n\n".join(texts)) <= budget
    assert any("velin 2" in text.lower() for text in texts)


def test_an_adapter_passes_its_relevance_on():
    """What adapters share needs none of their libraries."""
    asked = []

    def museums(question: str, sentences: Sequence[str]) -> list[float]:
        asked.append((question, list(sentences)))
        return [float("museum" in sentence) for sentence in sentences]

    adapter = SimpleNamespace(**dict.fromkeys(OPTIONS))
    adapter.budget, adapter.separator, adapter.system = 9, SEPARATOR, "concepts"
    assert "museum" not in passages_of(adapter, QUESTION, TEXTS)[0].text
    adapter.relevance = museums
    (passage,) = passages_of(adapter, QUESTION, TEXTS)
    assert (passage.text, passage.relevance) == ("The museum is open on Sundays.", 1.0)
    ((question, sentences),) = asked
    assert question == QUESTION
    assert len(sentences) == 7
    assert all(sentence in " ".join(TEXTS) for sentence in sentences)
    assert metadata(passage)["passage_relevance"] == 1.0


@pytest.fixture
def judge(standin):  # noqa: F811
    """A judge that grades a sentence 3 if it has frost in it, else 1."""
    standin.grade = lambda _question, sentence: 3 if "Frost" in sentence else 1
    return Judge(standin.url, "newt-7b")


def test_an_adapter_passes_its_judge_on(judge):
    adapter = SimpleNamespace(**dict.fromkeys(OPTIONS))
    adapter.budget, adapter.separator, adapter.system = 99, SEPARATOR, "concepts"
    adapter.relevance = judge
    (passage,) = passages_of(adapter, QUESTION, TEXTS)
    assert passage.text.startswith("Frost switches")
    assert passage.why.startswith(f"graded 3 of 3 by newt-7b at {judge.host}")


def test_langchain_takes_a_judge(judge):
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document

    from ilpsum.integrations.langchain import PassageCompressor

    documents = [Document(page_content=text) for text in TEXTS]
    (found,) = PassageCompressor(relevance=judge).compress_documents(documents, QUESTION)
    assert found.page_content.startswith("Frost switches")


def test_a_haystack_component_with_a_judge_can_be_saved(judge):
    pytest.importorskip("haystack")
    from haystack import Document, Pipeline

    from ilpsum.integrations.haystack import PassageSelector

    pipeline = Pipeline()
    pipeline.add_component("selector", PassageSelector(relevance=judge))
    allowed = ["ilpsum.integrations.haystack"]
    saved = Pipeline.loads(pipeline.dumps(), allowed_modules=allowed)
    documents = [Document(content=text) for text in TEXTS]
    found = saved.run({"selector": {"query": QUESTION, "documents": documents}})
    (document,) = found["selector"]["documents"]
    assert document.content.startswith("Frost switches")


def test_langchain():
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document

    from ilpsum.integrations.langchain import PassageCompressor

    documents = [
        Document(page_content=text, id=f"d{i}", metadata={"page": i, "start": "kept"})
        for i, text in enumerate(TEXTS)
    ]
    compressor = PassageCompressor(budget=BUDGET, count=tokens)
    found = compressor.compress_documents(documents, QUESTION)
    places = [
        (d.metadata["page"], d.metadata["passage_start"], d.metadata["passage_end"]) for d in found
    ]
    check([d.page_content for d in found], places)
    # Every passage is a document of its own, which names its source.
    assert [d.id for d in found] == [f"d{i}:{start}-{end}" for i, start, end in places]
    assert all(d.metadata["passage_source"] == f"d{d.metadata['page']}" for d in found)
    assert all(d.metadata["start"] == "kept" for d in found)
    assert all(d.metadata["passage_why"] and d.metadata["passage_relevance"] > 0 for d in found)
    assert compressor.compress_documents([], QUESTION) == []
    with pytest.raises(ValueError, match="budget"):
        PassageCompressor(budget=-1).compress_documents(documents, QUESTION)


async def _compressed() -> int:
    from langchain_core.documents import Document

    from ilpsum.integrations.langchain import PassageCompressor

    documents = [Document(page_content=text) for text in TEXTS]
    return len(
        await PassageCompressor(budget=BUDGET, per_source=1).acompress_documents(
            documents, QUESTION
        )
    )


def test_langchain_asynchronously():
    pytest.importorskip("langchain_core")
    assert 1 <= asyncio.run(_compressed()) <= len(TEXTS)


def test_llama_index():
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import (
        Document,
        MetadataMode,
        NodeRelationship,
        NodeWithScore,
        TextNode,
    )

    from ilpsum.integrations.llama_index import PassagePostprocessor

    whole = Document(text="Front matter. " + TEXTS[0], id_="whole")
    nodes = [TextNode(text=text, id_=f"n{i}", metadata={"page": i}) for i, text in enumerate(TEXTS)]
    nodes[0].relationships[NodeRelationship.SOURCE] = whole.as_related_node_info()
    nodes[0].start_char_idx = len("Front matter. ")
    given = [NodeWithScore(node=node, score=0.5 - node.metadata["page"] / 10) for node in nodes]
    # Room for a passage of each of the first two texts.
    found = PassagePostprocessor(budget=80, count=tokens).postprocess_nodes(
        given, query_str=QUESTION
    )
    data = [item.node.metadata for item in found]
    places = [(d["page"], d["passage_start"], d["passage_end"]) for d in data]
    # What a prompt shows is the text after the metadata of the source, and nothing of ours.
    assert all("passage" not in item.node.get_content(MetadataMode.LLM) for item in found)
    check([item.node.get_content(MetadataMode.NONE) for item in found], places, 80)
    assert [item.score for item in found] == [0.5 - d["page"] / 10 for d in data]
    assert len({item.node.node_id for item in found}) == len(found)
    first = next(item.node for item in found if item.node.metadata["page"] == 0)
    assert isinstance(first, TextNode)
    assert first.ref_doc_id == "whole"
    assert whole.text[first.start_char_idx : first.end_char_idx] == first.text
    other = next(item.node for item in found if item.node.metadata["page"] == 1)
    assert (other.ref_doc_id, other.start_char_idx) == ("n1", None)


def test_llama_index_takes_documents_and_no_query():
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import Document, NodeWithScore

    from ilpsum.integrations.llama_index import PassagePostprocessor

    given = [NodeWithScore(node=Document(text=text)) for text in TEXTS]
    found = PassagePostprocessor(budget=BUDGET, count=tokens, per_source=1).postprocess_nodes(given)
    assert 1 <= len(found) <= len(TEXTS)
    assert all(item.node.get_content() in TEXTS[i] for i, item in enumerate(found))


def _near(sentence: str) -> float:
    return float("frost" in sentence.lower())


def test_llama_index_asynchronously():
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import NodeWithScore, TextNode

    from ilpsum.integrations.llama_index import PassagePostprocessor

    nodes = [NodeWithScore(node=TextNode(text=text, id_=str(i))) for i, text in enumerate(TEXTS)]
    adapter = PassagePostprocessor(budget=BUDGET, count=tokens)
    found = asyncio.run(adapter.apostprocess_nodes(nodes, query_str=QUESTION))
    assert [n.node.node_id for n in found] == [
        n.node.node_id for n in adapter.postprocess_nodes(nodes, query_str=QUESTION)
    ]


def test_haystack_saves_functions_and_runs_asynchronously():
    pytest.importorskip("haystack")
    from haystack import Document, Pipeline

    from ilpsum.integrations.haystack import PassageSelector

    pipeline = Pipeline()
    pipeline.add_component("select", PassageSelector(budget=30, relevance=_near))
    # What the guide says is enough: the adapter's module, and those of functions.
    again = Pipeline.loads(
        pipeline.dumps(), allowed_modules=["ilpsum.integrations.haystack", __name__]
    )
    selector = again.get_component("select")
    assert (selector.budget, selector.count, selector.relevance) == (30, None, _near)
    documents = [Document(content=text) for text in TEXTS]
    inputs = {"select": {"query": QUESTION, "documents": documents}}
    found = asyncio.run(again.run_async(inputs))["select"]["documents"]
    assert [d.content for d in found] == [
        d.content for d in selector.run(QUESTION, documents)["documents"]
    ]
    assert len({d.id for d in found}) == len(found)


def test_haystack():
    pytest.importorskip("haystack")
    from haystack import Document, Pipeline

    from ilpsum.integrations.haystack import PassageSelector

    documents = [
        Document(content=text, meta={"page": i}, score=1 - i / 10) for i, text in enumerate(TEXTS)
    ] + [Document(content=None, meta={"page": 3})]  # fmt: skip
    pipeline = Pipeline()
    pipeline.add_component("select", PassageSelector(budget=200, count=len))
    again = Pipeline.loads(
        pipeline.dumps(), allowed_modules=["ilpsum.integrations.haystack", "builtins"]
    )
    for runs in (pipeline, again):
        found = runs.run({"select": {"query": QUESTION, "documents": documents}})["select"][
            "documents"
        ]
        places = [(d.meta["page"], d.meta["passage_start"], d.meta["passage_end"]) for d in found]
        check([d.content for d in found], places, 200, len)
        assert [d.score for d in found] == [1 - d.meta["page"] / 10 for d in found]
