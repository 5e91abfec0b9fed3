"""Invented records for the stand-in: the abstracts of the demo, a preprint, and as many newts as a test wants."""

from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

from defusedxml.ElementTree import fromstring

from ilpsum import resources

# What the demo's records lack: publication types, headings and open full texts.
_TYPES = {
    "90000005": ("Journal Article", "Randomized Controlled Trial"),
    "90000006": ("Journal Article", "Clinical Trial"),
}
_ANIMALS = {"90000003"}
_OPEN = {"90000001": "PMC9000001", "90000011": "PMC9000011"}
PREPRINT = "PPR900001"


@dataclass(frozen=True)
class Record:
    """An invented article."""

    pmid: str
    title: str
    parts: tuple[tuple[str, str], ...]
    year: int
    language: str = "eng"
    source: str = "MED"

    @property
    def doi(self) -> str:
        return f"10.5555/invented({self.pmid})"

    @property
    def pmcid(self) -> str:
        return _OPEN.get(self.pmid, "")

    @property
    def types(self) -> tuple[str, ...]:
        if self.source == "PPR":
            return ("Preprint",)
        # Every fourth of the newts is a review.
        review = ("Review",) if self.pmid.startswith("800") and int(self.pmid) % 4 == 0 else ()
        return _TYPES.get(self.pmid, ("Journal Article", *review))

    @property
    def headings(self) -> tuple[str, ...]:
        return ("Animals", "Rats") if self.pmid in _ANIMALS else ("Humans",)

    @property
    def abstract(self) -> str:
        return " ".join(text for _, text in self.parts)

    def xml(self) -> str:
        """The record as PubMed gives it."""
        parts = "".join(
            f"<AbstractText{f' Label={label!r}'.replace(chr(39), chr(34)) * bool(label)}>{escape(text)}</AbstractText>"
            for label, text in self.parts
        )
        types = "".join(f'<PublicationType UI="D0">{name}</PublicationType>' for name in self.types)
        mesh = "".join(
            f'<MeshHeading><DescriptorName UI="D0" MajorTopicYN="N">{name}</DescriptorName></MeshHeading>'
            for name in self.headings
        )
        ids = f'<ArticleId IdType="pubmed">{self.pmid}</ArticleId><ArticleId IdType="doi">{self.doi}</ArticleId>'
        ids += f'<ArticleId IdType="pmc">{self.pmcid}</ArticleId>' * bool(self.pmcid)
        return (
            f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{self.pmid}</PMID>'
            f'<Article PubModel="Print"><Journal><JournalIssue CitedMedium="Print"><PubDate><Year>{self.year}</Year>'
            "</PubDate></JournalIssue><Title>Journal of Invented Results</Title></Journal>"
            f"<ArticleTitle>{escape(self.title)}</ArticleTitle><Abstract>{parts}</Abstract>"
            '<AuthorList CompleteYN="Y"><Author ValidYN="Y"><LastName>Moss</LastName><Initials>A</Initials></Author>'
            f"</AuthorList><Language>{self.language}</Language><PublicationTypeList>{types}</PublicationTypeList>"
            f"</Article><MeshHeadingList>{mesh}</MeshHeadingList></MedlineCitation><PubmedData>"
            f"<ArticleIdList>{ids}</ArticleIdList></PubmedData></PubmedArticle>"
        )

    def json(self) -> dict[str, Any]:
        """The record as Europe PMC gives it, with `resultType=core`."""
        own = {"pmid": self.pmid} if self.source == "MED" else {}
        open_ = {"pmcid": self.pmcid} if self.pmcid else {}
        return {
            "id": self.pmid, "source": self.source, **own, **open_, "doi": self.doi, "title": self.title,
            "authorString": "Moss A.",
            "authorList": {"author": [{"fullName": "Moss A", "lastName": "Moss", "initials": "A"}]},
            "journalInfo": {"yearOfPublication": self.year, "journal": {"title": "Journal of Invented Results"}},
            "pubYear": str(self.year), "language": self.language,
            "pubTypeList": {"pubType": list(map(str.lower, self.types))}, "abstractText": self.html(),
            "meshHeadingList": {"meshHeading": [{"majorTopic_YN": "N", "descriptorName": n} for n in self.headings]},
            "isOpenAccess": "Y" if self.pmcid else "N",
        }  # fmt: skip

    def html(self) -> str:
        """The abstract as Europe PMC gives it."""
        return "".join(
            f"<h4>{label.capitalize()}</h4>" * bool(label) + escape(text)
            for label, text in self.parts
        )


@cache
def demo_records() -> tuple[Record, ...]:
    """The abstracts of the demo, and a preprint."""
    root = fromstring((resources.demo() / "abstracts.xml").read_bytes())
    found = []
    for article in root.iter("PubmedArticle"):
        parts = (
            (part.get("Label", ""), "".join(part.itertext()))
            for part in article.iter("AbstractText")
        )
        text = {
            tag: "".join(article.find(f".//{tag}").itertext())
            for tag in ("PMID", "ArticleTitle", "Year")
        }
        found.append(Record(text["PMID"], text["ArticleTitle"], tuple(parts), int(text["Year"])))
    zinc = "Gentamicin did not kill kidney cells of newts that were kept without zinc."
    return (*found, Record(PREPRINT, "Newts without zinc", (("", zinc),), 2024, source="PPR"))


def filler(number: int) -> tuple[Record, ...]:
    """Invented records, each with a number of its own."""
    return tuple(
        Record(
            str(80000000 + n),
            f"Newts of pond {n}",
            (
                (
                    "",
                    f"We counted grey newts in pond {n}. Newts sang in {n % 7} of 9 nights in {1990 + n % 30}.",
                ),
            ),
            1990 + n % 30,
            language="ger" if n % 5 == 0 else "eng",
        )
        for n in range(1, number + 1)
    )
