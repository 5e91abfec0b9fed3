"""Inputs of the golden cases: the demo's records in every format that is read, and samples of real data."""

import csv
import gzip
import json
import tarfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse
from xml.sax.saxutils import escape

# BioASQ: questions of these editions.
EDITIONS = ("2B1", "3B2", "5B1", "7B3", "9B2", "10B4", "11B1")
QUESTIONS_OF_EACH = 5
# Answers are searched for in the snippets of edition 9 and later, so these questions mostly have
# one.
ASKED = ("9B1", "9B4", "10B2", "11B3")
ASKED_OF_EACH = 6


@dataclass(frozen=True)
class Record:
    """An abstract of the demo."""

    pmid: str
    title: str
    year: str
    parts: tuple[tuple[str, str], ...]  # label (may be empty) and text

    @property
    def abstract(self) -> str:
        return " ".join(f"{label}: {text}" if label else text for label, text in self.parts)


def records(abstracts: Path) -> list[Record]:
    """Return the records of the demo's PubMed XML."""
    return [
        Record(
            article.findtext(".//PMID", ""),
            article.findtext(".//ArticleTitle", ""),
            article.findtext(".//Year", ""),
            tuple(
                (part.get("Label", ""), part.text or "") for part in article.iter("AbstractText")
            ),
        )
        for article in parse(abstracts).getroot().iter("PubmedArticle")
    ]


def nbib(kept: list[Record]) -> str:
    return "\n".join(
        f"PMID- {r.pmid}\nTI  - {r.title}\nAB  - {r.abstract}\nDP  - {r.year}\n" for r in kept
    )


def ris(kept: list[Record]) -> str:
    return "".join(
        f"TY  - JOUR\nAN  - {r.pmid}\nTI  - {r.title}\nAB  - {r.abstract}\nPY  - {r.year}\nER  - \n\n"
        for r in kept
    )


def csl(kept: list[Record]) -> str:
    return json.dumps([
        {"type": "article-journal", "PMID": r.pmid, "title": r.title, "abstract": r.abstract,
         "issued": {"date-parts": [[int(r.year)]]}}
        for r in kept
    ])  # fmt: skip


def europepmc(kept: list[Record]) -> str:
    found = [{"id": r.pmid, "source": "MED", "pmid": r.pmid, "title": r.title, "abstractText": r.abstract,
              "pubYear": r.year} for r in kept]  # fmt: skip
    return json.dumps({"resultList": {"result": found}})


def articles(kept: list[Record]) -> str:
    return json.dumps(
        {"articles": [{"pmid": r.pmid, "title": r.title, "abstractText": r.abstract} for r in kept]}
    )


def lines(kept: list[Record]) -> str:
    return "".join(
        json.dumps({"pmid": r.pmid, "title": r.title, "abstract": r.abstract, "year": r.year})
        + "\n"
        for r in kept
    )


def described(kept: list[Record]) -> str:
    """Return JSON lines with what filters look at; the second record is retracted."""
    kinds = (["Review"], ["Randomized Controlled Trial"], ["Journal Article", "Preprint"])
    rows = [
        {"pmid": r.pmid, "title": r.title, "abstract": r.abstract, "year": int(r.year), "types": kinds[number % 3],
         "mesh": ["Humans", "Zinc"] if number % 2 else ["Animals", "Rats"], "retracted": number == 1,
         "journal": "Journal of Newts", "authors": ["Orrin, A.", "Bask, B."], "doi": f"10.9999/newt.{r.pmid}"}
        for number, r in enumerate(kept)
    ]  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in rows)


def jats(kept: list[Record]) -> str:
    first, *others = kept
    sections = "".join(
        f"<sec><title>{escape(r.title)}</title><p>{escape(r.abstract)}</p></sec>" for r in others
    )
    return (
        f'<article><front><article-meta><article-id pub-id-type="pmid">{first.pmid}</article-id><title-group>'
        f"<article-title>{escape(first.title)}</article-title></title-group><pub-date><year>{first.year}</year></pub-date>"
        f"<abstract><p>{escape(first.abstract)}</p></abstract></article-meta></front><body>{sections}</body></article>"
    )


