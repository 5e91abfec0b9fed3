"""What the fields of a publication cost the index of abstracts: its size, and the time to build and to search it.

    python experiments/benchmarks/publication_fields.py FOLDER --before CHECKOUT [--data ../shared/data] [--rounds 3]

The abstracts of BioASQ and of the checks of evidence are written as PubMed's XML, bare and with fields of usual
lengths (six authors, journal, volume, DOI, PMCID, language, two publication types, ten headings). An older checkout,
which reads no fields, and this one index both and search them for questions of BioASQ, in turns, each in its own
process. Printed are bytes on disk and the median seconds of processor time.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

FILES = ("bioasq/abstracts.jsonl.gz", "evidence/abstracts-more.jsonl.gz")
QUESTIONS, SEED = 200, 1
STEP = """
import json, sys, time
from pathlib import Path
from ilpsum.answers.searching import AbstractSearch
file, folder, questions = sys.argv[1], Path(sys.argv[2]), json.load(open(sys.argv[3]))
begun = time.process_time()
search = AbstractSearch([file], folder)
built = time.process_time() - begun
search(questions[0], 20)
begun = time.process_time()
found = sum(len(search(question, 20).documents) for question in questions)
searched = time.process_time() - begun
print(json.dumps([built, searched, found, sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())]))
"""


def article(pmid: str, title: str, abstract: str, draw: random.Random, pool: list[str], *, fields: bool) -> str:
    """Return an abstract as PubMed's XML; words of real titles make names and headings."""

    def words(number: int) -> str:
        return escape(" ".join(draw.choices(pool, k=number)))

    text = f"<ArticleTitle>{escape(title)}</ArticleTitle><Abstract><AbstractText>{escape(abstract)}</AbstractText>"
    text += "</Abstract>"
    journal = authors = types = mesh = ids = ""
    if fields:
        names = (f"<LastName>{words(1)}</LastName><ForeName>{words(1)} A</ForeName>" for _ in range(6))
        authors = f"<AuthorList>{''.join(f'<Author>{name}</Author>' for name in names)}</AuthorList>"
        authors += "<Language>eng</Language>"
        journal = (
            f"<Journal><JournalIssue><Volume>{pmid[:2]}</Volume><PubDate><Year>2014</Year></PubDate></JournalIssue>"
        )
        journal += f"<ISOAbbreviation>{words(3)}</ISOAbbreviation></Journal>"
        authors += "<PublicationTypeList><PublicationType>Journal Article</PublicationType>"
        types = "<PublicationType>Review</PublicationType></PublicationTypeList>"
        headings = (f"<DescriptorName>{words(2)}</DescriptorName>" for _ in range(10))
        mesh = f"<MeshHeadingList>{''.join(f'<MeshHeading>{h}</MeshHeading>' for h in headings)}</MeshHeadingList>"
        ids = f'<PubmedData><ArticleIdList><ArticleId IdType="doi">10.1234/{words(1)}.{pmid}</ArticleId>'
        ids += f'<ArticleId IdType="pmc">PMC{pmid}</ArticleId></ArticleIdList></PubmedData>'
    body = f"<PMID>{pmid}</PMID><Article>{journal}{text}{authors}{types}</Article>{mesh}"
    return f"<PubmedArticle><MedlineCitation>{body}</MedlineCitation>{ids}</PubmedArticle>\n"


def write(path: Path, data: Path, *, fields: bool) -> None:
    """Write the abstracts as PubMed's XML."""
    draw = random.Random(SEED)
    lines = (line for name in FILES for line in gzip.decompress((data / name).read_bytes()).splitlines())
    records = [json.loads(line) for line in lines]
    pool = [word for record in records for word in record["title"].split()]
    with path.open("w", encoding="utf-8") as stream:
        stream.write("<PubmedArticleSet>\n")
        for each in records:
            stream.write(article(each["pmid"], each["title"], each["abstract"], draw, pool, fields=fields))
        stream.write("</PubmedArticleSet>\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", type=Path, required=True, help="the older checkout")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(options.data / "bioasq/3B1_golden.json.gz", "rt", encoding="utf-8") as stream:
        asked = [question["body"] for question in json.load(stream)["questions"]][:QUESTIONS]
    (folder / "questions.json").write_text(json.dumps(asked))
    for fields in (False, True):
        write(folder / f"{fields}.xml", options.data, fields=fields)
    trees = {"before": options.before.resolve(), "now": Path(__file__).parents[2]}
    rows: dict[tuple[str, bool], list[list[float]]] = {}
    for number in range(options.rounds):
        for name, tree in trees.items():
            for fields in (False, True):
                index = folder / f"index-{name}-{fields}-{number}"
                command = [
                    sys.executable,
                    "-c",
                    STEP,
                    str(folder / f"{fields}.xml"),
                    str(index),
                    str(folder / "questions.json"),
                ]
                environment = {**os.environ, "PYTHONPATH": str(tree), "XDG_CACHE_HOME": str(folder / "cache")}
                answer = subprocess.check_output(command, env=environment, cwd=folder, text=True)
                rows.setdefault((name, fields), []).append(json.loads(answer))
                shutil.rmtree(index)
    print(f"{len(asked)} questions, {options.rounds} rounds\n| version | XML | build (s) | search (s) | hits | bytes |")
    for (name, fields), found in rows.items():
        built, searched, hits, size = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"| {name} | {'fields' if fields else 'bare'} | {built:.2f} | {searched:.2f} | {hits:.0f} | {size:.0f} |")


if __name__ == "__main__":
    main()
