"""Candidate sentences of a topic, the context of their features, and a substitute query if there is
no question.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from features.arrays import Floats
from features.context import Context, Evidence
from features.embeddings import Embeddings
from features.matching import ROLES
from features.sentences import is_whole, joined, split_sentences
from features.text import Passage, remembered
from ilpsum.papers import layout, prose
from ilpsum.papers.plain import without_dateline
from ilpsum.papers.prose import changed, without_pointers
from ilpsum.pipeline.reading import Row, is_notice, reading_of, rows_of, terms_of
from ilpsum.pipeline.senses import other_senses
from ilpsum.pipeline.terms import QueryWords
from ilpsum.records import GENERAL, Citance, Document, SearchResult, Sentence, Topic
from ilpsum.records.tables import CandidateTable

# Roles of documents that experts excerpted from others, often without the final full stop.
_QUOTED = ("snippet", "merged")

# Section name of candidates from papers that cite the reference paper.
CITANCE = "citance"

# Longer "sentences" are unmarked tables, formulas or lists from scraped pages; one "word" may be a
# whole list.
MOST_WORDS, MOST_CHARACTERS = 100, 2_000

# Memory and time of some features and rules are quadratic in the number of candidates.
MOST_CANDIDATES = 4_000

_NOT_IN_WORDS = re.compile(r"[\W_]+")
# The length of a long title.
_SUBJECT_WORDS = 12


def candidates(topic: Topic, options: CandidateTable) -> tuple[Sentence, ...]:
    """Return the candidate sentences of a topic: those of the reference paper, if there is one, or
    else of all documents; then those of citances.

    Excluded are headings, captions, tables, reference lists, and sentences of more than
    `MOST_WORDS` words or `MOST_CHARACTERS`; in papers also non-prose
    (`ilpsum.papers.prose`) and citances about the citing paper (`We found ...`); in
    searched abstracts addresses and copyright lines. Broken characters are repaired; bullets and
    datelines are removed from general texts. Candidates are distinct and in document order. Of
    sentences with the same letters and digits, the first complete one is kept; if several documents
    quote one source (overlapping snippets), fragments of longer candidates are dropped.
    """
    papers = [d for d in topic.documents if d.role != "citing"]
    if topic.reference:
        papers = [topic.reference]
    searched = topic.search and topic.kind not in GENERAL
    if searched and options.clean and all(d.role == "source" for d in papers):
        # Readings, which an index may hold, are already repaired, cleaned and without notices.
        read = [s for paper in papers for s in reading_of(paper).sentences]
        return _distinct(list(filter(_fits, read)), topic)
    sentences = [s for paper in papers for s in _readable(paper)]
    if topic.kind in GENERAL:
        first = {s.document: s for s in reversed(sentences)}
        sentences = [
            changed(s, without_dateline(s.text, first=s is first[s.document])) for s in sentences
        ]
    if options.citances:
        sentences += _citing_sentences(topic)
    if topic.search:
        sentences = [s for s in sentences if not is_notice(s.text)]
    if options.clean:
        quoted = {d.id for d in topic.documents if d.role in _QUOTED}
        for i, s in enumerate(sentences):
            text = without_pointers(s.text, paper=topic.reference is not None)
            if s.document in quoted:
                text = prose.closed(text)
            sentences[i] = changed(s, text)
    return _distinct(list(filter(_fits, sentences)), topic)


def as_read(topic: Topic, options: CandidateTable) -> Topic:
    """Return a topic as a system reads it: if it reads no titles, those of abstracts are replaced
    by spaces, so that offsets do not change.
    """
    if options.titles:
        return topic
    return replace(topic, documents=tuple(map(_without_title, topic.documents)))


def _without_title(document: Document) -> Document:
    titles = [section for section in document.sections if section.kind == "title"]
    if document.role != "source" or not titles:
        return document
    text = document.text
    for title in titles:
        blank = " " * (title.end - title.start)
        text = text[: title.start] + blank + text[title.end :]
    sections = tuple(section for section in document.sections if section.kind != "title")
    return replace(document, text=text, sections=sections)


def _fits(sentence: Sentence) -> bool:
    return sentence.words <= MOST_WORDS and len(sentence.text) <= MOST_CHARACTERS


def bounded(sentences: tuple[Sentence, ...], most: int = MOST_CANDIDATES) -> tuple[Sentence, ...]:
    """Return about `most` candidates: the first ones of each document, at least one, in proportion
    to their number.
    """
    if len(sentences) <= most:
        return sentences
    of_document = Counter(s.document for s in sentences)
    read = Counter[str]()
    kept = []
    for sentence in sentences:
        share = of_document[sentence.document] * most // len(sentences)
        if read[sentence.document] < max(1, share):
            kept.append(sentence)
            read[sentence.document] += 1
    return tuple(kept)


def context(
    topic: Topic,
    sentences: tuple[Sentence, ...],
    embeddings: Embeddings | None = None,
) -> Context:
    """Return the context from which the features of a topic's candidates are computed."""
    numbers = {document.id: i for i, document in enumerate(topic.documents)}
    document = [numbers.get(s.document, -1) for s in sentences]
    is_citance = [s.section == CITANCE for s in sentences]
    passages = tuple(remembered(s.text) for s in sentences)
    documents = tuple(Passage(d.text) for d in topic.documents)
    query = Passage(query_of(topic))
    around = Context(
        query=query,
        sentences=passages,
        documents=documents,
        document=np.array(document, dtype=np.int64),
        position=_positions(topic, sentences),
        section=tuple(s.section for s in sentences),
        is_citance=np.array(is_citance, dtype=np.float64),
        citances=tuple(Passage(c.text) for c in topic.citances),
        embeddings=embeddings,
    )
    if topic.search is None:
        return around
    rows = rows_of(topic.documents, sentences)
    roles = np.array([row.roles for row in rows]).reshape(len(rows), len(ROLES))
    cues = tuple(row.cues for row in rows)
    evidence = _evidence(topic, topic.search, rows, document)
    return replace(around, evidence=evidence, roles=roles, stored_cues=cues)


