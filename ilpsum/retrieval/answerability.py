"""How well abstracts hold a question's words: the first sign of whether they answer it at all.

The weight of a word is its IDF over the abstracts searched and 15,975 biomedical texts (`ilpsum.io.idf`) together, so
that a word weighs the same in five abstracts as in a million:

    w(t)    = ln((N + B + 1) / (n(t) + b(t) + 0.5)),
    subject = max over abstracts d of  sum over words t of q of  w(t)^2 f(t,d) / (f(t,d) + 0.5)  /  sum of  w(t)^2,
    near    = share of the pairs of neighbouring words of q that a sentence holds near each other, by w(t) w(u),
    missing = 1 if no text holds some word that none of the B texts has (usually a name), otherwise 0,
    score   = 1 / (1 + exp(-(a + b subject + c near + d missing + e ln |q| + f ln(N + 1))))

with N and B texts, of which n(t) and b(t) hold t; f(t,d) occurrences of t in d; |q| distinct words without stop words.
Squared, one rare word, usually the name of what is asked for, outweighs several common ones. A long question is held
less completely by the abstract that answers it, and among many abstracts one holds many words by chance. The
coefficients are those of a logistic regression (experiments/results/evidence-silence.md), shifted so that 0.5 is the
threshold.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from features.text import words
from ilpsum.io.idf import singular
from ilpsum.records import Outcome, SearchResult
from ilpsum.retrieval.analysis import terms_by_sentence
from ilpsum.retrieval.queries import SearchQuery
from ilpsum.retrieval.synonyms import synonyms
from ilpsum.retrieval.weights import in_background, is_plain, pooled_idf, smoothed_idf

ANSWERED = 0.5
"""Questions with a smaller score get no answer."""

INTERCEPT, SUBJECT, NEAR, MISSING, WORDS, SEARCHED = -5.913, 11.280, 1.793, -4.079, 1.293, -0.168

# Occurrences of a word at which an abstract has half of its weight.
_HALF = 0.5
# Greatest distance of two near words, in words other than stop words.
_DISTANCE = 2
# A longer text is judged in parts of as many sentences as a long abstract has.
_SENTENCES = 20
INSTRUCTIONS = frozenset(
    "list please name describe define explain give mention summarize summarise provide yes enumerate discuss elaborate "
    "stand stands example examples".split()
)
"""Words that say what to do, not what to look for."""

# A word names what a question asks for if its weight is at least this share of the largest.
_NAMES = 0.5
_LISTED = 3
_IN_PASSING = "what was found mentions the words of the question without answering it"

# Words with what hyphens and stops join to them; lower-case words at either end are no part of a name.
_JOINED = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_AFFIXES = re.compile(r"^(?:[a-z]{3,}-)+|(?:-[a-z]{3,})+$")
_WORD = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"[IVX]+")
# Words of more texts of the background are no names.
_MOST_COMMON, _MOST_COMMON_SUBJECT = 20, 160
_SUBJECTS = 2

_Part: TypeAlias = Sequence[Sequence[str]]
"""The terms of a text's sentences."""


@dataclass(frozen=True, slots=True)
class Answerability:
    """What texts hold of a question; see the module.

    Attributes:
        subject, near: in [0,1].
        missing: whether no text holds some name.
        words: number of the question's distinct words, without stop words.
        searched: number of texts.
    """

    subject: float
    near: float
    missing: bool
    words: int
    searched: int

    @property
    def score(self) -> float:
        """The score in [0,1]; 0 for a question without words, or without any of its words in the texts."""
        if not self.subject:
            return 0.0
        size = WORDS * math.log(self.words) + SEARCHED * math.log1p(self.searched)
        held = SUBJECT * self.subject + NEAR * self.near + MISSING * self.missing
        return 1.0 / (1.0 + math.exp(-(INTERCEPT + held + size)))