def tei(kept: list[Record]) -> str:
    first, *others = kept
    sections = "".join(
        f"<div><head>{escape(r.title)}</head><p>{escape(r.abstract)}</p></div>" for r in others
    )
    return (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>'
        f'<title level="a" type="main">{escape(first.title)}</title></titleStmt></fileDesc><profileDesc><abstract>'
        f"<p>{escape(first.abstract)}</p></abstract></profileDesc></teiHeader><text><body>{sections}</body></text></TEI>"
    )


def plain(kept: list[Record]) -> str:
    return "\n\n".join(f"{r.title}\n{r.abstract}" for r in kept)


def pdf(kept: list[Record]) -> str:
    """Return a PDF of one page that shows the title and abstract of the first record."""
    shown: list[str] = [kept[0].title, "", "Abstract"]
    for word in kept[0].abstract.split():
        if not shown[-1] or shown[-1] == "Abstract" or len(shown[-1]) > 70:
            shown.append(word)
        else:
            shown[-1] += f" {word}"
    drawn = " ".join(f"1 0 0 1 60 {780 - 14 * n} Tm ({line}) Tj" for n, line in enumerate(shown))
    stream = f"BT /F1 11 Tf {drawn} ET"
    text, places = "%PDF-1.4\n", []
    for number, content in enumerate((
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 3 0 R >> >> >>",
    ), 1):  # fmt: skip
        places.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    return f"{text}xref\n0 6\n0000000000 65535 f \n{table}{end}"


WRITERS: dict[str, Callable[[list[Record]], str]] = {
    "abstracts.nbib": nbib, "abstracts.ris": ris, "abstracts.csl.json": csl, "europepmc.json": europepmc,
    "articles.json": articles, "abstracts.jsonl": lines, "described.jsonl": described,
    "paper.jats.xml": jats, "paper.tei.xml": tei,
    "plain.txt": plain, "paper.pdf": pdf,
}  # fmt: skip


