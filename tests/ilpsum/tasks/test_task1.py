"""Runs of Task 1: written to the format, read with bare and named fields, every error found with its line."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ilpsum.errors import InputError, UsageError
from ilpsum.records import Document, Span, Topic
from ilpsum.tasks import read_topics
from ilpsum.tasks.registry import FORMATS
from ilpsum.tasks.task1 import Link, read, text_of, write

check = FORMATS["task1"].check


@pytest.fixture
def topic_path(tac_topic: Callable[..., Path]) -> Path:
    return tac_topic("D1")


def gold(path: Path) -> list[Link]:
    """The first annotator's links, as a run."""
    (topic,) = read_topics([path])
    assert isinstance(topic, Topic)
    return links_of(topic, "SYSX1")


def links_of(topic: Topic, run: str) -> list[Link]:
    assert topic.reference is not None
    links = []
    for citance in topic.citances:
        annotation = citance.annotations[0]
        text = text_of(topic.reference, annotation.spans)
        link = Link(topic.id, citance.number, annotation.spans, annotation.facets[0], run, text)
        links.append(link)
    return links


def reference(path: Path) -> str:
    (topic,) = read_topics([path])
    assert isinstance(topic, Topic)
    assert topic.reference is not None
    return topic.reference.text


def messages(path: Path, topics: Path | None = None) -> list[str]:
    return [str(finding).removeprefix(f"{path}:") for finding in check(path, topics=topics)]


def test_a_run_in_the_documented_format(topic_path, tmp_path):
    links = gold(topic_path)
    write(tmp_path / "new" / "run.txt", links)
    lines = (tmp_path / "new" / "run.txt").read_text(encoding="utf-8").splitlines()
    text = reference(topic_path)
    (a, b), (c, d) = ((span.start, span.end) for span in links[0].spans)
    assert (
        lines[0]
        == f"D1 | 1 | ['{a}-{b}', '{c}-{d}'] | {text[a:b]} ... {text[c:d]} | Results_Citation | SYSX1"
    )
    assert len(lines) == 3
    assert messages(tmp_path / "new" / "run.txt", topic_path) == []
    assert list(read(tmp_path / "new" / "run.txt")) == links


def test_named_fields_are_read_like_bare_ones(tmp_path):
    bare = "D1 | 1 | ['1-20', '30-40'] | a: b | c ... d | Method_Citation | SYSX2"
    named = (
        "Topic ID: D1 | Citance Number: 1 | Reference Offset: ['1-20', '30-40'] | Reference Text: a: b | c ... d "
        "| Discourse Facet: Method_Citation | Run ID: SYSX2 |"
    )
    (tmp_path / "bare").write_text(f"\ufeff{bare}\r\n\r\n")
    (tmp_path / "named").write_text(named)
    expected = [Link("D1", 1, (Span(1, 20), Span(30, 40)), "method", "SYSX2", "a: b | c ... d")]
    assert list(read(tmp_path / "bare")) == list(read(tmp_path / "named")) == expected


def test_a_bar_in_the_text_does_not_end_the_field(tmp_path):
    document = Document("R.txt", "the value of p(e|f)\nis small")
    text = text_of(document, [Span(13, 28)])
    write(tmp_path / "run", [Link("D1", 1, (Span(13, 28),), "results", "SYSX1", text)])
    assert (tmp_path / "run").read_text(encoding="utf-8").count("|") == 5
    (link,) = read(tmp_path / "run")
    assert link.text == "p(e\u00a6f) is small"


def test_a_file_appears_complete_and_is_not_overwritten(topic_path, tmp_path):
    links = gold(topic_path)
    four = Link("D1", 4, (Span(0, 1),) * 4, "results", "SYSX1")
    with pytest.raises(UsageError, match="D1, citance 4: 4 spans; at most 3 are allowed"):
        write(tmp_path / "out" / "run", [*links, four])
    assert list((tmp_path / "out").iterdir()) == []
    with pytest.raises(UsageError, match="'SYSX' is not a team id followed by a run number 1-5"):
        write(tmp_path / "out" / "run", [Link("D1", 1, (), "results", "SYSX")])
    write(tmp_path / "out" / "run", links)
    with pytest.raises(UsageError, match="run exists already"):
        write(tmp_path / "out" / "run", links[:1])
    write(tmp_path / "out" / "run", links[:1], force=True)
    assert len(list(read(tmp_path / "out" / "run"))) == 1


def test_no_part_of_a_file_is_there_while_links_are_found(topic_path, tmp_path):
    def found() -> Iterator[Link]:
        for link in gold(topic_path):
            assert list((tmp_path / "out").iterdir()) == []
            yield link

    write(tmp_path / "out" / "run", found())
    assert (tmp_path / "out" / "run").read_text().count("\n") == len(gold(topic_path))