def _evidence(
    topic: Topic,
    search: SearchResult,
    rows: Sequence[Row],
    owners: Sequence[int],
) -> Evidence:
    """Return the matches of the query in candidates, whose documents are `owners`, and in
    documents.
    """
    query = QueryWords(search)
    weights = list(query.weights.values())
    texts = [document.text for document in topic.documents]
    other = other_senses(list(query.weights), search.query, texts)
    in_sentences = query.matches(row.terms.split() for row in rows) * ~other[owners]
    in_documents = query.matches(map(terms_of, topic.documents)) * ~other
    bm25_of = {hit.document: hit.bm25 for hit in search.found}
    bm25 = [bm25_of.get(d.id, 0.0) for d in topic.documents]
    return Evidence(
        weights=np.array(weights, dtype=np.float64),
        sentences=in_sentences,
        documents=in_documents,
        bm25=np.array(bm25, dtype=np.float64),
    )


def _distinct(sentences: Sequence[Sentence], topic: Topic) -> tuple[Sentence, ...]:
    """Drop duplicate sentences and, among documents that quote one source, fragments of other
    sentences.
    """
    by_letters = _by_letters(sentences)
    quotations = Counter(d.source for d in topic.documents if d.source)
    source_of = {d.id: d.source for d in topic.documents if quotations[d.source] > 1}
    of_source = defaultdict[str, list[str]](list)
    for letters, sentence in by_letters.items():
        if sentence.document in source_of:
            of_source[source_of[sentence.document]].append(letters)
    for letters_of_source in of_source.values():
        for letters in letters_of_source:
            if any(letters in other for other in letters_of_source if other != letters):
                del by_letters[letters]
    return tuple(by_letters.values())


def _by_letters(sentences: Sequence[Sentence]) -> dict[str, Sentence]:
    """Return the first of the sentences with the same letters and digits, or the first complete
    one, by these letters, in the order of the sentences.
    """
    by_letters: dict[str, Sentence] = {}
    for sentence in sentences:
        letters = _NOT_IN_WORDS.sub("", sentence.text.casefold())
        earlier = by_letters.get(letters)
        if earlier is not None and is_whole(sentence.text) and not is_whole(earlier.text):
            # The later one keeps its own place.
            del by_letters[letters]
            earlier = None
        if earlier is None:
            by_letters[letters] = sentence
    return by_letters


def _readable(paper: Document) -> list[Sentence]:
    """Return a document's sentences with broken characters repaired; for papers only prose, with
    split ones joined.
    """
    sentences = layout.sentences(paper)
    if paper.role != "reference":
        return [prose.mended(s) for s in sentences]
    if paper.sentences:
        first = {s.start: s for s in sentences}
        spans = joined([(s.start, s.end) for s in sentences], paper.text)
        sentences = tuple(
            _sentence(first[start].section, paper.id, start, paper.text[start:end])
            for start, end in spans
        )
    mended = (prose.mended(s, paper=True) for s in sentences)
    return [s for s in mended if prose.is_prose(s.text, listed=s.section == "highlights")]


