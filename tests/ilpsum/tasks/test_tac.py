"""TAC 2014 topics: the real ones by counts and chosen records, and invented ones by every form they come in."""

import re
import shutil
import tarfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.errors import InputError, UsageError
from ilpsum.records import BrokenTopic, Topic
from ilpsum.tasks import ReaderOptions, guess, read_topics
from ilpsum.tasks.annotation import letters_and_digits, parse_line
from ilpsum.tasks.registry import FORMATS


def whole(*inputs: Path, form: str | None = None) -> list[Topic]:
    topics = list(read_topics(inputs, form))
    assert not [str(t.error) for t in topics if isinstance(t, BrokenTopic)]
    return [t for t in topics if isinstance(t, Topic)]


@pytest.fixture(scope="session")
def real(real_data: Path) -> list[Topic]:
    return whole(real_data / "tac2014")


def test_real_topics_by_counts(real):
    assert [t.id for t in real] == [f"D14{n:02}_TRAIN" for n in range(1, 15)]
    assert sum(len(t.citances) for t in real) == 207
    annotations = [a for t in real for c in t.citances for a in c.annotations]
    assert len(annotations) == 828
    facets = Counter(facet for a in annotations for facet in a.facets)
    aims = {"hypothesis": 19, "method": 126}
    assert facets == aims | {"results": 324, "implication": 77, "discussion": 282}
    assert all(len(t.documents) == 11 and len(t.summaries) == 4 for t in real)
    assert all([d.role for d in t.documents] == ["reference"] + ["citing"] * 10 for t in real)
    assert sum(len(a.spans) for a in annotations) == 1703


def test_real_offsets_name_the_quoted_texts(real):
    cited = 0
    for topic in real:
        reference, documents = topic.reference, {d.id: d for d in topic.documents}
        assert reference is not None
        for citance in topic.citances:
            text = documents[citance.document].text
            assert citance.text == text[citance.start : citance.end]
            assert citance.marker is not None
            assert text[citance.marker.start : citance.marker.end] == citance.marker_text
            for a in citance.annotations:
                quoted = (letters_and_digits(reference.text[s.start : s.end]) for s in a.spans)
                cited += sum(text in letters_and_digits(a.text) for text in quoted)
    assert cited == 1702
    warnings = [warning for topic in real for warning in topic.warnings]
    other = [warning for warning in warnings if "the quoted text differs" in warning]
    # Citance 11 of D1408: the citing paper's text is not quoted by B; citance 18 of D1411: the
    # cited text not by I.
    places = [re.findall(r"\w+\.ann\.txt:\d+|at \d+-\d+", warning) for warning in other]
    assert places == [["B.ann.txt:21", "at 7685-7991"], ["I.ann.txt:35", "at 20463-20589"]]
    assert "D1408_TRAIN.B" in other[0]
    assert "D1411_TRAIN.I" in other[1]


def test_real_documents_keep_their_bom_and_lose_their_cr(real, real_data):
    documents = [(t.id, d) for t in real for d in t.documents]
    assert sum(d.text.startswith("\ufeff") for _, d in documents) == 5
    assert not any("\r" in d.text for _, d in documents)
    raw = [(real_data / "tac2014" / t / "Documents_Text" / d.id).read_bytes() for t, d in documents]
    assert sum(b"\r" in data for data in raw) == 7
    recoded = [warning for t in real for warning in t.warnings if "cp1252" in warning]
    assert [Path(warning.split(": ")[0]).name for warning in recoded] == ["Hausser.txt", "Shao.txt"]


CHOSEN = [
    (0, "D1401_TRAIN", 1, "Cavallo.txt", 28927, 29437, 29282, "ABCD",
     [(1179, 1547), (26352, 26530), (35674, 35909)]),
    (9, "D1401_TRAIN", 10, "Korkmaz.txt", 23721, 23885, 23882, "ABCD",
     [(5428, 5776), (40931, 41169)]),
    (99, "D1407_TRAIN", 13, "Voorhoeve.txt", 30097, 30318, 30300, "BFGH",
     [(6173, 6420), (8427, 8518)]),
    (206, "D1414_TRAIN", 13, "Wei.txt", 4202, 4500, 4364, "CDEG",
     [(6550, 6819), (26373, 26656), (43297, 43490)]),
]  # fmt: skip


