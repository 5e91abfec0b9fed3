"""Files damaged in any way give topics, broken topics or an `InputError`, never another error."""

import gzip
import json
import random
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.errors import InputError
from ilpsum.formats import abstracts, bioasq, biogen, duc, jsonl, pubmed
from ilpsum.formats import text as plain

URL = "http://www.ncbi.nlm.nih.gov/pubmed/"
SNIPPET = {"document": URL + "7", "text": "RESULTS\nNewts sing.", "beginSection": "abstract", "offsetInBeginSection": 3}
QUESTION = {
    "id": "q",
    "body": "Do newts?",
    "documents": [URL + "7"],
    "snippets": [SNIPPET],
    "ideal_answer": ["They do."],
}
ARTICLE = (
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article>"
    "<ArticleTitle>On <i>newts</i>.</ArticleTitle>"
    '<Abstract><AbstractText Label="METHODS">We &amp; they sang.</AbstractText></Abstract></Article></MedlineCitation>'
    "</PubmedArticle></PubmedArticleSet>"
)
TOPICS = "<topic> <num> D9901A </num> <title> Newts </title> <docs> ZZ1 </docs> <docs> ZZ2 </docs> <narr> Why? </topic>"
STORY = (
    "<DOC><DOCNO> ZZ1 </DOCNO><BODY><HEADLINE> H <TEXT><P> Newts &UR; sang &amp; hummed.\n"
    "   So. </P></TEXT></BODY></DOC>"
)


def read_abstracts(path):
    return bioasq.read(path.with_name("sound.json"), pool="abstracts", documents=[path])


def read_folder(path):
    folder = path.with_name("year")
    (folder / "D9901A").mkdir(parents=True, exist_ok=True)
    (folder / "topics.sgml").write_text(TOPICS)
    (folder / "D9901A" / "ZZ1").write_bytes(path.read_bytes())
    (folder / "D9901A" / "ZZ2").write_text(STORY.replace("ZZ1", "ZZ2"))
    return duc.read(folder)


FORMS = {
    "bioasq": (json.dumps({"questions": [QUESTION, {**QUESTION, "id": "r"}]}), "x.json", bioasq.read),
    "merged": (json.dumps({"questions": [QUESTION]}), "x.json", lambda path: bioasq.read(path, pool="merged")),
    "abstracts": (json.dumps({"pmid": "7", "title": "T", "abstract": "A"}) + "\n", "x.jsonl", read_abstracts),
    "biogen": (json.dumps({"topics": [{"id": 1, "question": "?", "narrative": "n", "topic": "t"}]}), "x", biogen.read),
    "jsonl": (json.dumps({"id": "a", "documents": [{"id": "d", "text": "t"}]}) + "\n" * 2, "x.jsonl", jsonl.read),
    "xml": (ARTICLE, "x.xml", pubmed.documents),
    "medline": (
        "PMID- 7\nDP  - 2015 Mar\nTI  - Newts\n      sing.\nAB  - They do.\n\nPMID- 8\n",
        "x.txt",
        pubmed.documents,
    ),
    "ris": ("TY  - JOUR\nTI  - Newts\nAB  - They do\nso.\nPY  - 2015\nAN  - 7\nER  - \n" * 2, "x", abstracts.documents),
    "csv": ('Title,Abstract,Year,PMID\n"Newts, all","They\ndo.",2015,7\nT,A,1,8\n', "x", abstracts.documents),
    "topics": (TOPICS, "topics.sgml", duc.read),
    "story": (STORY, "story", read_folder),
    "text": ("Newts sing\nin rain.\n\nToads hum.", "x.txt", lambda path: plain.documents([path], [])),
}


def damaged(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place, other = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
        act = rng.randrange(5)
        if act == 0:
            del data[place : place + rng.randint(1, 9)]
        elif act == 1:
            data[place:place] = data[min(place, other) : max(place, other)]
        elif act == 2:
            data[place:place] = rng.choice(
                [b"\x00", b"\xff", b'"', b"{", b"[", b"<", b">", b"&x;", b"\\ud800", b"null", b"]]>"]
            )
        elif act == 3 and place < len(data):
            data[place] = rng.randrange(256)
        else:
            del data[place:]
    return bytes(data)


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_any_damage_is_told(tmp_path_factory, form, seed):
    rng = random.Random(seed)
    content, name, read = FORMS[form]
    folder = tmp_path_factory.getbasetemp() / form
    folder.mkdir(exist_ok=True)
    (folder / "sound.json").write_text(json.dumps({"questions": [QUESTION]}))
    path = folder / name
    data = damaged(rng, content.encode())
    if rng.random() < 0.2:
        data = damaged(rng, gzip.compress(data)) if rng.random() < 0.5 else gzip.compress(data)
    path.write_bytes(data)
    told = []
    try:
        for topic in read(path):
            if isinstance(topic, InputError):
                told.append(str(topic))
            else:
                # Whatever was read can be written.
                json.dumps(asdict(topic), ensure_ascii=False, default=str).encode("utf-8")
    except InputError as error:
        told.append(str(error))
    assert all("\n" not in line and str(folder) in line for line in told)


@pytest.mark.parametrize("form", FORMS)
def test_the_sound_files_are_read(tmp_path, form):
    content, name, read = FORMS[form]
    (tmp_path / "sound.json").write_text(json.dumps({"questions": [QUESTION]}))
    (tmp_path / name).write_text(content)
    assert not any(isinstance(topic, InputError) or hasattr(topic, "error") for topic in read(tmp_path / name))