def _sentence(section: str, document: str, start: int, text: str) -> Sentence:
    words = text.split()
    return Sentence(" ".join(words), document, start, start + len(text), len(words), section)


def _citing_sentences(topic: Topic) -> tuple[Sentence, ...]:
    """Return distinct sentences at least half inside a citance, from the citing paper or else the
    citance's own text.

    Sentences about the citing paper are left out, as they would read as statements about the cited
    paper.
    """
    documents = {document.id: document for document in topic.documents}
    sentences: dict[tuple[str, int], Sentence] = {}
    for citance in topic.citances:
        paper = documents.get(citance.document)
        for start, end, text in _sentences_around(citance, paper):
            # Without the citing paper, offsets are relative to the citance itself.
            source, inside = f"citance {citance.number}", end - start
            if paper is not None:
                source = citance.document
                inside = min(end, citance.end) - max(start, citance.start)
            if 2 * inside < end - start:
                continue
            sentence = prose.mended(_sentence(CITANCE, citance.document, start, text), paper=True)
            is_readable = sentence.words >= layout.FEWEST_WORDS and prose.is_prose(sentence.text)
            if is_readable and not prose.speaks_of_itself(sentence.text):
                sentences.setdefault((source, start), sentence)
    return tuple(sentences.values())


def _sentences_around(citance: Citance, paper: Document | None) -> list[tuple[int, int, str]]:
    """Return (start, end, text) of each sentence in the paragraphs that a citance overlaps."""
    if paper is not None and paper.sentences:
        touched = [s for s in paper.sentences if s.start < citance.end and citance.start < s.end]
        spans = joined([(s.start, s.end) for s in touched], paper.text)
        return [(start, end, paper.text[start:end]) for start, end in spans]
    first, paragraph = citance.start, citance.text
    if paper is not None:
        first = paper.text.rfind("\n", 0, citance.start) + 1
        last = paper.text.find("\n", citance.end)
        paragraph = paper.text[first : last if last >= 0 else len(paper.text)]
    return [(first + a, first + b, paragraph[a:b]) for a, b in split_sentences(paragraph)]


def _positions(topic: Topic, sentences: tuple[Sentence, ...]) -> Floats:
    """Return (n,) positions: from 0, the first candidate of a document, to 1, the last; a citance's
    is its offset over the length of its document.
    """
    lengths = {document.id: len(document.text) for document in topic.documents}
    members: dict[str, list[int]] = {}
    positions = np.zeros(len(sentences))
    for i, sentence in enumerate(sentences):
        if sentence.section == CITANCE:
            positions[i] = min(1.0, sentence.start / max(lengths.get(sentence.document, 1), 1))
        else:
            members.setdefault(sentence.document, []).append(i)
    for group in members.values():
        positions[group] = np.linspace(0.0, 1.0, len(group))
    return positions


def query_of(topic: Topic) -> str:
    """Return a topic's question; for general-English topics without one, the subject of the
    documents.
    """
    return topic.query or (subject(topic.documents) if topic.kind in GENERAL else "")


def subject(documents: Sequence[Document]) -> str:
    """Return the title of a single document, otherwise the centroid words of all documents, by
    decreasing weight.

    A content word (compared by stem) has the weight sum over documents of 1 + log(frequency), after
    the centroid of Radev et al. 2004, Centroid-based summarization of multiple documents; it is
    written as in its first occurrence.
    """
    if len(documents) == 1 and documents[0].title:
        return documents[0].title
    weights: defaultdict[str, float] = defaultdict(float)
    words: dict[str, str] = {}
    for document in documents:
        passage = Passage(f"{document.title}\n{document.text}")
        for stem, count in Counter(passage.content_stems).items():
            weights[stem] += 1.0 + math.log(count)
        for stem, word in zip(passage.content_stems, passage.content_words, strict=True):
            words.setdefault(stem, word)
    heaviest = sorted(weights, key=lambda stem: (-weights[stem], stem))[:_SUBJECT_WORDS]
    return " ".join(words[stem] for stem in heaviest)


def nearest(documents: Sequence[Document], most: int) -> tuple[Document, ...]:
    """Return the `most` documents with the most words of the common subject, in their order; ties
    go to the earlier ones.
    """
    words = frozenset(Passage(subject(documents)).stems)

    def shared(i: int) -> int:
        passage = Passage(f"{documents[i].title}\n{documents[i].text}")
        return len(words.intersection(passage.stems))

    # Sorting is stable: ties go to the earlier ones.
    rows = sorted(range(len(documents)), key=lambda i: -shared(i))[:most]
    return tuple(documents[i] for i in sorted(rows))
