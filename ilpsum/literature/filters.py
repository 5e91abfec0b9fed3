"""What a search is restricted to, in the languages of the services."""

from dataclasses import dataclass

from features.registry import Registry
from ilpsum.errors import UsageError


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of study: the publication types of PubMed and of Europe PMC, in lower case, that stand for it."""

    pubmed: tuple[str, ...]
    europepmc: tuple[str, ...]
