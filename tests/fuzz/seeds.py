"""Files of every kind that ilpsum reads, all of invented content, to be damaged."""

import gzip
import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from experiments.parser.saving import save_parser
from features.concepts import COLUMNS as BIGRAM_COLUMNS
from ilpsum import resources
from ilpsum.cli import main
from ilpsum.compression.parser import SCHEMA, Parser, WordTable
from ilpsum.files import persistence
from ilpsum.files.idf import DocumentFrequencies
from ilpsum.learning import embeddings, log_linear, relevance
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.models import SystemModel
from ilpsum.learning.relevance import SvrParameters
from tests.ilpsum.answers.standin import Standin
from tests.ilpsum.literature.test_exports import FORMATS
from tests.ilpsum.literature.test_pdf import ARTICLE
from tests.ilpsum.literature.test_programs import FORMS

DEMO = resources.demo()

NEWTS = (
    (
        "12",
        "Newts of the tarn",
        "Grey newts (GN) sing in cold ponds. Toads hum. Song fell by 3.5% in 2004.",
    ),
    (
        "7",
        "Toads",
        "BACKGROUND: Toads hum in warm ponds [1, 2]. RESULTS: Newts never do (Moss et al., 2001).",
    ),
)
_DUC = """<topic> <num> D9901A </num> <title> Newts &amp; choirs </title>
<narr> Tell how newts came to sing. </narr> <docsA> <doc id = "ZZW20010203.0001"> </docsA> </topic>
<topic> <num> D9902B <title> Toads <narr> What do toads sing? </topic>
"""
_NEWS = """<DOC>
<DOCNO> ZZW20010203.0001 </DOCNO> <DATE_TIME> 2001-02-03 10:11:12 </DATE_TIME>
<BODY> <HEADLINE> Newts join the choir </HEADLINE>
<TEXT> <P> Newts joined the choir of Oakum &AMP; Sons
on Friday. </P> <P> ``They sing well,'' said the cantor. </P> </TEXT> </BODY> </DOC>
"""
_PAPER = """<PAPER>
<S sid="0">Counting reeds by sound</S>
<ABSTRACT><S sid ="1" ssid = "1">Reeds hum when the wind is over p &lt; 3.</S></ABSTRACT>
<SECTION title="Counting "by ear" &amp; eye. " number = "2"><S sid ="4" ssid = "1">A microphone hums.</S></SECTION>
</PAPER>
"""
_ANNOTATION = (
    "Citance Number: 1 | Reference Article:  R01.xml | Citing Article:  C01.xml | Citation Marker Offset:  ['1'] | "
    'Citation Marker:  Moss, 1999 | Citation Offset:  [\'1\'] | Citation Text:  <S sid ="1" ssid = "1">Reeds hum '
    'when the wind is over p &lt; 3.</S> | Reference Offset:  [\'4\'] | Reference Text:  <S sid ="4" ssid = "1">A '
    "microphone hums.</S> | Discourse Facet:  ['Method citation','Aim_Citation'] | Annotator:  Ada Moss, RCI |\n"
)
_MESH = """<?xml version="1.0"?>
<DescriptorRecordSet><DescriptorRecord DescriptorClass="1"><DescriptorUI>D900001</DescriptorUI>
<DescriptorName><String>Glimmer Fever</String></DescriptorName>
<TreeNumberList><TreeNumber>C91.100</TreeNumber></TreeNumberList>
<ConceptList><Concept><TermList><Term><String>Fever, Glimmer</String></Term></TermList></Concept></ConceptList>
</DescriptorRecord></DescriptorRecordSet>
"""