class _Question:
    """The distinct words of a question with their weights, to be found in texts."""

    def __init__(self, search: SearchResult, holding: Mapping[str, int]) -> None:
        query = SearchQuery.of(search.query)
        # The parts of `interleukin 6` count, but not the compound: `are 6` would be one too.
        self.words = {t: w for t, w in query.words.items() if w not in INSTRUCTIONS and " " not in w}
        self.weights = {t: pooled_idf(w, holding.get(t, 0), search.searched) for t, w in self.words.items()}
        self.searched = search.searched
        self.absent = {term: word for term, word in self.words.items() if not holding.get(term)}
        self.missing = any(not is_plain(word) and not in_background(word) for word in self.absent.values())
        sequence = [term for term in query.terms if term in self.words]
        self.pairs = {frozenset(pair) for pair in itertools.pairwise(sequence) if len(set(pair)) == 2}
        self._alternatives = search.alternatives
        self._forms = frozenset(self.words).union(*(each.terms for each in self._alternatives))

    def occurrences(self, part: _Part) -> dict[str, float]:
        """Return how often a text, given the terms of its sentences, holds each term of the question in any form."""
        counts = Counter(filter(self._forms.__contains__, itertools.chain.from_iterable(part)))
        found = {term: float(counts[term]) for term in self.words if counts[term]}
        for alternative in self._alternatives:
            if times := min(counts[term] for term in alternative.terms):
                for term in (term for term, word in self.words.items() if word in alternative.words):
                    found[term] = max(found.get(term, 0.0), alternative.factor * times)
        return found

    def subject(self, occurrences: Mapping[str, float]) -> float:
        """Return the share of the squared weights that a text has."""
        held = math.fsum(self.weights[t] ** 2 * f / (f + _HALF) for t, f in occurrences.items())
        return held / (math.fsum(weight**2 for weight in self.weights.values()) or 1.0)

    def near(self, sentences: Iterable[Sequence[str]]) -> float:
        """Return the share of the pairs that a sentence holds near each other; 1 if the question has no pair."""
        paired = frozenset[str]().union(*self.pairs)
        found = {pair for sentence in sentences for pair in _near(sentence, paired) if pair in self.pairs}
        weight = {pair: math.prod(self.weights[term] for term in pair) for pair in self.pairs}
        total = math.fsum(weight.values())
        return math.fsum(weight[pair] for pair in found) / total if total else 1.0


def subjects(search: SearchResult) -> list[str]:
    """Return the words, lower-cased, that name what a question is about: at most two, the heaviest first.

    A subject weighs at least half as much as the heaviest word and is rare among biomedical texts; it is part of a name
    of MeSH, written as a name (with a capital or a digit), or in no text of the background.
    """
    query, weight = SearchQuery.of(search.query), dict(search.weights)
    weight |= {word: smoothed_idf(word, 0, search.searched) for word in search.missing}
    words = [w for w in query.words.values() if w in weight and w not in INSTRUCTIONS and " " not in w]
    ranked = sorted(words, key=lambda word: -weight[word])[:_LISTED]
    named = {part.lower() for name in _names(search) for part in _WORD.findall(name)}
    named.update(query.words[term] for part in query.parts() if synonyms(" ".join(part)) for term in part)
    least = _NAMES * weight[ranked[0]] if ranked else 0.0
    rare = (w for w in ranked if weight[w] >= least and not is_plain(w) and in_background(w) <= _MOST_COMMON_SUBJECT)
    return [word for word in rare if word in named or not in_background(word)][:_SUBJECTS]


def evidence(search: SearchResult, texts: Sequence[str], holding: Mapping[str, int]) -> Answerability:
    """Return what texts hold of a query.

    Args:
        search: has the query, the number of texts searched, and other forms of the query's words.
        texts: those that the search found.
        holding: for terms of the query (`ilpsum.retrieval.analysis.terms`), how many of the texts searched hold them.
    """
    return _held(_Question(search, holding), [part for text in texts for part in _parts(text)])


def _held(question: _Question, parts: Sequence[_Part]) -> Answerability:
    subject = max((question.subject(question.occurrences(part)) for part in parts), default=0.0)
    near = question.near(sentence for part in parts for sentence in part)
    return Answerability(subject, near, question.missing, len(question.words), question.searched)


def judged(
    search: SearchResult, texts: Sequence[str], holding: Mapping[str, int], what: str = "abstract"
) -> SearchResult:
    """Return a result with its score, what the texts do not cover and, if the score is too small, no answer.

    `what` the texts are is for the reason; the other arguments are as for `evidence`.
    """
    question, parts = _Question(search, holding), [part for text in texts for part in _parts(text)]
    score, uncovered = _held(question, parts).score, _uncovered(question, search.query, parts, what)
    result = replace(search, answerable=score, uncovered=uncovered)
    if score < ANSWERED:
        return refused(result)
    if unnamed := list(_unnamed(search, texts)):
        why = f"no {what} found mentions {_listed(unnamed[:_LISTED], 'or')}"
        return refused(replace(result, answerable=0.0), why)
    return result


