"""What a search is restricted to, in the query languages of the services."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

# PubMed and Europe PMC take years of four digits.
_FIRST, _LAST = 1000, 3000


class _Condition(NamedTuple):
    """What a kind of study is in a query of PubMed and of Europe PMC; PubMed's types include narrower ones."""

    pubmed: str
    europepmc: str


def _type(*names: str) -> _Condition:
    return _Condition(f'"{names[0]}"[pt]', " OR ".join(f'PUB_TYPE:"{name}"' for name in names))


def _heading(name: str) -> _Condition:
    return _Condition(f'"{name}"[mh]', f'KW:"{name}"')


_ANIMALS = _Condition("animals[mh] NOT humans[mh]", 'KW:"Animals" NOT KW:"Humans"')
_PREPRINT = _Condition("preprint[pt]", "SRC:PPR")
_KINDS = {
    "meta-analysis": _type("meta-analysis"),
    "systematic-review": _type("systematic review"),
    "guideline": _type("guideline", "practice guideline"),
    "randomised": _type("randomized controlled trial"),
    "trial": _type("clinical trial", "randomized controlled trial", "controlled clinical trial"),
    "cohort": _heading("cohort studies"),
    "review": _type("review", "systematic review"),
    "case-report": _type("case reports"),
    "animal": _ANIMALS,
    "in-vitro": _heading("in vitro techniques"),
    "editorial": _type("editorial"),
    "preprint": _PREPRINT,
}


@dataclass(frozen=True, slots=True)
class Restriction:
    """What a service is asked to find; the default restricts nothing.

    Attributes:
        since, until: the first and the last year; None for any.
        kinds: of study, of which one must hold (`ilpsum.records.publications`); none for all.
        languages: codes of three letters (ISO 639-2), such as `eng`; none for all.
        humans: whether to leave out what is about animals only.
        preprints: whether preprints may be found.
    """

    since: int | None = None
    until: int | None = None
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    humans: bool = False
    preprints: bool = True

    def for_pubmed(self, query: str) -> str:
        """Return a query of PubMed with the restriction.

        >>> Restriction(since=2015, languages=("eng",)).for_pubmed("newts")
        '(newts) AND 2015:3000[dp] AND eng[la]'
        """
        years = f"{self.since or _FIRST}:{self.until or _LAST}[dp]" if self._dated else ""
        kinds, languages = (_KINDS[kind].pubmed for kind in self.kinds), (f"{code}[la]" for code in self.languages)
        return self._joined(query, years, kinds, languages, _ANIMALS.pubmed, _PREPRINT.pubmed)

    def for_europepmc(self, query: str) -> str:
        """Return a query of Europe PMC with the restriction.

        >>> Restriction(kinds=("editorial",), preprints=False).for_europepmc("newts")
        '(newts) AND PUB_TYPE:"editorial" NOT SRC:PPR'
        """
        years = f"PUB_YEAR:[{self.since or _FIRST} TO {self.until or _LAST}]" if self._dated else ""
        kinds, languages = (_KINDS[kind].europepmc for kind in self.kinds), (f'LANG:"{c}"' for c in self.languages)
        return self._joined(query, years, kinds, languages, _ANIMALS.europepmc, _PREPRINT.europepmc)

    @property
    def _dated(self) -> bool:
        return self.since is not None or self.until is not None

    def _joined(
        self, query: str, years: str, kinds: Iterable[str], languages: Iterable[str], animals: str, preprint: str
    ) -> str:
        wanted = list(filter(None, (years, _any_of(kinds), _any_of(languages))))
        unwanted = [f"({animals})"] * self.humans + [preprint] * (not self.preprints)
        if not wanted and not unwanted:
            return query
        return " NOT ".join([" AND ".join([f"({query})", *wanted]), *unwanted])


def _any_of(conditions: Iterable[str]) -> str:
    text = " OR ".join(each if " OR " in each or " NOT " not in each else f"({each})" for each in conditions)
    return f"({text})" if " OR " in text or " NOT " in text else text
