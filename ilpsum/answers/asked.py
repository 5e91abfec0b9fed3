"""What a question asks about: its content words, the names among them, and which of them texts
mention.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from features.arrays import Floats
from features.context import Evidence
from features.folding import folded
from features.text import words
from ilpsum.answers.question_words import answer_share
from ilpsum.answers.weights import in_background, smoothed_idf
from ilpsum.files.idf import singular
from ilpsum.pipeline.terms import is_numbered, tokens
from ilpsum.records import SearchResult, Sentence

# Words joined by hyphens and full stops; lower-case words at either end are not part of a name.
_JOINED = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_AFFIXES = re.compile(r"^(?:[a-z]{3,}-)+|(?:-[a-z]{3,})+$")
_WORD = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"[IVX]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
# Capitalised words more frequent in the background are not names.
_MOST_COMMON = 20
# Minimum weight of a subject word, as a share of the largest weight; minimum weight of a name.
_HEAVY, _RARE = 0.5, 2.7
# Factor of the weight of a word that no text has (experiments/results/evidence-silence.md).
_ABSENT = 0.75


def not_as_written(search: SearchResult, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a question that no retrieved text contains as written.

    Search matches stems: it finds `resident` for `RESID`, and separate `1` and `p21` for `1p21.3`.
    """
    names = list(_names(search))
    if not names:
        return ()
    running = _WORD.findall(folded("\n".join(texts)).lower())
    words = {*running}
    joined = "".join(running)

    def is_held(name: str) -> bool:
        """Whether the text has a name: one with digits anywhere, others word by word."""
        parts = [part.lower() for part in _WORD.findall(name)]
        if any(map(str.isdigit, name)):
            return "".join(parts).removesuffix("s") in joined
        if all(in_background(part) > _MOST_COMMON for part in parts):
            return True
        forms = [{part, f"{part}s", f"{part}es", singular(part)} for part in parts]
        return all(not words.isdisjoint(forms_of_part) for forms_of_part in forms)

    return tuple(name for name in names if not is_held(name))


def _names(search: SearchResult) -> Iterator[str]:
    """Yield the names of a query that must match as written: with digits or capitals in them."""
    others = {
        "".join(_WORD.findall(word))
        for alternative in search.alternatives
        for word in alternative.words
    }
    query = folded(search.query)
    for match in _JOINED.finditer(query):
        name = _AFFIXES.sub("", match[0])
        whole = "".join(_WORD.findall(name)).lower()
        # A name in brackets abbreviates the words before it.
        bracketed = query[: match.start()].endswith("(") and query[match.end() :].startswith(")")
        marked = (
            any(map(str.isdigit, name))
            or not name[1:].islower()
            or (match.start() and name[0].isupper())
        )
        if (
            not marked
            or bracketed
            or whole.isdigit()
            or len(whole) == 1
            or whole in others
            or _ROMAN.fullmatch(name)
        ):
            continue
        yield name


def as_written(word: str, query: str) -> str:
    """Return the space-separated part of a query that contains a word or a term of it, without
    outer punctuation.
    """
    written = _parts_of(query).get(word)
    if written is None and not word.isalnum():
        written = next((part for part in query.split() if word in folded(part).lower()), None)
    return (written or word).strip("?!.,;:()[]{}\"'“”‘’«»")


@lru_cache(maxsize=8)
def _parts_of(query: str) -> Mapping[str, str]:
    """Return the words and terms of a query, each with the first part that contains it."""
    parts: dict[str, str] = {}
    for part in query.split():
        for word in (*words(part), *tokens(part)):
            parts.setdefault(word, part)
    return parts


class Asked:
    """The q words of a question, and their occurrence in the n sentences and d documents.

    The weight of a word is its IDF times the share of snippets that hold such a word
    (`ilpsum.answers.question_words`). Words that no text has come last, at `absent` and after; they
    weigh less, since they may be typing errors or slang. Years weigh nothing: most date the
    question (`as of 2025`) or name the present.

    `ranked` has the indices of all words but compounds with a number by decreasing weight;
    `subjects` has the heaviest of these, `names` those that a correct answer does not omit:
    rare words, not the kind of thing that is asked for; `years` the years.
    """

    def __init__(self, search: SearchResult, evidence: Evidence) -> None:
        self.words = [*(word for word, _ in search.weights), *search.missing]
        self.absent = len(search.weights)
        absent = [_ABSENT * smoothed_idf(word, 0, search.searched) for word in search.missing]
        shares = np.array([answer_share(word) for word in self.words])
        self.weights = np.concatenate([evidence.weights, np.array(absent)]) * shares
        self.years = [i for i, word in enumerate(self.words) if _YEAR.fullmatch(word)]
        self.weights[self.years] = 0.0
        # Missing words occur in no text.
        columns = (0, 0), (0, len(search.missing))
        self.sentences = np.pad(evidence.sentences, columns)
        self.documents = np.pad(evidence.documents, columns)
        # Only the parts of a compound with a number count: `are 6` would be a compound, too.
        order = np.argsort(-self.weights, kind="stable").tolist()
        self.ranked = [i for i in order if not is_numbered(self.words[i])]
        heaviest = self.weights[self.ranked[0]] if self.ranked else 0.0
        self.subjects = [i for i in self.ranked if self.weights[i] >= _HEAVY * heaviest]
        self.names = [i for i in self.subjects if self.weights[i] >= _RARE]
        self._query = search.query

    @property
    def is_subject_absent(self) -> bool:
        """Whether no text has the heaviest word, although the question has others."""
        return bool(self.names) and self.names[0] >= self.absent

    def share(self, held: Floats, power: float = 1.0) -> Floats:
        """Return (m,) the share of the question's words in each of m rows, by weight raised to
        `power`.
        """
        weights = self.weights**power
        return np.asarray(held @ weights / (float(weights.sum()) or 1.0))

    def written(self, places: Sequence[int]) -> tuple[str, ...]:
        """Return the words at these indices, as written in the question."""
        return tuple(as_written(self.words[i], self._query) for i in places)

    def shown(self, chosen: Sequence[int], sentences: Sequence[Sentence]) -> Floats:
        """Return (q,) the occurrence of each word in the chosen sentences and the titles of their
        documents.
        """
        documents = {sentences[i].document for i in chosen}
        rows = list(chosen)
        for i, sentence in enumerate(sentences):
            if sentence.section == "title" and sentence.document in documents:
                rows.append(i)
        return np.asarray(self.sentences[rows].max(axis=0, initial=0.0))
