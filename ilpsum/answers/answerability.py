"""Find the names and words of a question, as written, that the texts lack: a sign that they do not answer it."""

import re
from collections.abc import Iterator, Sequence

from features.text import words
from ilpsum.answers.weights import in_background, is_plain
from ilpsum.files.idf import singular
from ilpsum.pipeline.terms import tokens
from ilpsum.records import SearchResult

# Words that give an instruction rather than name a subject.
INSTRUCTIONS = frozenset(
    "list please name describe define explain give mention summarize summarise provide yes enumerate discuss elaborate "
    "stand stands example examples".split()
)

# Words joined by hyphens and full stops; lower-case words at either end are not part of a name.
_JOINED = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_AFFIXES = re.compile(r"^(?:[a-z]{3,}-)+|(?:-[a-z]{3,})+$")
_WORD = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"[IVX]+")
# Words more frequent in the background are not names: the first limit applies to capitalised words.
_MOST_COMMON, _COMMON = 20, 160


def unnamed(search: SearchResult, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a question that no retrieved text contains as written.

    Search matches stems: it finds `resident` for `RESID`, and separate `1` and `p21` for `1p21.3`. A word absent from
    all searched texts counts as a name, too, unless it is common in biomedical texts.
    """
    absent = (w for w in search.missing if w not in INSTRUCTIONS and not is_plain(w) and in_background(w) <= _COMMON)
    return (*_not_as_written(search, texts), *absent)


def _not_as_written(search: SearchResult, texts: Sequence[str]) -> Iterator[str]:
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
    """Yield the names of a query that must match as written: with digits or capitals in them."""
    others = {"".join(_WORD.findall(word)) for each in search.alternatives for word in each.words}
    for match in _JOINED.finditer(search.query):
        name = _AFFIXES.sub("", match[0])
        whole = "".join(_WORD.findall(name)).lower()
        # A name in brackets abbreviates the words before it.
        bracketed = search.query[: match.start()].endswith("(") and search.query[match.end() :].startswith(")")
        marked = any(map(str.isdigit, name)) or not name[1:].islower() or (match.start() and name[0].isupper())
        if not marked or bracketed or whole.isdigit() or len(whole) == 1 or whole in others or _ROMAN.fullmatch(name):
            continue
        yield name


def as_written(word: str, query: str) -> str:
    """Return the space-separated part of a query that contains a word or a term of it, without outer punctuation."""
    compound = not word.isalnum()
    chunks = (
        chunk
        for chunk in query.split()
        if word in (*words(chunk), *(token for token, _ in tokens(chunk))) or (compound and word in chunk.lower())
    )
    chunk = next(chunks, word)
    return chunk.strip("?!.,;:()[]{}\"'“”‘’«»")