_REFERENCE = (
    "Newts and zinc.\n\nZinc kills newts in warm ponds. We asked which gene lets it in. "
    "Gene TELM1 does: without it, newts live. Toads were not tried."
)
_CITING = "Ponds.\n\nZinc enters newts by TELM1 [11]. Toads hum."


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    """Write files into a new folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def tac(folder: Path, name: str = "D9001_DEMO", end: str = "") -> Path:
    """Write a topic of TAC: a reference, a paper that cites it, two annotators who quote both, a gold summary.

    `end` is appended to both papers: topics of one document would be one group of folds.
    """
    cited, quoted = "Zinc enters newts by TELM1 [11].", "Gene TELM1 does: without it, newts live."
    at, source, marker = _CITING.index(cited), _REFERENCE.index(quoted), _CITING.index("11")
    fields = {
        "Topic ID": name,
        "Citance Number": 1,
        "Reference Article": "Ardel.txt",
        "Citing Article": "Moss.txt",
        "Citation Marker Offset": f"{marker}-{marker + 2}",
        "Citation Marker": 11,
        "Citation Offset": f"{at}-{at + len(cited)}",
        "Citation Text": cited,
        "Reference Offset": f"['{source}-{source + len(quoted)}']",
        "Reference Text": quoted,
        "Discourse Facet": "Results_Citation",
        "Annotator": "{}, |\n",
    }
    line = " | ".join(f"{field}: {value}" for field, value in fields.items())
    files = {f"Annotation/{name}.{who}.ann.txt": line.format(who) for who in "AB"}
    files |= {
        "Documents_Text/Ardel.txt": _REFERENCE + end,
        "Documents_Text/Moss.txt": _CITING + end,
    }
    write(folder / name, files | {f"Summary/{name}.A.summary.txt": "TELM1 lets zinc into newts."})
    return folder / name


def questions() -> dict[str, list[dict[str, object]]]:
    """Return the demo's questions for BioASQ, the first only and with two of its snippets."""
    first = json.loads((DEMO / "questions.json").read_text())["questions"][0]
    return {"questions": [first | {"snippets": first["snippets"][:2]}]}


@cache
def given() -> Path:
    """Return a folder with two topics of TAC and BioASQ's questions, which no input damages."""
    folder = Path(_kept().name)
    tac(folder)
    tac(folder, "D9002_DEMO", "Newts of another pond were not seen.\n")
    write(folder, {"questions.json": json.dumps(questions())})
    return folder


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()  # removed at the end of the process


def topics(folder: Path) -> None:
    """Write topics of every format, each in a folder of its own."""
    tac(folder / "tac")
    write(
        folder / "duc",
        {
            "topics.sgml": _DUC,
            "docs/D9901A/ZZW20010203.0001": _NEWS,
            "m/D9901.M.250.A.B": "A model.",
        },
    )
    paper = {
        "Reference_XML/R01.xml": _PAPER,
        "Citance_XML/C01.xml": _PAPER,
        "annotation/R01.ann.txt": _ANNOTATION,
    }
    write(folder / "scisumm", {f"R01/{name}": text for name, text in paper.items()})
    write(folder / "scisumm", {"R01/summary/R01.abstract.txt": "Reeds can be counted.\n"})
    write(folder / "files", {"biogen.json": (DEMO / "biogen.json").read_bytes()})
    write(folder / "files", {"questions.json": json.dumps(questions(), indent=1)})
    document = {
        "id": "1",
        "title": "Newts",
        "text": "Newts sing at dusk. Olms hum (see [3]).",
        "role": "snippet",
    }
    topic = {
        "id": "D1",
        "query": "Do newts sing?",
        "documents": [document],
        "summaries": ["Newts sing."],
    }
    write(
        folder / "files",
        {"topics.jsonl": json.dumps(topic) + "\n" + json.dumps(topic | {"id": "D2"}) + "\n"},
    )


def abstracts(folder: Path) -> None:
    """Write abstracts in every format."""
    lines = [{"pmid": p, "title": t, "abstract": a} for p, t, a in NEWTS]
    medline = "".join(
        f"PMID- {p}\nDP  - 2011 Mar\nTI  - {t}\nAB  - {a[:20]}\n      {a[20:]}\n\n"
        for p, t, a in NEWTS
    )
    ris = "".join(
        f"TY  - JOUR\nID  - {p}\nTI  - {t}\nAB  - {a}\nPY  - 2011/03\nER  - \n" for p, t, a in NEWTS
    )
    table = "PMID,Title,Abstract,Year\n" + "".join(f'{p},{t},"{a}",2011\n' for p, t, a in NEWTS)
    articles = {
        "articles": [
            {"pmid": p, "title": t, "abstractText": a, "year": "2011"} for p, t, a in NEWTS
        ]
    }
    files = {
        "a.jsonl": "".join(json.dumps(line) + "\n" for line in lines),
        "b.nbib": medline,
        "c.ris": ris,
    }
    files |= {
        "d.csv": table,
        "e.json": json.dumps(articles),
        "pmids.txt": "12\n7 # newts\n",
        "f.txt": NEWTS[0][2],
    }
    write(folder, {**files, "g.xml": (DEMO / "abstracts.xml").read_bytes()})


