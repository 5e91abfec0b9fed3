"""Facts about the studies behind an answer: their size and kinds, and the newest year."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ilpsum.records import IMPLIED, KINDS, Document, Publication, StudyKind

_PEOPLE = (
    "patients|participants|subjects|individuals|women|men|children|adults|adolescents|people"
    "|persons|infants|neonates"
    "|newborns|volunteers|pregnancies|families|cases|mice|rats|rabbits|pigs|dogs"
)
_STUDIES = "studies|trials|RCTs|articles|publications|cohorts"
# Words that no count has between its number and its noun.
_OTHER = (
    "of|in|and|or|to|with|the|per|who|million|billion|years?|months?|weeks?|days?|hours?|cent(?:er"
    "|re)s|mg|trial"
    "|involving"
)
# A number before a noun, with at most three words between them; not `1 in 5 patients`, `phase 3`,
# `since 2012`.
_COUNT = re.compile(
    r"(?<![\w.,%/·-])(?<!\bper )(?<!\d in )(?<!\d of )(?<!\bsince )(?<!\baged )(?<!hase )"
    r"(?P<number>\d{1,3}(?:[,\u2009\u202f\xa0]\d{3})+|\d{1,6})\s"
    rf"(?:(?!(?:{_OTHER})\b)(?=[^\sa-z]{{0,30}}[a-z])[\w-]++\s){{0,3}}?"
    rf"(?:(?P<people>{_PEOPLE})|(?P<studies>{_STUDIES}))\b"
)
# Words of a sentence that says what a study consists of.
_CONSISTS = re.compile(
    r"\b(?:includ|enrol|randomi[sz]|recruit|analy[sz]ed|studied|total "
    r"of|compris|participat|assigned|evaluated|involv"
    r"|consist|cohort of|stud(?:y|ies) of|trial of|data (?:from|of|on)|records "
    r"of|underwent|sample of|received"
    r"|identified|examined|investigated|follow|data "
    r"?set|obtained|performed|conducted|compared|collected|tested"
    r"|we\b|our\b)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\d])|\n")


def size_of(text: str) -> str:
    r"""Return the size of a study as its abstract states it, `87 patients`; empty if it states
    none.

    Of the first sentence that says what the study consists of, the largest numbers of studies and
    of people or animals.

    >>> trial = "In all, 1,204 adult patients were randomised to velin (n = 600) or rest."
    >>> size_of(f"Velin\nOf 9 in 10 newts. {trial}")
    '1,204 patients'
    >>> (
    ...     size_of("We identified 12 trials with 87 patients."),
    ...     size_of("Velin helps 1 in 5 patients.")
    ... )
    ('12 trials, 87 patients', '')
    """
    for sentence in filter(_CONSISTS.search, _SENTENCE.split(text)):
        sizes = []
        for kind in ("studies", "people"):
            counts = [count for count in _COUNT.finditer(sentence) if count[kind]]
            if counts:
                # The last of equal numbers.
                largest = max(reversed(counts), key=_number)
                sizes.append(f"{_number(largest):,} {largest[kind]}")
        if sizes:
            return ", ".join(sizes)
    return ""


def _number(count: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", count["number"]))


class Studies(NamedTuple):
    """A number of studies, and the number of each kind, in the order of `KINDS`; a study may be of
    none.
    """

    number: int
    kinds: Mapping[StudyKind, int]


def tally(publications: Iterable[Publication]) -> Studies:
    """Return the number of studies, and of their most specific kinds."""
    number = 0
    counts = Counter[StudyKind]()
    for publication in publications:
        number += 1
        implied = {IMPLIED.get(kind) for kind in publication.kinds}
        counts.update(set(publication.kinds) - implied)
    return Studies(number, {kind: counts[kind] for kind in KINDS if counts[kind]})


def newest(documents: Iterable[Document]) -> str:
    """Return the latest year of publication; empty if no document has one."""
    dates = (found.publication.year or found.date for found in documents)
    return max((year for date in dates for year in _YEAR.findall(date)), default="")
