"""Records and full texts to keep: of a query, or of a list of identifiers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ilpsum.io.atomic import write_atomically, write_errors, write_file
from ilpsum.io.identifiers import ArticleIds
from ilpsum.literature.cache import Cache
from ilpsum.literature.finding import ANY, SERVICES, Watch
from ilpsum.literature.restriction import Restriction
from ilpsum.literature.services import Hits, Service


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched.

    Attributes:
        records: their number.
        full_texts: number of full texts.
        missing: the articles asked for that the service does not have.
        notes: what the service says, and how many records it has.
    """

    records: int
    full_texts: int
    missing: tuple[ArticleIds, ...]
    notes: tuple[str, ...]


def fetch(
    wanted: str | Sequence[ArticleIds],
    service: str,
    out: str | Path,
    *,
    most: int = 1000,
    restriction: Restriction = ANY,
    full_texts: str | Path | None = None,
    cache: Cache | None = None,
    watch: Watch | None = None,
) -> Fetched:
    """Write the records of a query or of a list of articles to a file.

    What arrives goes to the cache at once, so that a call after an interruption goes on where that one stopped.

    Args:
        wanted: a query in the language of the service, or identifiers.
        service: a name of `SERVICES`.
        out: a file of PubMed XML, or for Europe PMC of JSON; replaced when all has been fetched.
        most: records of a query, the most relevant ones.
        restriction: of a query.
        full_texts: a folder for the full texts of open articles, `PMC123.xml`; None for none.
        cache: of answers; by default those of the last 30 days in the user's cache.
        watch: shows progress.

    Raises:
        ServiceError: a service cannot be reached, refuses, or does not give what was asked for.
        IlpsumError: a file cannot be written.
        UsageError: the service cannot be used here.
        UnknownNameError: no such service.
    """
    with SERVICES[service](cache or Cache()) as source:
        if isinstance(wanted, str):
            hits = source.search(source.restricted(wanted, restriction), most)
        else:
            hits = source.records(wanted)
        files = _watched(hits, source, watch)
        listed = [each for path in files for each in source.listed(path)]
        with write_errors(Path(out)), write_atomically(out) as stream:
            stream.writelines(source.merged(files))
        texts = 0
        if full_texts is not None:
            open_ = list(dict.fromkeys(each.ids.pmcid for each in listed if each.open))
            texts = _full_texts(source, open_, Path(full_texts), watch)
    have = {name for each in listed for name in each.ids.all}
    missing = () if isinstance(wanted, str) else tuple(each for each in wanted if have.isdisjoint(each.all))
    total = f"{source.name}: {hits.total:,} found, {len(listed):,} fetched"
    return Fetched(len(listed), texts, missing, (*([total] if isinstance(wanted, str) else []), *hits.notes))


def _watched(hits: Hits, source: Service, watch: Watch | None) -> list[Path]:
    return list(watch(hits.files, f"files from {source.name}", hits.batches) if watch else hits.files)


def _full_texts(source: Service, pmcids: Sequence[str], folder: Path, watch: Watch | None) -> int:
    """Write the full texts that a folder lacks, and return how many there are."""
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)

    def one(pmcid: str) -> Path | None:
        path, text = folder / f"{pmcid}.xml", source.full_text(pmcid)
        if text:
            with write_errors(path):
                write_file(path, text.read_bytes())
        return text

    found = filter(None, map(one, pmcids))
    return len(list(watch(found, f"full texts from {source.name}", len(pmcids)) if watch else found))
