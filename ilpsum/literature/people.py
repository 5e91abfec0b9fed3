"""Authors, as programs write them: one in a field, or all."""

import re
from collections.abc import Iterable, Iterator

from features.patterns import regex
from ilpsum.records import Author

_GROUP = regex(
    r"the\b|.*\b(?:group|consorti(?:um|a)|committees?|collaborat(?:ion|ive|ors)|investigators"
    r"|network|organi[sz]ation|"
    r"society|association|initiative|team|trialists|agency|institutes?|federation|commission"
    r"|council|foundation|"
    r"alliance|panel|ministry|university|department|centers?|centres?)\b",
    re.IGNORECASE,
)
_INITIALS = regex(r"(?:[^\W\d_a-zß-ÿ]\.?[- ]?){1,4}")
_INITIALS_FIRST = regex(r"(?:[A-Z]\.?[- ]?){1,3} [A-Z][^\W\d_]+")
# What separates authors for certain; a list of a programming language; numbers of authors.
_SEPARATORS = regex(r"(?<!\s)\s*(?:;|\||\n|//|\sand\s(?!the\b)|\s&\s)\s*")
_LAST = regex(r"\s(?:and|&)\s[^,;|]+\Z")
_QUOTED = regex(r"'([^']{1,200})'|\"([^\"]{1,200})\"")
_NUMBERED = regex(r"(?<!\s)\s*\(\d{3,19}\)|(?<=\w)\(#?\d{1,3}\)")


def people_of(values: Iterable[str]) -> tuple[Author, ...]:
    """Return the authors in the values of a field, each of which names one or several."""
    return tuple(person for value in values for person in authors_of(value))


def authors_of(text: str) -> Iterator[Author]:
    """Yield the authors of a list in any of the usual forms.

    >>> lists = ["Newt AB, van Eft C", "Newt, Ann; Eft, Bo", "Newt, A., Eft, B."]
    >>> lists.append("Ann Newt and Bo Eft")
    >>> [[a.family for a in authors_of(text)] for text in lists]
    [['Newt', 'van Eft'], ['Newt', 'Eft'], ['Newt', 'Eft'], ['Newt', 'Eft']]
    >>> [(a.family, a.given) for a in authors_of("van Eft, Cornelia Bertha")]
    [('van Eft', 'Cornelia Bertha')]
    """
    text = _NUMBERED.sub("", text)
    if text.startswith("[") and text.endswith("]"):
        text = ";".join(one or other for one, other in _QUOTED.findall(text)) or text.strip("[]")
    # The name of a group may have an `and`.
    parts = [text] if _is_group(text) else _SEPARATORS.split(text)
    # The last two may be joined by `and`, and the others by commas.
    fewest = 2 if len(parts) == 2 and _LAST.search(text) else 3
    for part in parts:
        names = [part] if _is_group(part) else _by_commas(part, fewest)
        yield from (author(name) for name in names if name.strip())


def _is_group(text: str) -> bool:
    """Return whether a text without separators is the name of a group."""
    is_list = any(separator in text for separator in ";|\n")
    return not is_list and _GROUP.match(text) is not None


def _by_commas(text: str, fewest: int) -> list[str]:
    """Return the names of a list with commas, where these separate at least `fewest` authors of
    several words, or any with initials.
    """
    parts = [part.strip() for part in text.strip().rstrip(",").split(",") if part.strip()]
    if len(parts) < 2:
        return [text]
    if all(map(_ends_in_initials, parts)) or all(map(_INITIALS_FIRST.fullmatch, parts)):
        return parts
    family, forenames = parts[::2], parts[1::2]
    if (
        len(family) == len(forenames)
        and len(parts) > 2
        and all(map(_INITIALS.fullmatch, forenames))
    ):
        return [f"{name}, {initials}" for name, initials in zip(family, forenames, strict=True)]
    several = len(parts) >= fewest and all(len(part.split()) > 1 for part in parts)
    return parts if several else [text]


def _ends_in_initials(name: str) -> bool:
    words = name.rstrip(". ").split()
    if words[-2:] == ["et", "al"]:
        return True
    return (
        len(words) > 1
        and _INITIALS.fullmatch(words[-1]) is not None
        and not _INITIALS.fullmatch(words[0])
    )


def author(text: str) -> Author:
    """Parse an author: `Newt, Ann`, `Newt AB`, `Ann Newt` or a group; `others` gives an empty name.

    >>> (
    ...     author("van Eft C.B.").given, author("Ann van Eft").family,
    ...     author("The Newt Study Group").family
    ... )
    ('C.B.', 'van Eft', 'The Newt Study Group')
    """
    family, comma, forenames = text.strip().partition(",")
    words = family.split()
    if family.strip(".").lower() in ("others", "et al"):
        return Author("")
    if comma or len(words) < 2 or _GROUP.match(family):
        return Author(family.strip(), forenames.strip())
    if _INITIALS.fullmatch(words[-1]):
        return Author(" ".join(words[:-1]), words[-1])
    small = next((i for i, word in enumerate(words[1:-1], 1) if word.islower()), len(words) - 1)
    return Author(" ".join(words[small:]), " ".join(words[:small]))