def exports(folder: Path) -> None:
    """Write exports of reference managers and of Europe PMC, and articles in JATS, TEI and PDF."""
    files: dict[str, str | bytes] = {"newts.pdf": ARTICLE}
    files |= {f"{form}.txt": content for form, content in FORMATS.items()}
    files |= {f"program-{form}.txt": content for form, content in FORMS.items()}
    write(folder, files)


def lists(folder: Path) -> None:
    """Write lists of identifiers, bare and as references."""
    references = "1. Newt A. Song. J Newts 2010;3:1.\n   doi: 10.1234/a. PMID: 7.\n2. Moss B. Tarns. PMCID: PMC123456.\n"
    write(
        folder,
        {
            "bare.txt": "12\nPMC123456\n10.1234/a # newts\narXiv:2101.00001v2\n",
            "pasted.txt": references,
        },
    )


def settings(folder: Path) -> None:
    """Write systems, queries and sweeps."""
    for kind in ("", "queries", "sweeps"):
        for path in sorted((resources.configs() / kind).glob("*.toml")):
            write(folder / (kind or "systems"), {path.name: path.read_bytes()})


def models(folder: Path) -> None:
    """Write models of every kind and vectors of every form."""
    for name in ("models", "vectors"):
        (folder / name).mkdir(parents=True)
    _systems(folder / "models")
    for name in ("task1-facets", "roles", "idf"):
        _shortened(resources.models() / f"{name}.npz", folder / "models" / f"{name}.npz")
    folder = folder / "vectors"
    words = ["newts", "sing", "olms"]
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4) / 7
    counts = DocumentFrequencies(9, {"newts": 3, "sing": 2})
    embeddings.save(folder / "vectors.npz", words, vectors, counts, {})
    rows = "".join(
        f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, vectors, strict=True)
    )
    binary = b"3 4\n" + b"".join(
        w.encode() + b" " + row.tobytes() + b"\n" for w, row in zip(words, vectors, strict=True)
    )
    # Packed, it is larger than what is looked at before a library unpacks it.
    rng = np.random.default_rng(1)
    many = b"1500 16\n" + b"".join(
        b"w%d %s\n" % (n, rng.random(16, np.float32).tobytes()) for n in range(1500)
    )
    write(folder, {"v.txt": f"3 4\n{rows}", "v.bin": binary, "many.bin.gz": gzip.compress(many)})


def _systems(folder: Path) -> None:
    """Write models of systems: an SVR of three features, and trees of two with concept weights."""
    draw = np.random.default_rng(1)
    rows = [draw.random((20, 3)) for _ in range(3)]
    targets = [each[:, 0] for each in rows]
    svr = relevance.fit(("a", "b", "c"), rows, targets, "training", SvrParameters(1.0, 0.5, 0.05))
    SystemModel(svr, lambda_=0.9).save(folder / "system-svr.npz")
    two = [each[:, :2] for each in rows]
    trees = relevance.fit(("a", "b"), two, targets, "training", TreeParameters(rounds=9, least=3))
    bigrams = [draw.random((20, len(BIGRAM_COLUMNS))) for _ in range(3)]
    weights = log_linear.fit_weights(bigrams, targets, 0.01)
    SystemModel(trees, weights).save(folder / "system-trees.npz")