def test_chosen_real_records(real):
    counts = [17, 14, 15, 12, 14, 15, 15, 15, 11, 16, 20, 14, 16, 13]
    assert [len(t.citances) for t in real] == counts
    citances = [(t.id, c) for t in real for c in t.citances]
    for place, name, number, document, start, end, marker, annotators, spans in CHOSEN:
        topic, c = citances[place]
        assert (topic, c.number, c.document, c.start, c.end) == (name, number, document, start, end)
        assert c.marker is not None
        assert c.marker.start == marker
        assert "".join(a.annotator for a in c.annotations) == annotators
        assert [(span.start, span.end) for span in c.annotations[0].spans] == spans


def test_real_summaries_keep_their_paragraphs(real):
    summaries = [s for t in real for s in t.summaries]
    assert len(summaries) == 56
    assert not any("\ufeff" in s or "\r" in s for s in summaries)
    assert sum(len(s.split()) for s in summaries) == 12972
    # The data end a paragraph by a CR alone: dropped as in the documents, it would fuse words.
    assert sum("\n" in s.strip() for s in summaries) == 18


def test_real_evaluation_lines_without_documents(real_data):
    topics = whole(real_data / "tac2014-eval" / "EVAL_citances_D1401-D1410.txt")
    assert [t.id for t in topics] == [f"D14{n:02}_EVAL" for n in range(1, 11)]
    assert sum(len(t.citances) for t in topics) == 155
    assert all(
        len(c.annotations) == 4 and not c.annotations[0].spans for t in topics for c in t.citances
    )
    assert all(not t.documents and "has no documents" in t.warnings[0] for t in topics)
    assert all(c.text for t in topics for c in t.citances)


@pytest.mark.parametrize("form", ["topic", "folder"])
def test_every_form_of_input(form, tac_topic):
    folder = tac_topic("D9001_TEST")
    expected = whole(folder)[0]
    path = folder if form == "topic" else folder.parent
    assert guess(path) == "tac"
    (topic,) = whole(path)
    assert topic.id == expected.id
    assert topic.documents == expected.documents
    assert topic.citances == expected.citances


def test_an_archive_must_be_unpacked_first(tac_topic, tmp_path):
    path = tmp_path / "topics.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(tac_topic("D9001_TEST"), "D9001_TEST")
    with pytest.raises(InputError, match=r"topics\.tar\.gz: an archive; unpack it"):
        guess(path)
    for form in ("tac", "scisumm"):
        with pytest.raises(InputError, match=r"topics\.tar\.gz: .*unpack archives"):
            list(read_topics([path], form))


def test_what_a_topic_holds(tac_topic):
    (topic,) = whole(tac_topic())
    assert topic.warnings == ()
    assert topic.reference is topic.documents[0]
    assert [d.id for d in topic.documents] == ["Orrin.txt", "Bask.txt", "Quill, O'Dea.txt"]
    first = topic.citances[0]
    # B leaves the first word out; the union has it.
    assert first.text.startswith("The loss of scales")
    assert first.annotations[1].citation.start == first.start + len("The ")
    assert topic.query == "\n".join(c.text for c in topic.citances)
    assert [a.facets for a in first.annotations] == [("results",), ("results",)]
    assert [topic.documents[0].text[s.start : s.end] for s in first.annotations[0].spans][
        1
    ].startswith("We propose")
    assert topic.summaries[0].split("\n")[1].startswith("Velin 2 holds")


def test_a_topic_is_the_same_without_its_gold(tac_topic, tmp_path):
    def citances(topic):
        return [(c.start, c.end, c.text, c.marker) for c in topic.citances]

    (gold,) = whole(tac_topic(root=tmp_path / "a"))
    (blind,) = whole(tac_topic(root=tmp_path / "b", gold=False))
    assert blind.documents == gold.documents
    assert blind.query == gold.query
    assert citances(blind) == citances(gold)
    assert blind.summaries == ()
    assert all(a.spans == () and a.facets == () for c in blind.citances for a in c.annotations)


def test_spelling_that_makes_no_difference(tac_topic, tmp_path):
    plain, odd = tac_topic(root=tmp_path / "a"), tac_topic(root=tmp_path / "b")
    for file in (odd / "Annotation").iterdir():
        text = file.read_text(encoding="utf-8").replace("Reference Offset", "Reference offset")
        text = text.replace("\n", "\r\n").replace("Annotator:  A,", "Annotator: A")
        file.write_text(f"\ufeff{text}", encoding="utf-8", newline="")
    assert whole(odd)[0].citances == whole(plain)[0].citances


def test_a_missing_citing_paper_is_replaced_by_the_quotes(tac_topic):
    folder = tac_topic()
    (folder / "Documents_Text" / "Bask.txt").unlink()
    (topic,) = whole(folder)
    assert topic.citances[0].text.startswith("The loss of scales")
    assert [
        "Bask.txt" in warning and "using its quoted text" in warning for warning in topic.warnings
    ] == [True]


