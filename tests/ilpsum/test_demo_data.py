"""The demo input that ships: shape, offsets and deliberate irregularities of the topics; questions
and abstracts.

The topics are read here by a few lines of our own, so that an error in the reader cannot hide an
error in the data.
"""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from ilpsum.cli import main
from ilpsum.errors import InputError
from ilpsum.literature import intake
from ilpsum.metrics.rouge import rouge
from ilpsum.records import Topic
from ilpsum.resources import demo
from ilpsum.tasks import guess, read_topics

TOPICS = ("D9001_DEMO", "D9002_DEMO", "D9003_DEMO")
FACETS = {
    f"{facet}_Citation"
    for facet in ("Hypothesis", "Method", "Results", "Implication", "Discussion")
}
FIELDS = (
    "topic id,citance number,reference article,citing article,citation marker offset,citation marker,citation offset,"
    "citation text,reference offset,reference text,discourse facet,annotator"
).split(",")
BOM = b"\xef\xbb\xbf"


def text_of(path: Path) -> str:
    """A document as offsets count it: byte order mark kept, carriage returns removed."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252")
    return text.replace("\r", "")


def summary_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig").replace("\r", "\n")


def fold(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def pairs(value: str) -> list[tuple[int, int]]:
    return [(int(start), int(end)) for start, end in re.findall(r"(\d+)-(\d+)", value)]


def records_of(topic: str) -> list[dict[str, str]]:
    """The annotation lines of a topic, each as its fields; every line has all twelve, in order."""
    records = []
    for path in sorted((demo() / topic / "Annotation").iterdir()):
        for line in path.read_bytes().decode("utf-8").splitlines():
            if line.strip():
                assert line.endswith(" |")
                fields = [part.partition(":") for part in line[:-2].split(" | ")]
                assert tuple(key.strip().lower() for key, _, _ in fields) == tuple(FIELDS)
                record = {key.strip().lower(): value.strip() for key, _, value in fields}
                assert path.name == f"{topic}.{record['annotator'].rstrip(',')}.ann.txt"
                records.append(record)
    assert records
    return records


def by_citance(topic: str) -> dict[int, list[dict[str, str]]]:
    grouped = defaultdict(list)
    for record in records_of(topic):
        grouped[int(record["citance number"])].append(record)
    return grouped


def test_folders():
    assert tuple(sorted(path.name for path in demo().iterdir() if path.is_dir())) == TOPICS
    assert sum(path.stat().st_size for path in demo().rglob("*") if path.is_file()) < 600_000
    assert "invented" in (demo() / "README.md").read_text("utf-8")


@pytest.mark.parametrize("topic", TOPICS)
def test_documents(topic):
    records = records_of(topic)
    (reference,) = {record["reference article"] for record in records}
    citing = {record["citing article"] for record in records}
    assert {path.name for path in (demo() / topic / "Documents_Text").iterdir()} == {
        reference
    } | citing
    assert 4 <= len(citing) <= 6
    text = text_of(demo() / topic / "Documents_Text" / reference)
    heads = re.findall(
        r"^\ufeff?(Summary|Abstract|Introduction|Main Text|References)\s*$", text, re.M
    )
    assert heads[0] in ("Summary", "Abstract")
    assert heads[-1] == "References"
    body = text[: text.rindex("\nReferences")]
    paragraphs = "\n".join(line for line in body.split("\n") if len(line) > 200)
    assert 100 <= len(re.findall(r"[.?!](?=\s+[A-Z(\[]|\n|$)", paragraphs)) <= 170
    assert len(re.findall(r"^(?:Figure|Fig\.) \d", text, re.M)) >= 2
    assert "\t" in text


@pytest.mark.parametrize("topic", TOPICS)
def test_offsets_agree_with_the_quoted_texts(topic):
    records = records_of(topic)
    for record in records:
        citing = text_of(demo() / topic / "Documents_Text" / record["citing article"])
        reference = text_of(demo() / topic / "Documents_Text" / record["reference article"])
        ((start, end),) = pairs(record["citation offset"])
        assert fold(citing[start:end]) == fold(record["citation text"]) != ""
        ((left, right),) = pairs(record["citation marker offset"])
        assert citing[left:right] == record["citation marker"]
        # An annotator who marked less than the whole sentence may have left out the closing bracket
        # of the marker.
        assert start <= left < right <= end + 1
        spans = pairs(record["reference offset"])
        assert 1 <= len(spans) <= 3
        assert re.fullmatch(r"\[('\d+-\d+'(, )?)+\]", record["reference offset"])
        quoted = Counter(fold(part) for part in record["reference text"].split(" ... "))
        assert quoted == Counter(fold(reference[a:b]) for a, b in spans)
        for a, b in spans:
            assert not reference[a:b].startswith((" ", "\n"))
            assert "\n" not in reference[a:b]
            assert 1 <= len(re.findall(r"[.?!](?=\s+[A-Z]|$)", reference[a:b])) <= 5


@pytest.mark.parametrize("topic", TOPICS)
def test_annotators(topic):
    citances = by_citance(topic)
    assert sorted(citances) == list(range(1, len(citances) + 1))
    assert 8 <= len(citances) <= 12
    spans_differ = facets_differ = 0
    for records in citances.values():
        assert [record["annotator"].rstrip(",") for record in records] == ["A", "B", "C", "D"]
        assert len({record["citing article"] for record in records}) == 1
        citations = [pairs(record["citation offset"])[0] for record in records]
        assert max(start for start, _ in citations) < min(end for _, end in citations)
        assert {record["discourse facet"] for record in records} <= FACETS
        marked = [
            {i for a, b in pairs(record["reference offset"]) for i in range(a, b)}
            for record in records
        ]
        assert any(marked[i] & marked[j] for i in range(4) for j in range(i))
        spans_differ += len({record["reference offset"] for record in records}) > 1
        facets_differ += len({record["discourse facet"] for record in records}) > 1
    assert spans_differ == len(citances)
    assert 0 < facets_differ < len(citances)


@pytest.mark.parametrize("topic", TOPICS)
def test_summaries(topic):
    paths = sorted((demo() / topic / "Summary").iterdir())
    assert [path.name.lower() for path in paths] == [
        f"{topic}.{who}.summary.txt".lower() for who in "ABCD"
    ]
    for path in paths:
        assert 180 <= len(summary_of(path).split()) <= 260
        assert b"\n" not in path.read_bytes()
    document = " ".join(text_of(path) for path in (demo() / topic / "Documents_Text").iterdir())
    for path in paths:
        for sentence in re.split(r"(?<=[.?!])\s+", summary_of(path)):
            assert len(sentence.split()) < 9 or fold(sentence) not in fold(document), sentence


def test_irregularities():
    documents = [path.read_bytes() for path in sorted(demo().glob("*/Documents_Text/*"))]
    kinds = {(raw.startswith(BOM), b"\r\n" in raw) for raw in documents}
    assert kinds == {(False, False), (True, True), (True, False), (False, True)}
    assert sum(b"\x96" in raw and not raw.isascii() and not is_utf8(raw) for raw in documents) == 1
    annotations = [path.read_bytes() for path in sorted(demo().glob("*/Annotation/*"))]
    assert sum(b"\r\n" in raw for raw in annotations) == 1
    assert sum(raw.count(b"Reference offset:") for raw in annotations) >= 2
    assert sum(bool(re.search(rb"Annotator: +[A-D], \|", raw)) for raw in annotations) == len(
        TOPICS
    )
    assert sum(b":  " in raw for raw in annotations) > len(annotations) / 2
    summaries = [path.read_bytes() for path in sorted(demo().glob("*/Summary/*"))]
    assert 0 < sum(not raw.startswith(BOM) for raw in summaries) < len(summaries) / 2
    assert sum(b"\r" in raw for raw in summaries) == len(summaries)
    assert sum(path.name.endswith(".Summary.txt") for path in demo().glob("*/Summary/*")) == 1


def is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize(("topic", "citances"), list(zip(TOPICS, (11, 11, 12), strict=True)))
def test_the_reader_finds_the_same(topic, citances):
    (found,) = read_topics([demo() / topic], "tac")
    assert isinstance(found, Topic)
    assert found.reference is not None
    assert [citance.number for citance in found.citances] == list(range(1, citances + 1))
    records = by_citance(topic)
    for citance in found.citances:
        assert citance.document == records[citance.number][0]["citing article"]
        spans = [pairs(record["citation offset"])[0] for record in records[citance.number]]
        assert (citance.start, citance.end) == (min(a for a, _ in spans), max(b for _, b in spans))
        for annotation, record in zip(citance.annotations, records[citance.number], strict=True):
            assert [(span.start, span.end) for span in annotation.spans] == pairs(
                record["reference offset"]
            )
            assert [f"{facet.title()}_Citation" for facet in annotation.facets] == [
                record["discourse facet"]
            ]
    assert [len(text.split()) for text in found.summaries] == [
        len(summary_of(path).split()) for path in sorted((demo() / topic / "Summary").iterdir())
    ]
    assert [warning for warning in found.warnings if "cp1252" not in warning] == []
    assert len(found.warnings) == (topic == "D9003_DEMO")


@pytest.mark.parametrize("topic", TOPICS)
def test_summaries_score_as_those_of_real_topics_do(topic):
    """Real topics: the lead .06-.26, a human summary against the others .09-.27 (near-copies apart)."""
    (found,) = read_topics([demo() / topic], "tac")
    assert isinstance(found, Topic)
    assert found.reference is not None
    lead = re.split(r"^(?:Summary|Abstract)$", found.reference.text, maxsplit=1, flags=re.M)[1]
    assert 0.15 <= recall(lead, found.summaries) <= 0.25
    for i, summary in enumerate(found.summaries):
        assert 0.1 <= recall(summary, found.summaries[:i] + found.summaries[i + 1 :]) <= 0.25


def recall(candidate: str, references: tuple[str, ...]) -> float:
    return rouge(candidate, references, ("ROUGE-2",), stem=True, words=250)["ROUGE-2"].recall


def test_questions_quote_the_abstracts_at_their_offsets():
    abstracts = {
        d.id: d for d in intake.documents(demo() / "abstracts.xml") if not isinstance(d, InputError)
    }
    assert {int(pmid) // 1000 for pmid in abstracts} == {90000}
    questions = json.loads((demo() / "questions.json").read_text("utf-8"))["questions"]
    for question in questions:
        assert question["ideal_answer"]
        for snippet in question["snippets"]:
            document = abstracts[snippet["document"].rpartition("/")[2]]
            abstract = document.text.partition("\n")[2].replace("\n", " ")
            assert (
                abstract[snippet["offsetInBeginSection"] : snippet["offsetInEndSection"]]
                == snippet["text"]
            )
    assert [len(q["snippets"]) for q in questions] == [4, 4, 2]


def test_every_demo_file_is_read():
    for name, form, count in (("questions.json", "bioasq", 3), ("biogen.json", "biogen", 2)):
        topics = list(read_topics([demo() / name]))
        assert guess(demo() / name) == form
        assert len(topics) == count
        assert all(isinstance(topic, Topic) and topic.query for topic in topics)
    assert len((demo() / "titles.txt").read_text("utf-8").splitlines()) == 4


def test_the_demo_replaces_no_input(tmp_path, capsys):
    (tmp_path / "titles.txt").write_text("mine\n")
    assert main(["demo", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    assert (tmp_path / "titles.txt").read_text() == "mine\n"
    assert sorted(path.name for path in (tmp_path / "topics").iterdir()) == list(TOPICS)
    assert (tmp_path / "abstracts.xml").read_bytes() == (demo() / "abstracts.xml").read_bytes()


def test_the_sample_in_json_lines_has_gold_for_every_question():
    topics = list(read_topics([demo() / "sample.jsonl"]))
    assert guess(demo() / "sample.jsonl") == "jsonl"
    assert len(topics) == 6
    for topic in topics:
        assert isinstance(topic, Topic)
        assert topic.query.endswith("?")
        assert len(topic.documents) == 3
        (gold,) = topic.summaries
        # The documents answer the question: a summary of them can score.
        texts = "\n".join(document.text for document in topic.documents)
        assert rouge(texts, [gold], ["ROUGE-1"])["ROUGE-1"].recall > 0.5
