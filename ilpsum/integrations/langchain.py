"""A LangChain document compressor; needs `langchain-core`."""

from collections.abc import Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document

from ilpsum.integrations import metadata, passages_of
from ilpsum.integrations.fields import PassageFields


class PassageCompressor(PassageFields, BaseDocumentCompressor):
    """Reduces documents to their best passages under a budget; the fields are arguments of
    `ilpsum.passages.select`.

    Each passage becomes a document with the id `SOURCE:START-END` and the metadata of its source,
    plus `passage_source` (the source's id, or its index), `passage_start`, `passage_end`,
    `passage_relevance` and `passage_why`. The budget does not count metadata added by a prompt.
    """

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> Sequence[Document]:
        """Return the best passages of documents for a query, in document order.

        Raises:
            ArgumentError: see `ilpsum.passages.select`.
        """
        selected = []
        for p in passages_of(self, query, [document.page_content for document in documents]):
            source = documents[int(p.source)]
            source_id = source.id or str(p.source)
            meta = {**source.metadata, "passage_source": source_id, **metadata(p)}
            name = f"{source_id}:{p.start}-{p.end}"
            selected.append(Document(page_content=p.text, id=name, metadata=meta))
        return selected
