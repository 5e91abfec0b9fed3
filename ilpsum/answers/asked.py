"""What a question asks about: its content words, the names among them, and which of them texts
mention.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from features.arrays import Floats
from features.context import Evidence
from features.folding import folded
from features.text import words
from ilpsum.answers.alternatives import mesh_names
from ilpsum.answers.weights import in_background, is_generic, is_plain, smoothed_idf
from ilpsum.files.idf import singular
from ilpsum.pipeline.terms import terms, tokens
from ilpsum.records import SearchResult, Sentence

# Words that give an instruction rather than name a subject.
INSTRUCTIONS = frozenset(
    "list please name describe define explain give mention summarize summarise provide yes "
    "enumerate discuss elaborate "
    "stand stands example examples".split()
)

# Words joined by hyphens and full stops; lower-case words at either end are not part of a name.
_JOINED = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_AFFIXES = re.compile(r"^(?:[a-z]{3,}-)+|(?:-[a-z]{3,})+$")
_WORD = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"[IVX]+")
# The kind of thing that a question asks for: an answer may give its name alone.
_KIND = re.compile(r"\b(?:which|what)\s+(\S+)", re.IGNORECASE)
# Capitalised words more frequent in the background are not names.
_MOST_COMMON = 20
# Minimum weight of a subject word, as a share of the largest weight.
_HEAVY = 0.5
# A subject of this weight is in 1 text of 150.
_RARE = 5.0
# Maximum number of texts in the background that contain a name: of a name in MeSH, of a word with
# digits or inner capitals, and of others, which are too new for MeSH
# (experiments/results/evidence-silence.md).
_IN_MESH, _MARKED, _NEW = 160, 60, 5


def not_as_written(search: SearchResult, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a question that no retrieved text contains as written.

    Search matches stems: it finds `resident` for `RESID`, and separate `1` and `p21` for `1p21.3`.
    """
    names = list(_names(search))
    if not names:
        return ()
    found = _WORD.findall(folded("\n".join(texts)).lower())
    words = {*found}
    joined = "".join(found)

    def is_held(name: str) -> bool:
        parts = [part.lower() for part in _WORD.findall(name)]
        if any(map(str.isdigit, name)):
            return "".join(parts).removesuffix("s") in joined
        return all(in_background(part) > _MOST_COMMON for part in parts) or all(
            {part, part + "s", part + "es", singular(part)} & words for part in parts
        )

    return tuple(name for name in names if not is_held(name))


def _names(search: SearchResult) -> Iterator[str]:
    """Yield the names of a query that must match as written: with digits or capitals in them."""
    others = {"".join(_WORD.findall(word)) for each in search.alternatives for word in each.words}
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
        for word in (*words(part), *(token for token, _ in tokens(part))):
            parts.setdefault(word, part)
    return parts


class Asked:
    """The q content words of a question, and their occurrence in the n sentences and d documents.

    `ranked` has the indices of single words by decreasing weight; `subjects` has the heaviest of
    these.
    """

    def __init__(self, search: SearchResult, evidence: Evidence) -> None:
        kept = [i for i, (word, _) in enumerate(search.weights) if word not in INSTRUCTIONS]
        missing = [word for word in search.missing if word not in INSTRUCTIONS]
        self.held = [search.weights[i][0] for i in kept]
        self.words = [*self.held, *missing]
        absent = [smoothed_idf(word, 0, search.searched) for word in missing]
        self.weights = np.concatenate([evidence.weights[kept], np.array(absent)])
        # Missing words occur in no text.
        self.sentences, self.documents = (
            np.pad(rows[:, kept], ((0, 0), (0, len(missing))))
            for rows in (evidence.sentences, evidence.documents)
        )
        # Only the parts of a compound count: `are 6` would be a compound, too.
        self.ranked = [
            i for i in np.argsort(-self.weights, kind="stable").tolist() if " " not in self.words[i]
        ]
        self.subjects = [
            i for i in self.ranked if self.weights[i] >= _HEAVY * self.weights[self.ranked[0]]
        ]
        self._query = search.query

    @cached_property
    def rare(self) -> list[int]:
        """The indices of rare subjects."""
        return [i for i in self.subjects if self.weights[i] >= _RARE]

    @cached_property
    def names(self) -> list[int]:
        """The indices of names of drugs, diseases, genes and populations, which a correct answer
        does not omit.
        """
        return [i for i in self.rare if self._is_name(self.words[i])]

    def _is_name(self, word: str) -> bool:
        written = as_written(word, self._query)
        if is_plain(word) or is_generic(word) or written in _KIND.findall(self._query):
            return False
        most = _NEW if written[1:].islower() else _MARKED
        return in_background(word) <= (most if mesh_names().isdisjoint(terms(word)) else _IN_MESH)

    def share(self, held: Floats, power: float = 1.0) -> Floats:
        """Return (m,) the share of the question's words in each of m rows, by weight raised to
        `power`.
        """
        weights = self.weights**power
        return np.asarray(held @ weights / float(weights.sum()))

    def written(self, places: Sequence[int]) -> tuple[str, ...]:
        """Return the words at these indices, as written in the question."""
        return tuple(as_written(self.words[i], self._query) for i in places)

    def shown(self, chosen: Sequence[int], sentences: Sequence[Sentence]) -> Floats:
        """Return (q,) the occurrence of each word in the chosen sentences and the titles of their
        documents.
        """
        texts = {sentences[i].document for i in chosen}
        titles = [
            i for i, s in enumerate(sentences) if s.section == "title" and s.document in texts
        ]
        return np.asarray(self.sentences[[*chosen, *titles]].max(axis=0, initial=0.0))