@settings(deadline=None, max_examples=60)
@given(
    before=st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=30),
    cited=st.text(st.sampled_from("abc \r\n\u00e9\u2019"), min_size=1, max_size=20).filter(
        lambda t: t.replace("\r", "")
    ),
    bom=st.booleans(),
)
def test_offsets_count_as_the_data_count(before, cited, bom, tmp_path_factory):
    """The naive count: characters of the decoded file, BOM included, CR not."""
    root = tmp_path_factory.mktemp("offsets") / "T1"
    for part in ("Annotation", "Documents_Text"):
        (root / part).mkdir(parents=True)
    text = ("\ufeff" if bom else "") + before + cited + "the end"
    (root / "Documents_Text" / "R.txt").write_bytes(text.encode())
    start = len([c for c in ("\ufeff" if bom else "") + before if c != "\r"])
    end = start + len([c for c in cited if c != "\r"])
    line = "Topic ID: T1 | Citance Number: 1 | Reference Article: R.txt | Citing Article: R.txt"
    line = f"{line} | Citation Offset: {start}-{end} | Citation Text: x |\n"
    (root / "Annotation" / "T1.A.ann.txt").write_text(line)
    (topic,) = whole(root)
    assert topic.citances[0].text == cited.replace("\r", "")
    shutil.rmtree(root)


def test_lazily_one_topic_at_a_time(tac_topic):
    root = tac_topic("D9001_TEST").parent
    topics = read_topics([root])
    assert next(topics).id == "D9001_TEST"
    # What comes after the first is read when it is asked for.
    broken = tac_topic("D9002_TEST")
    topics = read_topics([root])
    next(topics)
    shutil.rmtree(broken / "Annotation")
    assert isinstance(next(topics), BrokenTopic)


def test_a_second_topic_of_the_same_id_is_broken(tac_topic, tmp_path):
    one, two = tac_topic(root=tmp_path / "a"), tac_topic(root=tmp_path / "b")
    first, second = read_topics([one, two])
    assert isinstance(first, Topic)
    assert isinstance(second, BrokenTopic)
    assert second.id == first.id
    assert "second topic with this id" in str(second.error)


def test_names_of_formats_and_options():
    assert list(FORMATS)[:2] == ["tac", "scisumm"]
    with pytest.raises(LookupError, match="unknown format 'x'; there are: tac"):
        list(read_topics(["."], "x"))
    with pytest.raises(
        UsageError, match="--pool is not for topics of tac, which have no such options"
    ):
        list(read_topics(["."], "tac", ReaderOptions(pool="merged")))


def test_guessing_says_what_was_looked_for(tmp_path):
    (tmp_path / "x.txt").write_text("nothing of the kind")
    with pytest.raises(
        InputError, match=r"x\.txt: not in a known format \(looked for tac: .*--from"
    ):
        guess(tmp_path / "x.txt")
    with pytest.raises(InputError, match="no such file or folder; check the path"):
        guess(tmp_path / "y")
    with pytest.raises(InputError, match=r"--from tac\|scisumm"):
        guess("-")
    (tmp_path / "cut.json").write_text("{\n")
    with pytest.raises(InputError, match=r"cut\.json: JSON that is cut off, damaged or empty; exp"):
        guess(tmp_path / "cut.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"folder: the folder is empty; expected topics$"):
        guess(tmp_path / "folder")


def test_a_bar_within_a_text_belongs_to_it():
    text = b"Topic ID: T | Citation Text: p(e|f) is | small | Reference offset: ['1-2'] |"
    line = parse_line(text, "f", 1)
    assert line is not None
    cited = {"Citation Text": "p(e|f) is | small", "Reference Offset": "['1-2']"}
    assert line.fields == {"Topic ID": "T"} | cited


def test_a_field_without_name_and_value_is_no_part_of_the_one_before():
    line = parse_line(b"Topic ID: T | | Reference Offset: ['1-2'] | | Annotator: A ||", "f", 1)
    assert line is not None
    assert line.fields == {"Topic ID": "T", "Reference Offset": "['1-2']", "Annotator": "A"}


def test_options_come_from_any_object_that_has_them():
    assert ReaderOptions.of(object()) == ReaderOptions()
    given = SimpleNamespace(pool="merged", answers="a.json", documents=["x", Path("y")], other=1)
    options = ReaderOptions.of(given)
    assert options == ReaderOptions("merged", ("a.json",), "", ("x", Path("y")))
    assert tuple(options.given) == ("pool", "answers", "documents")