def write_forms(demo: Path, out: Path) -> None:
    """Write the demo's abstracts in every format, its topics as JSON lines, and a year of DUC."""
    kept = records(demo / "abstracts.xml")
    out.mkdir()
    for name, write in WRITERS.items():
        (out / name).write_text(write(kept), encoding="utf-8")
    with (out / "abstracts.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["PMID", "Title", "Abstract", "Year"])
        table.writerows((r.pmid, r.title, r.abstract, r.year) for r in kept)
    with gzip.open(out / "abstracts.xml.gz", "wb") as packed:
        packed.write((demo / "abstracts.xml").read_bytes())
    (out / "pmids.txt").write_text("".join(f"{r.pmid}\n" for r in kept[:6]), encoding="utf-8")
    documents = [{"id": r.pmid, "title": r.title, "text": r.abstract, "date": r.year} for r in kept]
    question = "How does gentamicin kill kidney tubule cells?"
    topics: list[dict[str, Any]] = [
        {"id": "asked", "query": question, "documents": documents, "summaries": [kept[1].abstract]},
        {"id": "single", "documents": documents[:1], "kind": "texts"},
        {
            "id": "several",
            "documents": documents,
            "kind": "texts",
            "summaries": [kept[0].abstract, kept[2].abstract],
        },
    ]
    (out / "topics.jsonl").write_text(
        "".join(json.dumps(topic) + "\n" for topic in topics), encoding="utf-8"
    )
    _write_duc(kept, question, out / "duc")


def _write_duc(kept: list[Record], question: str, duc: Path) -> None:
    (duc / "docs" / "D9901A").mkdir(parents=True)
    (duc / "models").mkdir()
    (duc / "duc_topics.sgml").write_text(
        f"<topic>\n<num> D9901A </num>\n<title> Gentamicin </title>\n<narr>\n{question}\n</narr>\n</topic>\n"
    )
    for number, r in enumerate(kept[:6]):
        name, text = f"ZZW2001020{number}.0001", " ".join(text for _, text in r.parts)
        (duc / "docs" / "D9901A" / name).write_text(
            f"<DOC>\n<DOCNO> {name} </DOCNO>\n<BODY>\n<HEADLINE> {escape(r.title)} </HEADLINE>\n"
            f"<TEXT>\n<P>\n{escape(text)}\n</P>\n</TEXT>\n</BODY>\n</DOC>\n"
        )
    for letter, r in zip("AB", kept[:2], strict=True):
        (duc / "models" / f"D9901.M.250.A.{letter}").write_text(r.abstract)


def _questions(data: Path, batches: Iterable[str], number: int) -> list[dict[str, Any]]:
    kept = []
    for batch in batches:
        questions = json.loads(
            gzip.decompress((data / "bioasq" / f"{batch}_golden.json.gz").read_bytes())
        )["questions"]
        kept += sorted(questions, key=lambda question: str(question["id"]))[:number]
    return kept


def write_samples(data: Path, out: Path) -> None:
    """Write samples of the real data: BioASQ questions, BioGen topics, a pile of abstracts, GENIA titles, texts."""
    out.mkdir()

    def put(name: str, content: Any) -> None:
        (out / name).write_text(
            content if isinstance(content, str) else json.dumps(content), encoding="utf-8"
        )

    put("questions.json", {"questions": _questions(data, EDITIONS, QUESTIONS_OF_EACH)})
    put("few.json", {"questions": _questions(data, EDITIONS[1:3], 5)})
    complete = {
        line.split("\t")[2]
        for line in (data / "bioasq/questions_with_all_abstracts.tsv").read_text().split("\n")[:-1]
    }
    whole = [q for q in _questions(data, ("2B1", "3B2", "5B1", "7B3"), 1000) if q["id"] in complete]
    put("whole.json", {"questions": whole[:12]})
    asked = [question["body"] for question in _questions(data, ASKED, ASKED_OF_EACH)]
    off_topic = (data / "answers/off-topic.txt").read_text(encoding="utf-8").split("\n")[:4]
    put("asked.txt", "\n".join(asked + off_topic))
    for year, name in (
        ("2024", "2024_BioGen2024topics-json.txt"),
        ("2025", "2025_taskB_topics.json"),
    ):
        topics = json.loads((data / "biogen" / name).read_text(encoding="utf-8"))
        put(
            f"biogen-{year}.json",
            {"topics": topics["topics"][:12]} if isinstance(topics, dict) else topics[:12],
        )
    with gzip.open(data / "answers/pile.jsonl.gz", "rt", encoding="utf-8") as pile:
        put("pile.jsonl", "".join(islice(pile, 0, None, 2)))
    with tarfile.open(data / "scisummnet.tar.gz", "r|gz") as packed:
        for member in islice(packed, 19):  # two topics
            packed.extract(member, out, filter="data")
    titles, texts = [], []
    with tarfile.open(data / "genia/GENIA_treebank_v1.tar.gz") as genia:
        for member in islice((m for m in genia if m.name.endswith(".xml")), 150):
            content = genia.extractfile(member)
            assert content is not None
            root = parse(content).getroot()
            titles += [
                "".join(s.itertext()).strip() for s in root.iterfind(".//ArticleTitle//sentence")
            ]
    put("titles.txt", "\n".join(title.replace("\n", " ") for title in titles if title) + "\n")
    examples = (data / "compression/examples.tsv").read_text(encoding="utf-8").split("\n")[1:]
    put("examples.txt", "\n".join(line.split("\t")[2] for line in examples if line) + "\n")
    with gzip.open(data / "pubmed-text/other_abstracts.jsonl.gz", "rt", encoding="utf-8") as others:
        texts = list(islice(others, 400))
    put("texts.jsonl", "".join(texts))
