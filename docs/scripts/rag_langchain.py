"""A LangChain retrieval chain whose prompt fits a token budget, with your own reranker.

Install the extra first: `pip install "ilpsum[langchain]"`.

    python rag_langchain.py
"""

import math
from collections import Counter
from collections.abc import Sequence

from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda

from ilpsum.integrations.langchain import PassageCompressor

QUESTION = "What does velin 2 do in the tarn moth?"
TEXTS = [
    "Velin 2 binds the scales of the tarn moth to its wing. Tarn moths live beside mountain lakes.",
    "Frost switches velin 2 off, and the moths lose their scales. The museum is open on Sundays.",
    "Beetles have no velins at all. Their wings are covered.",
]


def rerank(question: str, sentences: Sequence[str]) -> list[float]:
    """The cosine of each sentence with the question; replace by your cross-encoder."""
    asked, *others = (Counter(text.lower().rstrip(".?").split()) for text in (question, *sentences))
    return [
        sum(own[word] * asked[word] for word in own) / (math.hypot(*own.values()) or 1.0)
        for own in others
    ]


def retrieve(_question: str) -> list[Document]:
    """Replace by your retriever."""
    return [Document(text, id=f"paper-{i}") for i, text in enumerate(TEXTS)]


# `count` may be any function of a text, such as the number of tokens of your model.
compressor = PassageCompressor(budget=25, relevance=rerank)


def context(question: str) -> dict[str, str]:
    """The passages, each with its source, and the question."""
    passages = compressor.compress_documents(retrieve(question), question)
    for passage in passages:
        print(passage.id, passage.page_content)
    return {
        "question": question,
        "passages": compressor.separator.join(p.page_content for p in passages),
    }


prompt = ChatPromptTemplate.from_template(
    "Answer from these passages only:\n\n{passages}\n\nQuestion: {question}"
)
chain = RunnableLambda(context) | prompt  # | your model
text = chain.invoke(QUESTION).to_string()
print(text)
assert len(text.split("\n\n", 1)[1].rsplit("\n\n", 1)[0].split()) <= 25
