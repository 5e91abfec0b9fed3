"""The text of a summary: the order of its sentences, and the PMIDs that support each sentence of an
answer.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from features.sentences import is_whole
from ilpsum.papers.printed import MOST_PMIDS, clean
from ilpsum.pipeline.coherence.anaphora import connective, without_connective
from ilpsum.pipeline.coherence.redundancy import same_finding, similarity
from ilpsum.pipeline.coherence.statements import is_statement, stands_alone
from ilpsum.records import (
    FACETS,
    CitedAbstract,
    Document,
    Publication,
    Response,
    Rules,
    Sentence,
    Summary,
    Support,
    Topic,
)

LABELS = tuple(f"{facet.capitalize()}: " for facet in FACETS)
"""The labels of a structured summary, of one word each."""

# Factor on the score of a sentence that cannot stand alone when choosing the opening of an answer.
_HANGS = 0.5

# Minimum similarity at which another document is cited too.
SUPPORT = 0.7


def arrange(
    sentences: Sequence[Sentence],
    by: str,
    chosen: Sequence[int] = (),
    rules: Rules | None = None,
) -> tuple[Sentence, ...]:
    """Return the chosen sentences, given in document order, in the order of the text.

    A sentence follows its antecedent if that is chosen, and otherwise loses its opening connective.

    Args:
        sentences: the chosen candidates.
        by: `document`, `score`, `facet` or `answer` (see `OrderTable`).
        chosen: their ascending indices among the candidates, to which the rules refer.
        rules: the rules with the antecedents; None if no sentence has one.
    """
    antecedents = rules.antecedents if rules else {}
    blocks, cut = list[list[Sentence]](), set[tuple[str, int, int]]()
    for i, sentence in zip(chosen or range(len(sentences)), sentences, strict=True):
        if blocks and antecedents.get(i) in chosen:
            blocks[-1].append(sentence)
        elif i in antecedents and connective(sentence.text):
            cut.add(sentence.place)
            blocks.append([_without_connective(sentence)])
        else:
            blocks.append([sentence])
    if by == "answer":
        blocks = _answer(blocks, cut)
    elif by == "score":
        blocks.sort(key=lambda block: -block[0].relevance)
    elif by == "facet":
        # A sentence that follows its antecedent goes under the antecedent's facet.
        blocks = [[replace(s, facet=block[0].facet) for s in block] for block in blocks]
        rank: dict[str, int] = {facet: i for i, facet in enumerate(FACETS)}
        blocks.sort(key=lambda block: rank.get(block[0].facet, len(FACETS)))
    return tuple(sentence for block in blocks for sentence in block)


def printed(sentences: Sequence[Sentence], *, labels: bool = False) -> str:
    """Return the text of a summary, one sentence per line; with labels, each facet begins with its
    name.
    """
    lines, facet = list[str](), ""
    for sentence in sentences:
        label = f"{sentence.facet.capitalize()}: " if sentence.facet != facet else ""
        facet = sentence.facet
        lines.append(label + sentence.text if labels else sentence.text)
    return "\n".join(lines)


def _without_connective(sentence: Sentence) -> Sentence:
    """Return a chosen sentence as it reads without its antecedent."""
    text = without_connective(sentence.text)
    opening = connective(sentence.text).strip(", ")
    printed = f"printed without its {opening!r}, which needs the sentence before it"
    why = f"{sentence.why}; {printed}" if sentence.why else printed
    return replace(sentence, text=text, words=len(text.split()), why=why)


def _answer(
    blocks: Sequence[list[Sentence]],
    cut: Collection[tuple[str, int, int]],
) -> list[list[Sentence]]:
    """Order blocks: the sentence that answers first, then document by document, by decreasing
    relevance.

    The first is the most relevant sentence that can open a text, or of all sentences if none can; a
    sentence that lost its connective (`cut`) is the last choice. If a model predicts which
    sentences contain the answer (`ilpsum.answers.steps`), the first has the largest product of
    probability and relevance, halved if it cannot stand alone. Other sentences keep their order
    within a document, which introduces abbreviations and referents.
    """
    if not blocks:
        return []

    def opens(block: list[Sentence]) -> tuple[bool, bool, float]:
        """Return how well a block opens the text: the greatest opens it."""
        s = block[0]
        is_uncut, alone = s.place not in cut, stands_alone(s)
        if s.holds_answer is None:
            return is_uncut, alone, s.relevance
        return is_uncut, True, s.relevance * s.holds_answer * (1.0 if alone else _HANGS)

    first = max(blocks, key=opens)
    rest = [block for block in blocks if block is not first]
    best: dict[str, float] = {}
    for sentence in (s for block in rest for s in block):
        best[sentence.document] = max(sentence.relevance, best.get(sentence.document, 0.0))

    rest.sort(key=lambda block: -max(best[s.document] for s in block))
    return [first, *rest]


def with_citations(summary: Summary, topic: Topic, least: float = SUPPORT) -> Summary:
    """Return a summary with citations added: the responses, their text, and the cited abstracts.

    A sentence cites its own document first, then others that contain a sentence with the same
    finding and a similarity of at least `least` (`ilpsum.pipeline.coherence.redundancy`), most
    similar first. `topic` must have the documents of the summary's candidates.
    """
    documents = {document.id: document for document in topic.documents}
    sentences, responses = list[Sentence](), list[Response]()
    for s, others in zip(
        summary.sentences,
        _support(summary, topic.query, documents, least),
        strict=True,
    ):
        pmids = pmid_of(documents[s.document]), *(other.pmid for other in others)
        responses.append(Response(clean(s.text), pmids, others))
        if others:
            supported = _supported(others)
            s = replace(s, why=f"{s.why}; {supported}" if s.why else supported)
        sentences.append(s)
    texts = {pmid_of(d): d for d in reversed(topic.documents)}
    cited = dict.fromkeys(pmid for response in responses for pmid in response.pmids)
    return replace(
        summary,
        text=" ".join(response.text for response in responses),
        sentences=tuple(sentences),
        responses=tuple(responses),
        abstracts=tuple(CitedAbstract(pmid, texts[pmid].title, texts[pmid].text) for pmid in cited),
    )


def pmid_of(document: Document) -> str:
    """Return the PMID by which a document is cited."""
    return document.source or document.id


def publications_of(topic: Topic) -> dict[str, Publication]:
    """Return the publications of a topic's documents by document id, omitting those without
    metadata beyond a PMID.
    """
    return {
        d.id: d.publication
        for d in topic.documents
        if d.publication not in (Publication(), Publication(pmid=d.id))
    }


def _support(
    summary: Summary,
    question: str,
    documents: Mapping[str, Document],
    least: float,
) -> list[tuple[Support, ...]]:
    """Return for each sentence its most similar candidates, one per other document, by decreasing
    similarity.
    """
    others = [
        s
        for s in summary.candidates
        if s.section != "title" and is_statement(s) and is_whole(s.text)
    ]
    values = similarity([s.text for s in summary.sentences], [s.text for s in others], least)
    support = []
    for sentence, row in zip(summary.sentences, values.tolist(), strict=True):
        cited = pmid_of(documents[sentence.document])
        best: dict[str, Support] = {}
        for value, other in sorted(zip(row, others, strict=True), key=lambda pair: -pair[0]):
            pmid = pmid_of(documents[other.document])
            if value <= 0.0 or len(best) == MOST_PMIDS - 1:
                break
            if (
                pmid != cited
                and pmid not in best
                and same_finding(sentence.text, other.text, question)
            ):
                best[pmid] = Support(
                    pmid,
                    round(value, 4),
                    other.text,
                    other.document,
                    other.start,
                    other.end,
                )
        support.append(tuple(best.values()))
    return support


def _supported(others: Sequence[Support]) -> str:
    named = ", ".join(f"{other.pmid} (similarity {other.similarity:.2f})" for other in others)
    return f"{named} {'says' if len(others) == 1 else 'say'} the same"
