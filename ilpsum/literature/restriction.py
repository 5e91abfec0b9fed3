"""What a search is restricted to, in the query language of a service."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """How a service says a restriction.

    Attributes:
        years, language: patterns for two years, and for a code of a language.
        kinds: the condition of each kind of study.
        animals, preprint: what is about animals only, and what is a preprint.
    """

    years: str
    language: str
    kinds: Mapping[str, str]
    animals: str
    preprint: str


@dataclass(frozen=True, slots=True)
class Restriction:
    """What services are asked for; the default restricts nothing.

    Attributes:
        since, until: the first and the last year; None for any.
        kinds: of study, of which one must hold; none for all.
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

    def __call__(self, query: str, to: Language) -> str:
        """Return a query with the restriction, in the language of a service."""
        dated = self.since is not None or self.until is not None
        # Services take years of four digits.
        years = to.years.format(self.since or 1000, self.until or 3000) if dated else ""
        kinds, languages = (to.kinds[kind] for kind in self.kinds), map(to.language.format, self.languages)
        wanted = list(filter(None, (years, _any_of(kinds), _any_of(languages))))
        unwanted = [f"({to.animals})"] * self.humans + [to.preprint] * (not self.preprints)
        if not wanted and not unwanted:
            return query
        return " NOT ".join([" AND ".join([f"({query})", *wanted]), *unwanted])


def _any_of(conditions: Iterable[str]) -> str:
    text = " OR ".join(conditions)
    return f"({text})" if " " in text else text
