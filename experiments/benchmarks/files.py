"""Time of reading large files of PubMed XML and RIS, of two checkouts side by side.

    python -m experiments.benchmarks.files --before CHECKOUT [--megabytes 100] [--pairs 5]

Files are made of the demo's abstracts. Each pair reads a file with both checkouts, one after the
other, in processes of their own; the ratio is of processor times, after by before.
"""

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

from ilpsum.literature import intake
from ilpsum.records import Document
from ilpsum.resources import demo

_HERE = Path(__file__).resolve().parents[2]
_READ = """
import sys, time
from pathlib import Path
try:
    from ilpsum.literature.intake import documents
except ImportError:
    from ilpsum.literature.abstracts import documents
began = time.process_time()
count = sum(1 for _ in documents(Path(sys.argv[1])))
print(time.process_time() - began, count)
"""


def made(folder: Path, megabytes: int) -> dict[str, Path]:
    """Write a file of each format, of about this size, and return them by format.

    An abstract is as long as PubMed's are, some 1,500 characters, and in XML a record has the
    headings, dates and references that PubMed's have.
    """
    abstracts = list(intake.documents(demo() / "abstracts.xml"))
    texts = [document.text.partition("\n")[2].replace("\n", " ") for document in abstracts]
    files = {"PubMed XML": folder / "a.xml", "RIS": folder / "a.ris"}
    most = megabytes * 10**6
    with files["PubMed XML"].open("w") as xml, files["RIS"].open("w") as ris:
        xml.write("<PubmedArticleSet>\n")
        for number, document in enumerate(itertools.cycle(abstracts), 1):
            text = " ".join(texts[(number + more) % len(texts)] for more in range(4))
            if xml.tell() < most:
                xml.write(_xml_record(number, document, text))
            if ris.tell() < most:
                ris.write(_ris_record(number, document, text))
            if xml.tell() >= most and ris.tell() >= most:
                break
        xml.write("</PubmedArticleSet>\n")
    return files


def _xml_record(number: int, document: Document, text: str) -> str:
    authors = "".join(
        f"<Author><LastName>{escape(person.family)}</LastName>"
        f"<ForeName>{escape(person.given)}</ForeName></Author>"
        for person in document.publication.authors
    )
    dates = "".join(
        f'<PubMedPubDate PubStatus="{status}"><Year>2015</Year><Month>3</Month><Day>9</Day>'
        "</PubMedPubDate>\n"
        for status in ("received", "accepted", "entrez", "pubmed", "medline")
    )
    headings = "".join(
        f'<MeshHeading><DescriptorName UI="D{ui:06}" MajorTopicYN="N">Heading {ui}'
        "</DescriptorName></MeshHeading>\n"
        for ui in range(12)
    )
    references = "".join(
        f"<Reference><Citation>Journal of Newts. 2009;{volume}:1-9</Citation><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{volume}</ArticleId></ArticleIdList></Reference>\n'
        for volume in range(1, 21)
    )
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{number}</PMID><Article><Journal>"
        "<JournalIssue><Volume>3</Volume><PubDate><Year>2015</Year></PubDate></JournalIssue>"
        f"</Journal><ArticleTitle>{escape(document.title)}</ArticleTitle>"
        f"<Abstract><AbstractText>{escape(text)}</AbstractText></Abstract>"
        f"<AuthorList>{authors}</AuthorList></Article><MeshHeadingList>\n{headings}"
        f"</MeshHeadingList></MedlineCitation><PubmedData><History>{dates}</History>"
        f"<ReferenceList>{references}</ReferenceList></PubmedData></PubmedArticle>\n"
    )


def _ris_record(number: int, document: Document, text: str) -> str:
    people = document.publication.authors
    names = "".join(f"AU  - {person.family}, {person.given}\n" for person in people)
    keywords = "".join(f"KW  - Heading {heading}\n" for heading in range(8))
    return (
        f"TY  - JOUR\nTI  - {document.title}\n{names}AB  - {text}\nPY  - 2015\n{keywords}"
        f"AN  - {number}\nDB  - PubMed\nER  - \n\n"
    )


def seconds(checkout: Path, file: Path) -> tuple[float, int]:
    """Return the processor time in which a checkout reads a file, and the number of records."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _READ, str(file)]
    done = subprocess.run(  # our own program
        command, env=environment, cwd=checkout, capture_output=True, text=True, check=True
    )
    time, count = done.stdout.split()
    return float(time), int(count)


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="checkout to compare with")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for form, file in made(Path(folder), options.megabytes).items():
            ratios = list[float]()
            for _ in range(options.pairs):
                before, known = seconds(options.before.resolve(), file)
                after, count = seconds(_HERE, file)
                if count != known:
                    raise SystemExit(f"{form}: {known} records before, {count} after")
                ratios.append(after / before)
            shown = " ".join(f"{ratio:.2f}" for ratio in sorted(ratios))
            print(f"{form}: {statistics.median(ratios):.2f} ({shown})", flush=True)


if __name__ == "__main__":
    main()
