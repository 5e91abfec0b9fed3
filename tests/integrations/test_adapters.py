"""The adapters against the real libraries, with invented texts; `make integrations` installs them."""

import asyncio
import importlib
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from ilpsum.integrations import OPTIONS, passages_of
from ilpsum.passages import Passage

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
    texts: list[str], places: list[tuple[int, int, int]], budget: int = BUDGET, count: Callable[[str], int] = tokens
) -> None:
    """The texts are verbatim, in source order and within the budget."""
    assert texts
    assert [TEXTS[i][start:end] for i, start, end in places] == texts
    assert places == sorted(places)
    assert count("\n\n".join(texts)) <= budget
    assert any("velin 2" in text.lower() for text in texts)


def test_langchain() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document

    from ilpsum.integrations.langchain import PassageCompressor

    documents = [
        Document(page_content=text, id=f"d{i}", metadata={"page": i, "start": "kept"}) for i, text in enumerate(TEXTS)
    ]
    compressor = PassageCompressor(budget=BUDGET, count=tokens)
    found = compressor.compress_documents(documents, QUESTION)
    places = [(d.metadata["page"], d.metadata["passage_start"], d.metadata["passage_end"]) for d in found]
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
    return len(await PassageCompressor(budget=BUDGET, per_source=1).acompress_documents(documents, QUESTION))


def test_langchain_asynchronously() -> None:
    pytest.importorskip("langchain_core")
    assert 1 <= asyncio.run(_compressed()) <= len(TEXTS)


def test_llama_index() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import Document, MetadataMode, NodeRelationship, NodeWithScore, TextNode

    from ilpsum.integrations.llama_index import PassagePostprocessor

    whole = Document(text="Front matter. " + TEXTS[0], id_="whole")
    nodes = [TextNode(text=text, id_=f"n{i}", metadata={"page": i}) for i, text in enumerate(TEXTS)]
    nodes[0].relationships[NodeRelationship.SOURCE] = whole.as_related_node_info()
    nodes[0].start_char_idx = len("Front matter. ")
    given = [NodeWithScore(node=node, score=0.5 - node.metadata["page"] / 10) for node in nodes]
    # Room for a passage of each of the first two texts.
    found = PassagePostprocessor(budget=80, count=tokens).postprocess_nodes(given, query_str=QUESTION)
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


def test_llama_index_takes_documents_and_no_query() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import Document, NodeWithScore

    from ilpsum.integrations.llama_index import PassagePostprocessor

    given = [NodeWithScore(node=Document(text=text)) for text in TEXTS]
    found = PassagePostprocessor(budget=BUDGET, count=tokens, per_source=1).postprocess_nodes(given)
    assert 1 <= len(found) <= len(TEXTS)
    assert all(item.node.get_content() in TEXTS[i] for i, item in enumerate(found))


def _near(sentence: str) -> float:
    return float("frost" in sentence.lower())


def _has_velins(passage: Passage) -> bool:
    return "velins" in passage.text


def settings(adapter: object) -> dict[str, object]:
    return {name: getattr(adapter, name) for name in OPTIONS}


ADAPTERS = {"langchain_core": "langchain.PassageCompressor", "llama_index.core": "llama_index.PassagePostprocessor"}


@pytest.mark.parametrize("library", ADAPTERS)
def test_what_is_saved_and_loaded_chooses_the_same(library: str) -> None:
    pytest.importorskip(library)
    module, name = ADAPTERS[library].split(".")
    adapter = getattr(importlib.import_module(f"ilpsum.integrations.{module}"), name)
    plain = adapter(budget=30, count="words", per_source=1, lambda_=0.7)
    assert settings(adapter.from_json(plain.to_json())) == settings(plain)
    mixed = adapter(budget=30, relevance=_near, mix=0.5, bar=_has_velins)
    saved = mixed.to_json()
    with pytest.raises(ValueError, match=r"relevance cannot be saved; pass it again: from_json\(text, relevance=...,"):
        adapter.from_json(saved)
    again = adapter.from_json(saved, relevance=_near, bar=_has_velins)
    assert settings(again) == settings(mixed)
    assert passages_of(again, QUESTION, TEXTS) == passages_of(mixed, QUESTION, TEXTS)
    assert not any(_has_velins(p) for p in passages_of(again, QUESTION, TEXTS))
    for damaged in ("{", "[]", '{"adapter": "X", "options": {}, "needs": []}', saved.replace("budget", "bugdet")):
        with pytest.raises(ValueError, match=r".") as error:
            adapter.from_json(damaged, relevance=_near, bar=_has_velins)
        assert type(error.value).__name__ in ("ArgumentError", "ValidationError")


def test_llama_index_asynchronously() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.schema import NodeWithScore, TextNode

    from ilpsum.integrations.llama_index import PassagePostprocessor

    nodes = [NodeWithScore(node=TextNode(text=text, id_=str(i))) for i, text in enumerate(TEXTS)]
    adapter = PassagePostprocessor(budget=BUDGET, count=tokens)
    found = asyncio.run(adapter.apostprocess_nodes(nodes, query_str=QUESTION))
    assert [n.node.node_id for n in found] == [
        n.node.node_id for n in adapter.postprocess_nodes(nodes, query_str=QUESTION)
    ]


