"""Citations: the PMIDs behind each sentence of an answer, and the text that a reader sees.

A sentence cites its own document first, then others that contain a similar sentence
(`ilpsum.pipeline.coherence.redundancy.similarity`), most similar first.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from features.sentences import is_whole
from ilpsum.papers.labels import part_of, without_additions
from ilpsum.pipeline.coherence.redundancy import similarity
from ilpsum.pipeline.coherence.statements import is_statement
from ilpsum.records import CitedAbstract, Document, Publication, Response, Sentence, Summary, Support, Topic

MOST_PMIDS = 3
"""Most PMIDs that one sentence cites."""

SUPPORT = 0.7
"""Similarity above which another document is cited too."""

_NO_LETTER = re.compile(r"[\W_]+")
# PubMed prints a translated title in brackets; one that is several sentences has a bracket on the first and the last.
_TRANSLATED = re.compile(r"^\[?([^\[\]]+)\]?([.?!]?)$")
# Numbers before a sentence (`2)`, `IV.`) and what is left of a word or label (`Th. We`); not `S. aureus` or `St. John`.
_NUMBERED = re.compile(r"(?!St\.)(?:\d{1,2}|\w{1,3})(?:\)|\.(?=\s+[A-Z(]))\s")
# A label in capitals of no known words, at the beginning or after a stop; one of journals.
_OTHER_LABEL = re.compile(r"(?:^|[.!?]\s+)[A-Z][A-Z &/,()-]{0,60}:\s|^Implications\sfor\s\w+\s(?=[A-Z])")
# Words before a capital: a label if they name a part of an abstract (`Conclusion Our data`, `ResultsPatients were`).
_WORDS_LABEL = re.compile(
    r"([A-Z][a-z]+(?:(?:\s(?!of\b|the\b)|,\s|/|\s(?:and|&)\s)[A-Za-z]+)?)\s(?=[A-Z])|([A-Z]{4,}|[A-Z][a-z]+)(?=[A-Z][a-z])"
)


def with_citations(summary: Summary, topic: Topic, least: float = SUPPORT) -> Summary:
    """Return a summary as an answer with citations: its responses, their text, and the abstracts cited.

    The topic has the documents of the summary's candidates. `least` is the similarity above which another document is
    cited too; 0 for any similarity.
    """
    documents = {document.id: document for document in topic.documents}
    support = _support(summary.sentences, summary.candidates, documents, least)
    responses = tuple(
        Response(clean(s.text), (pmid_of(documents[s.document]), *(other.pmid for other in others)), others)
        for s, others in zip(summary.sentences, support, strict=True)
    )
    sentences = tuple(
        replace(s, why=f"{s.why}; {_supported(others)} the same") if others else s
        for s, others in zip(summary.sentences, support, strict=True)
    )
    texts = {pmid_of(d): d for d in reversed(topic.documents)}
    cited = dict.fromkeys(pmid for response in responses for pmid in response.pmids)
    return replace(
        summary,
        text=" ".join(response.text for response in responses),
        sentences=sentences,
        responses=responses,
        abstracts=tuple(CitedAbstract(pmid, texts[pmid].title, texts[pmid].text) for pmid in cited),
    )


def pmid_of(document: Document) -> str:
    """Return the PMID that a citation of a document names."""
    return document.source or document.id


def publications_of(topic: Topic) -> dict[str, Publication]:
    """Return the publications of a topic's documents, by id, of which more is known than that the id is a PMID."""
    known = (d for d in topic.documents if d.publication not in (Publication(), Publication(pmid=d.id)))
    return {document.id: document.publication for document in known}


def clean(text: str) -> str:
    """Return a sentence as printed in an answer: one line, no label, no square brackets, a final stop.

    Labels (`CONCLUSIONS:`), citation lists, editors' insertions (`[corrected]`) and the brackets of a translated title
    are removed; other square brackets become round. A sentence without a letter or digit becomes empty.

    >>> clean("CONCLUSIONS: Newts [or  efts] sing [3, 4]"), clean("[Song of the newts].")
    ('Newts (or efts) sing.', 'Song of the newts.')
    """
    text = _rounded(_TRANSLATED.sub(r"\1\2", _stripped(text)))
    if _NO_LETTER.fullmatch(text) or not text:
        return ""
    ends = text.rstrip("\"'”’)»›″").endswith((".", "!", "?"))
    return text if ends else text.rstrip(" ,;:") + "."


def is_sentence(text: str) -> bool:
    """Whether a sentence as printed in an answer is one: it begins and ends as a sentence and has no label left.

    >>> [is_sentence(text) for text in ("RESULTS: Newts sing.", "POND: Newts sing.", "Newts sing", "of newts sing.")]
    [True, False, False, False]
    """
    text = _rounded(_stripped(text))
    return is_whole(text) and not (_NUMBERED.match(text) or _OTHER_LABEL.search(text) or _begins_with_label(text))


def _stripped(text: str) -> str:
    """Return a sentence on one line, without labels, citation lists and editors' insertions."""
    return without_additions(" ".join(text.split())).strip()


def _rounded(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _begins_with_label(text: str) -> bool:
    match = _WORDS_LABEL.match(text)
    return match is not None and bool(part_of(match[1] or match[2]))


def _support(
    sentences: Sequence[Sentence], candidates: Sequence[Sentence], documents: dict[str, Document], least: float
) -> list[tuple[Support, ...]]:
    """Return, for each sentence, the most similar sentence of each other document, most similar first."""
    others = [s for s in candidates if s.section != "title" and is_statement(s) and is_whole(s.text)]
    values = similarity([s.text for s in sentences], [s.text for s in others], least)
    support = []
    for sentence, row in zip(sentences, values.tolist(), strict=True):
        own = pmid_of(documents[sentence.document])
        best: dict[str, Support] = {}
        for value, other in sorted(zip(row, others, strict=True), key=lambda pair: -pair[0]):
            pmid = pmid_of(documents[other.document])
            if value > 0.0 and pmid != own and pmid not in best:
                best[pmid] = Support(pmid, round(value, 4), other.text, other.document, other.start, other.end)
        support.append(tuple(best.values())[: MOST_PMIDS - 1])
    return support


def _supported(others: Sequence[Support]) -> str:
    named = ", ".join(f"{other.pmid} (similarity {other.similarity:.2f})" for other in others)
    return f"{named} {'says' if len(others) == 1 else 'say'}"