def _shortened(shipped: Path, path: Path, most: int = 24) -> None:
    """Write a model that ships, with the first of its words only."""
    kind = shipped.stem.partition("-")[0]
    with np.load(shipped) as archive:
        protocol = json.loads(archive["description"].tobytes())["protocol"]
    stored = persistence.load(shipped, kind, protocol)
    tables = {
        name: persistence.unpack(a) for name, a in stored.arrays.items() if a.dtype == np.uint8
    }
    # Other axes are as long as a table of words, as all of them together, or stay.
    sizes = {len(words): most for words in tables.values()}
    sizes[sum(map(len, tables.values()))] = most * len(tables)
    arrays = {
        name: a[tuple(slice(sizes.get(n, n)) for n in a.shape)] for name, a in stored.arrays.items()
    }
    arrays |= {name: persistence.pack(words[:most]) for name, words in tables.items()}
    own = stored.description.keys() - {"format", "kind", "protocol", "digest", "versions"}
    persistence.save(path, kind, protocol, {name: stored.description[name] for name in own}, arrays)


def parsers(folder: Path) -> None:
    """Write a parser of a few weights."""
    words, labels, tags, draw = (
        ("newts", "sing"),
        ("", "NP", "VP"),
        ("NN", "VBP", "."),
        np.random.default_rng(1),
    )
    sizes = {
        "rows": 3,
        "word": 2,
        "buckets": 8,
        "spelling": 2,
        "input": 4,
        "hidden": 3,
        "labels": 3,
        "tags": 3,
    }
    sizes |= {
        f"{axis}{layer}": size
        for layer in "12"
        for axis, size in (("width", 2), ("gates", 8), ("both", 4))
    }
    shapes = {
        name: [sizes.get(axis) or int(axis) for axis in axes.split()[1:]]
        for name, axes in SCHEMA.items()
    }
    weights = {name: draw.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    folder.mkdir()
    save_parser(folder / "parser.npz", Parser(weights, WordTable(words, 8), labels, tags), {})


def tables(folder: Path) -> None:
    """Write a table of words with their IDF."""
    write(folder, {"idf.tsv": "newt\t3.5\npond\t1.25\n"})


def requests(folder: Path) -> None:
    """Write what clients of the reading room send: the question of an address, and requests with and without a body."""
    asked = "question=How+does+gentamicin+kill+kidney+cells%3F&words=40&lambda=0.3&since=2001&bar=90000001:79-167"
    write(folder, {"address.txt": asked})
    lines = "Host: localhost", "Content-Type: application/json", "Accept: */*"
    body = json.dumps(
        {"question": "Do newts sing in ponds?", "words": 40, "lambda": 0.5, "bar": ["12.txt:0-35"]}
    )
    post = "\r\n".join(
        ("POST /answer.json HTTP/1.1", *lines, f"Content-Length: {len(body)}", "", body)
    )
    get = "\r\n".join(("GET /?question=Do+newts+sing%3F HTTP/1.1", *lines, "Cookie: a=b", "", ""))
    write(folder / "raw", {"post.http": post, "get.http": get})


def names(folder: Path) -> None:
    """Write names of a text, a topic and a run."""
    write(folder, {f"{kind}.name": kind for kind in ("text", "topic", "run")})


def calls(folder: Path) -> None:
    """Write the arguments of calls of the API."""
    texts = ["Newts sing in May. Ponds freeze.", "Toads hum at noon."]
    topic = [{"@document": "Newts sing in ponds. Toads croak."}]
    asked = {"question": "When do newts sing?", "words": 20}
    given = {
        "select": {"question": "When do newts sing?", "texts": texts, "budget": 9, "lambda_": 0.5},
        "ask": {**asked, "sources": topic, "fill": True, "settings": {"coherence.overlap": 0.7}},
        "summarize": {"texts": topic, "words": 20, "retracted": False},
        "evaluate": {"run": {"t": "Newts sing."}, "gold": "@gold", "metrics": ["ROUGE-2"], "words": 9},
        "compare": {"runs": {"a": {"t": "Newts."}, "b": {"t": "Toads."}}, "gold": "@gold", "samples": 9, "seed": 1},
        "compress": {"texts": ["The newts of Norway, which sing: a randomised trial"], "variant": "b"},
        "summarizer": {"system": "concepts", "words": 9, "method": "lead"},
    }  # fmt: skip
    write(folder, {f"{name}.call": json.dumps(arguments) for name, arguments in given.items()})


def services(folder: Path) -> None:
    """Write what PubMed and Europe PMC answer: results of searches, records."""
    standin = Standin(20)
    fields = {
        "db": "pubmed",
        "term": "gentamicin",
        "query": "gentamicin",
        "cursorMark": "*",
        "pageSize": "9",
    }
    paths = {
        "esearch.json": "/eutils/esearch.fcgi",
        "efetch.xml": "/eutils/efetch.fcgi",
        "search.json": "/rest/search",
    }
    files = {
        name: standin.answer(path, fields | {"id": "90000001,12"})[2]
        for name, path in paths.items()
    }
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nServer: newts\r\n\r\n"
    write(folder, {**files, "esearch.answer": head + files["esearch.json"]})
    standin.server_close()


def trainings(folder: Path) -> None:
    """Write what models are trained on: a topic with gold and a system, and a text."""
    tac(folder / "topics")
    recipe = "C = [1.0]\ngamma = [0.1]\nepsilon = [0.1]"
    system = f'description = "small"\n[relevance]\nfeatures = "ilp-sum-1"\n[recipe]\n{recipe}\n'
    write(
        folder,
        {
            "small.toml": system,
            "text.txt": "Newts sing at dusk.\nNewts sing in ponds, toads hum.\n" * 9,
        },
    )


def runs(folder: Path) -> None:
    """Write runs of every format with their provenance, and a TAC run whose links are predicted."""
    topic, asked = str(given() / "D9001_DEMO"), str(given() / "questions.json")
    for form, source in (("tac", topic), ("jsonl", topic), ("bioasq", asked)):
        summarize = ["summarize", source, "--to", form, "--out", str(folder / form), "--quiet"]
        assert main([*summarize, "--system", "ilp-sum-1-tuned", "--words", "40"]) == 0
    response = {"text": "Newts sing.", "citations": ["12"]}
    metadata = {"team_id": "x", "run_name": "y", "topic_id": "1", "run_id": "y"}
    answers = {
        "results": [{"topic_id": "1", "answer": "Newts sing [12].", "references": ["12"]}],
        "team_id": "x",
        "run_name": "y",
    }
    lines = {"metadata": metadata, "responses": [response], "references": ["12"]}
    write(
        folder / "biogen",
        {"2024.json": json.dumps(answers), "2025.jsonl": json.dumps(lines) + "\n"},
    )
    link = (
        "link",
        topic,
        "--query",
        "citance",
        "--run-id",
        "NEWTS1",
        "--out",
        str(folder / "links.txt"),
    )
    assert main([*link, "--quiet"]) == 0


def sweep(folder: Path) -> None:
    """Write a finished sweep of lambda with an exact path, and its cache."""
    text = (
        'system = "ilp-sum-1-tuned"\n[parameters]\nlambda = "path"\nwords = [40]\n',
        'system = "ilp-sum-1-tuned"\nnested = 2\n[parameters]\nlambda = [0.2, 0.8]\nwords = [40]\n',
    )
    for name, content in zip(("path", "grid"), text, strict=True):
        write(folder, {f"{name}.toml": content})
        sweeping = [
            "sweep",
            str(folder / f"{name}.toml"),
            "--topics",
            str(given() / "D9001_DEMO"),
            str(given() / "D9002_DEMO"),
        ]
        assert main([*sweeping, "--out", str(folder / name), "--quiet"]) == 0


def thesauri(folder: Path) -> None:
    """Write a thesaurus as MeSH's XML and as a table."""
    table = "ui\tname\tentry_terms\ttree_numbers\ttypes\nD900001\tGlimmer Fever\tShine|Glow\tC91.1\tT047\n"
    write(folder, {"desc.xml": _MESH, "t.tsv": table})


def compressions(folder: Path) -> None:
    """Write texts to compress, with trees."""
    tree = "(S1 (S (NP (NNS Newts)) (VP (VBP sing) (PP (IN at) (NP (NN dusk)))) (. .)))"
    write(folder, {name: (DEMO / name).read_bytes() for name in ("titles.txt", "titles.tsv")})
    write(folder, {"trees.txt": f"{tree}\n", "texts.txt": "Newts sing at dusk .\n"})
