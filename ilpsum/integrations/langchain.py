"""A LangChain document compressor; needs `langchain-core`."""

from collections.abc import Callable, Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict

from ilpsum.integrations import SEPARATOR, metadata, passages_of
from ilpsum.pipeline.summarizer import Summarizer


class PassageCompressor(BaseDocumentCompressor):
    """Reduces documents to their best passages under a budget.

    Each passage becomes a document with the id and metadata of its source, `passage_start`, `passage_end`,
    `passage_relevance` and `passage_why`.

    Attributes:
        budget, count, separator, relevance, per_source, system: see `ilpsum.passages.select`. The budget holds for the
            contents joined by `separator`; metadata that a prompt adds is not counted.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    budget: float = 300
    count: Callable[[str], float] | None = None
    separator: str = SEPARATOR
    relevance: Callable[[str], float] | None = None
    per_source: int | None = None
    system: str | Summarizer = "concepts"

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> Sequence[Document]:
        """Return the best passages of documents for a query, in the order of the documents.

        Raises:
            ArgumentError: see `ilpsum.passages.select`.
        """
        passages = passages_of(self, query, [document.page_content for document in documents])
        return [
            Document(page_content=p.text, id=source.id, metadata={**source.metadata, **metadata(p)})
            for p in passages
            for source in [documents[int(p.source)]]
        ]
