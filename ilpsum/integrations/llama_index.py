"""A LlamaIndex node postprocessor; needs `llama-index-core`."""

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    TextNode,
)

from ilpsum.integrations import metadata, passages_of
from ilpsum.integrations.fields import PassageFields
from ilpsum.passages import Passage


class PassagePostprocessor(PassageFields, BaseNodePostprocessor):
    """Reduces nodes to their best passages under a budget; the fields are arguments of
    `ilpsum.passages.select`.

    Each passage becomes a node with the metadata, relationships and score of its source, plus the
    metadata `passage_start`, `passage_end`, `passage_relevance` and `passage_why`, hidden from
    prompts and embeddings. If the source node has an offset into its document, so has the passage
    (`start_char_idx`). The budget does not count metadata added by a prompt.
    """

    @classmethod
    def class_name(cls) -> str:
        """Return the class name that LlamaIndex stores."""
        return "PassagePostprocessor"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,
    ) -> list[NodeWithScore]:
        query = query_bundle.query_str if query_bundle else ""
        texts = [item.node.get_content(metadata_mode=MetadataMode.NONE) for item in nodes]
        selected = []
        for passage in passages_of(self, query, texts):
            source = nodes[int(passage.source)]
            selected.append(NodeWithScore(node=_node(source.node, passage), score=source.score))
        return selected


def _node(source: BaseNode, passage: Passage) -> TextNode:
    """Return a passage of a node as a node with the same source document."""
    added = metadata(passage)
    itself = {NodeRelationship.SOURCE: source.as_related_node_info()}
    node = TextNode(
        id_=f"{source.node_id}:{passage.start}-{passage.end}",
        text=passage.text,
        metadata=source.metadata | added,
        metadata_template=source.metadata_template,
        metadata_separator=source.metadata_separator,
        relationships=itself | source.relationships,
    )
    node.excluded_embed_metadata_keys = [*source.excluded_embed_metadata_keys, *added]
    node.excluded_llm_metadata_keys = [*source.excluded_llm_metadata_keys, *added]
    start = getattr(source, "start_char_idx", None)
    if start is not None:
        node.start_char_idx = start + passage.start
        node.end_char_idx = start + passage.end
    return node