def test_haystack_names_a_tokenizer_and_runs_asynchronously() -> None:
    pytest.importorskip("haystack")
    from haystack import Document, Pipeline

    from ilpsum.integrations.haystack import PassageSelector

    pipeline = Pipeline()
    pipeline.add_component("select", PassageSelector(budget=30, count="words", mix=0.5, relevance=_near))
    # What the guide says is enough: the adapter's module, and those of functions.
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["ilpsum.integrations.haystack", __name__])
    selector = again.get_component("select")
    assert (selector.count, selector.mix, selector.relevance) == ("words", 0.5, _near)
    documents = [Document(content=text) for text in TEXTS]
    inputs = {"select": {"query": QUESTION, "documents": documents}}
    found = asyncio.run(again.run_async(inputs))["select"]["documents"]
    assert [d.content for d in found] == [d.content for d in selector.run(QUESTION, documents)["documents"]]
    assert len({d.id for d in found}) == len(found)


def test_haystack() -> None:
    pytest.importorskip("haystack")
    from haystack import Document, Pipeline

    from ilpsum.integrations.haystack import PassageSelector

    documents = [
        Document(content=text, meta={"page": i}, score=1 - i / 10) for i, text in enumerate(TEXTS)
    ] + [Document(content=None, meta={"page": 3})]  # fmt: skip
    pipeline = Pipeline()
    pipeline.add_component("select", PassageSelector(budget=200, count=len))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["ilpsum.integrations.haystack", "builtins"])
    for runs in (pipeline, again):
        found = runs.run({"select": {"query": QUESTION, "documents": documents}})["select"]["documents"]
        places = [(d.meta["page"], d.meta["passage_start"], d.meta["passage_end"]) for d in found]
        check([d.content for d in found], places, 200, len)
        assert [d.score for d in found] == [1 - d.meta["page"] / 10 for d in found]


STEPS = [("texts scored by the model", 1), ("sentences scored", 3), ("passages counted", 3), ("selection solved", 1)]
BEGUN_AND_DONE = [(step, total, done) for step, total in STEPS for done in (False, True)]
EASY = [f"Velin {n} binds the scales of the tarn moth to its wing." for n in range(3)]


class Shown:
    """A `progress` that notes what it is given."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int]] = []

    def __call__(self, items: Iterable[object], what: str, total: int) -> Iterable[object]:
        self.steps.append((what, total))
        return items


def test_langchain_streams_its_steps() -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda

    from ilpsum.integrations.langchain import PassageCompressor

    told: list[tuple[str, int, bool]] = []

    class Handler(BaseCallbackHandler):
        def on_custom_event(self, name: str, data: dict[str, Any], **_: object) -> None:
            told.append((data["step"], data["total"], data["done"]))
            assert name == "ilpsum"

    shown = Shown()
    compressor = PassageCompressor(budget=BUDGET, relevance=_near, mix=0.5, progress=shown)
    documents = [Document(text) for text in EASY]
    compressor.compress_documents(documents, QUESTION, callbacks=[Handler()])
    assert told == BEGUN_AND_DONE
    assert shown.steps == STEPS

    async def streamed() -> list[tuple[str, int, bool]]:
        chain = RunnableLambda(lambda _: None, afunc=lambda q: compressor.acompress_documents(documents, q))
        events = chain.astream_events(QUESTION, version="v2")
        data = [event["data"] async for event in events if event["name"] == "ilpsum"]
        return [(each["step"], each["total"], each["done"]) for each in data]

    assert asyncio.run(streamed()) == BEGUN_AND_DONE


def test_llama_index_tells_its_steps() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.instrumentation import get_dispatcher
    from llama_index.core.instrumentation.event_handlers import BaseEventHandler
    from llama_index.core.instrumentation.events import BaseEvent
    from llama_index.core.schema import NodeWithScore, TextNode

    from ilpsum.integrations.llama_index import PassagePostprocessor, PassageProgress

    told: list[tuple[str, int | None, bool]] = []

    class Handler(BaseEventHandler):
        def handle(self, event: BaseEvent, **_: object) -> None:
            if isinstance(event, PassageProgress):
                told.append((event.step, event.total, event.done))

    root, shown = get_dispatcher(), Shown()
    root.add_event_handler(Handler())
    nodes = [NodeWithScore(node=TextNode(text=text)) for text in EASY]
    adapter = PassagePostprocessor(budget=BUDGET, relevance=_near, mix=0.5, progress=shown)
    try:
        adapter.postprocess_nodes(nodes, query_str=QUESTION)
        asyncio.run(adapter.apostprocess_nodes(nodes, query_str=QUESTION))
    finally:
        root.event_handlers.pop()
    assert told == 2 * BEGUN_AND_DONE
    assert shown.steps == 2 * STEPS


SHOWN = Shown()


def shown_here(items: Iterable[object], what: str, total: int) -> Iterable[object]:
    return SHOWN(items, what, total)


def test_haystack_shows_its_steps_after_it_was_saved() -> None:
    pytest.importorskip("haystack")
    from haystack import Document, Pipeline

    from ilpsum.integrations.haystack import PassageSelector

    pipeline = Pipeline()
    pipeline.add_component("select", PassageSelector(budget=30, mix=0.5, relevance=_near, progress=shown_here))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["ilpsum.integrations.haystack", __name__])
    inputs = {"select": {"query": QUESTION, "documents": [Document(content=text) for text in EASY]}}
    for runs in (pipeline, again):
        SHOWN.steps.clear()
        runs.run(inputs)
        assert SHOWN.steps == STEPS