LINES: dict[str, tuple[str, str]] = {
    "one field": ("D1 1 Scale", "1: 1 field; expected `Topic ID | Citance Number"),
    "fields missing": ("D1 | 1 | ['0-5'] | Scale", "1: 4 fields; expected `Topic ID | Citance Number"),
    "number": ("D1 | one | ['0-5'] | Scale | Method_Citation | X1", "1: the Citance Number 'one' is not a number"),
    "offset": ("D1 | 1 | 0..5 | Scale | Method_Citation | X1", "1: the Reference Offset '0..5': expected START-END"),
    "reversed": ("D1 | 1 | ['5-0'] | Scale | Method_Citation | X1", "START before END"),
    "not closed": ("D1 | 1 | ['0-5' | Scale | Method_Citation | X1", "has one bracket"),
    "four spans": ("D1 | 1 | ['0-1','1-2','2-3','3-4'] | S ... c ... a ... l | Method_Citation | X1", "1: 4 spans"),
    "facet": ("D1 | 1 | ['0-5'] | Scale | Rumour | X1", "1: unknown facet 'Rumour'"),
    "facet of CL-SciSumm": ("D1 | 1 | ['0-5'] | Scale | Aim_Citation | X1", "1: the facet 'Aim_Citation' is"),
    "no facet": ("D1 | 1 | ['0-5'] | Scale |  | X1", "1: the Discourse Facet is empty"),
    "run id": ("D1 | 1 | ['0-5'] | Scale | Method_Citation | X7", "1: the run id 'X7' is not a team id"),
    "beyond": ("D1 | 1 | ['0-99999'] | Scale | Method_Citation | X1", "1: the offset 0-99999 is beyond"),
    "another text": ("D1 | 1 | ['0-5'] | Wing | Method_Citation | X1", "1: the Reference Text differs"),
    "no topic": ("D7 | 1 | ['0-5'] | Scale | Method_Citation | X1", "1: no citance 1 in a topic D7"),
    "no citance": ("D1 | 9 | ['0-5'] | Scale | Method_Citation | X1", "1: no citance 9 in a topic D1"),
    "no spans": ("D1 | 1 | [] |  | Method_Citation | X1", "1: no spans"),
    "bare facet": ("D1 | 1 | ['0-5'] | Scale | Results | X1", "1: the facet 'Results' is not one of the task's; expected Results_Citation"),
    "singular facet": ("D1 | 1 | ['0-5'] | Scale | Result_Citation | X1", "expected Results_Citation"),
    "other case": ("D1 | 1 | ['0-5'] | Scale | methods_citation | X1", "expected Method_Citation"),
    "path": ("../D1 | 1 | ['0-5'] | Scale | Method_Citation | X1", "1: the Topic ID '../D1'"),
    "twice": ("\n".join(["D1 | 1 | ['0-5'] | Scale | Method_Citation | X1"] * 2),
              "2: the topic D1, citance 1 appears twice, first on line 1"),
    "two runs": ("D1 | 1 | ['0-5'] | Scale | Method_Citation | X1\nD1 | 2 | ['0-5'] | Scale | Method_Citation | X2",
                 "2: the run id 'X2' after 'X1'"),
    "missing": ("D1 | 1 | ['0-5'] | Scale | Method_Citation | X1", " the topic D1, citance 3 is missing"),
    "not UTF-8": ("D1 | 1 | ['0-5'] | Scale\udcef | Method_Citation | X1", "1: not UTF-8 (byte 24); expected UTF-8"),
    "mark": ("\ufeffD1 | 1 | ['0-5'] | Scale | Method_Citation | X1", "1: a byte order mark"),
}  # fmt: skip


@pytest.mark.parametrize("finding", LINES)
def test_every_error_is_found_with_its_line(finding, topic_path, tmp_path):
    text, message = LINES[finding]
    run = tmp_path / "run"
    run.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert [line for line in messages(run, topic_path) if message in line], messages(
        run, topic_path
    )


def test_more_than_five_sentences_give_a_warning(topic_path, tmp_path):
    start = reference(topic_path).index("The tarn moth sheds")
    write(tmp_path / "run", [Link("D1", 1, (Span(start, start + 600),), "results", "X1")])
    assert any(
        "sentences by our count; at most 5 are allowed" in line
        for line in messages(tmp_path / "run", topic_path)
    )


def test_without_topics_only_the_lines_are_checked(tmp_path):
    (tmp_path / "run").write_text("D1 | 1 | ['0-5'] | anything | Method_Citation | X1\n")
    assert messages(tmp_path / "run") == []
    (tmp_path / "empty").write_text("\n")
    assert "is empty" in messages(tmp_path / "empty")[0]
    with pytest.raises(InputError, match="nothing: no such file or folder; check the path"):
        check(tmp_path / "nothing")
    with pytest.raises(UsageError, match="--pmids"):
        check(tmp_path / "run", pmids=tmp_path)


def test_real_annotations_as_a_run(real_data, tmp_path):
    """The first annotator's gold of all real topics, written and checked: no errors."""
    links = []
    for topic in read_topics([real_data / "tac2014"]):
        assert isinstance(topic, Topic)
        links += links_of(topic, "GOLD1")
    write(tmp_path / "run", links)
    findings = check(tmp_path / "run", topics=real_data / "tac2014")
    assert [finding for finding in findings if not finding.warning] == []
    assert len(list(read(tmp_path / "run"))) == 207


@pytest.mark.parametrize("text", ["", " "])
def test_the_reference_text_may_be_left_empty(topic_path, tmp_path, text):
    run = tmp_path / "run"
    run.write_text(f"D1 | 1 | ['0-5'] |{text}| Method_Citation | X1\n")
    assert not [line for line in messages(run, topic_path) if "Reference Text" in line]