def _unnamed(search: SearchResult, texts: Sequence[str]) -> Iterator[str]:
    """Yield the names of a question that no text found has as they are written.

    The search looks for words of one stem: it finds `resident` for `RESID`, and `1` and `p21` apart for `1p21.3`.
    """
    if not (names := list(_names(search))):
        return
    found = _WORD.findall("\n".join(texts).lower())
    words, joined = {*found}, "".join(found)
    for name in names:
        parts = [part.lower() for part in _WORD.findall(name)]
        if any(map(str.isdigit, name)):
            held = "".join(parts).removesuffix("s") in joined
        else:
            common = all(in_background(part) > _MOST_COMMON for part in parts)
            held = common or all({part, part + "s", part + "es", singular(part)} & words for part in parts)
        if not held:
            yield name


def _names(search: SearchResult) -> Iterator[str]:
    """Yield the names of a query that no other form may replace: with digits among their letters, or capitals."""
    others = {"".join(_WORD.findall(word)) for each in search.alternatives for word in each.words}
    for match in _JOINED.finditer(search.query):
        name = _AFFIXES.sub("", match[0])
        whole = "".join(_WORD.findall(name)).lower()
        # What brackets enclose stands for the words before them.
        bracketed = search.query[: match.start()].endswith("(") and search.query[match.end() :].startswith(")")
        marked = any(map(str.isdigit, name)) or not name[1:].islower() or (match.start() and name[0].isupper())
        if not marked or bracketed or whole.isdigit() or len(whole) == 1 or whole in others or _ROMAN.fullmatch(name):
            continue
        yield name


def refused(search: SearchResult, why: str = "") -> SearchResult:
    """Return a result without an answer; `why` not, where the words do not say it."""
    return replace(search, outcome=Outcome.NOTHING, unanswered=why or search.uncovered or _IN_PASSING)


def _uncovered(question: _Question, query: str, parts: Sequence[_Part], what: str) -> str:
    """Say in one line, in the words of the query, what no text holds, or no text or sentence together."""
    ranked = sorted(question.words, key=lambda term: -question.weights[term])
    least = _NAMES * question.weights[ranked[0]] if ranked else 0.0
    texts = [question.occurrences(part).keys() for part in parts]
    found = frozenset[str]().union(*texts)
    written = {term: _as_written(question.words[term], query) for term in ranked}
    absent = question.absent.keys() - found
    names = [written[term] for term in ranked if term in absent and question.weights[term] >= least]
    if not ranked:
        return "the question has no word to search for"
    if not found:
        if not parts and len(question.absent) < len(question.words):
            return f"no {what} with a word of the question passes the restrictions on sources"
        return f"no {what} contains a word of the question"
    if names:
        return f"no {what} mentions {_listed(names[:_LISTED], 'or')}"
    sentences = [question.occurrences([sentence]).keys() for part in parts for sentence in part]
    for held, of in ((texts, f"of the {what}s found"), (sentences, "of the sentences found")):
        for number in range(2, len(ranked) + 1):
            if not any(each >= set(ranked[:number]) for each in held):
                together = _listed([written[t] for t in ranked[:number]], "and")
                return f"none {of} mentions {together} together"
    return ""


def quoted(words: Sequence[str], query: str, conjunction: str) -> str:
    """Return words of a query as written in it, quoted and joined."""
    return _listed([_as_written(word, query) for word in words], conjunction)


def _as_written(word: str, query: str) -> str:
    """Return the part of a query, between spaces, that has a word, without punctuation around it."""
    compound = not word.isalnum()
    chunks = (chunk for chunk in query.split() if word in words(chunk) or (compound and word in chunk.lower()))
    chunk = next(chunks, word)
    return chunk.strip("?!.,;:()[]{}\"'“”‘’«»")


def _listed(names: Sequence[str], conjunction: str) -> str:
    quoted = [f"'{name}'" for name in dict.fromkeys(names)]
    return f" {conjunction} ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _parts(text: str) -> Iterator[list[list[str]]]:
    """Yield the terms of each sentence of a text, of a long one in parts."""
    sentences = terms_by_sentence(text)
    for first in range(0, len(sentences), _SENTENCES):
        yield sentences[first : first + _SENTENCES]


def _near(sentence: Sequence[str], wanted: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield the pairs of wanted terms that a sentence holds near each other."""
    places = [place for place, term in enumerate(sentence) if term in wanted]
    for number, place in enumerate(places):
        for other in places[number + 1 : number + 1 + _DISTANCE]:
            if other - place <= _DISTANCE:
                yield frozenset((sentence[place], sentence[other]))
