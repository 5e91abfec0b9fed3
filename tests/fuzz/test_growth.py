"""Every regular expression takes time in proportion to its text, or to a bound that is given here.
And so does each reader: four times the input takes about four times as long, not sixteen times.
"""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
from starlette.datastructures import Headers

from ilpsum import Summarizer
from ilpsum.answers.wording import bare
from ilpsum.errors import InputError
from ilpsum.literature import intake
from ilpsum.pages.room.guard import is_foreign
from ilpsum.papers import layout
from ilpsum.pipeline.reading import rows_of
from ilpsum.records import Document, Topic
from ilpsum.tasks import texts as folders
from tests.fuzz.growth import MOST, patterns, seconds, texts
from tests.ilpsum.literature.test_exports import JATS, XML

BOUNDED = {"features.sentences._LAST_STOP": "searches the last 200 characters of a text"}


def test_no_regular_expression_grows_faster_than_its_text() -> None:
    found = list(patterns())
    assert len(found) > 200
    assert {name for name, _, _ in found} >= BOUNDED.keys()
    slow = [
        f"{name}: {text[:40]!r}"
        for name, pattern, searches in found
        if name not in BOUNDED
        for text in texts(pattern)
        # A busy machine can slow one measurement, not two.
        if seconds(pattern, text, searches=searches) > MOST
        and seconds(pattern, text, searches=searches) > MOST
    ]
    assert not slow


TEXT = "Newts sing in ponds. Toads hum at noon, and olms are silent."


def _sections(count: int, _: Path) -> str:
    sections = (f'<AbstractText Label="PART {n}">Newts sing.</AbstractText>' for n in range(count))
    return XML.replace("<Abstract>", "<Abstract>" + "".join(sections), 1)


def _references(count: int, _: Path) -> str:
    cited = (f'<xref ref-type="bibr" rid="b{n}">[{n}]</xref>' for n in range(count))
    listed = (f'<ref id="b{n}"><label>{n}</label>Moss. Newts {n}.</ref>' for n in range(count))
    article = JATS.replace("<p>We listened.</p>", f"<p>We listened.{' '.join(cited)}</p>")
    return article.replace("<ref-list>", "<ref-list>" + "".join(listed))


def _junk_of_xml(count: int, _: Path) -> str:
    return XML.replace("</PubmedArticle>", "</PubmedArticle>" + "<a/>" * count, 1)


def _junk_of_json(count: int, _: Path) -> str:
    record = {"source": "MED", "pmid": "1", "title": "T", "abstractText": TEXT}
    return json.dumps([record, *[1] * count])


def _labels(count: int, _: Path) -> str:
    parts = (f"PART{n}: Newts sing in pond {n}." for n in range(count))
    return json.dumps({"pmid": 1, "title": "Newts", "abstract": " ".join(parts)})


def _lines(count: int, _: Path) -> str:
    return "".join(f"Newts sing in pond {n}.\n" for n in range(count))


def _digits(count: int, _: Path) -> str:
    number = "7" * count
    record = XML.replace("<Volume>3<", f"<Volume>{number}<").replace(
        "<Year>2014<", f"<Year>{number}<"
    )
    return record.replace("<AbstractText>", f"<AbstractText>Of {number} newts, {number}% sang. ")


def _places(count: int, _: Path) -> str:
    words = {f"w{n}": [n, count + n] for n in range(count)}
    return json.dumps([{"title": "T", "doi": "10.5555/v", "abstract_inverted_index": words}])


def _tagged(count: int, _: Path) -> str:
    more = "".join(f"      sing in pond {n}.\n" for n in range(count))
    return f"PMID- 7\nTI  - Newts\nAB  - Newts\n{more}"


def _keywords(count: int, _: Path) -> str:
    keywords = "".join(f"KW  - Newt {n}\n" for n in range(count))
    return f"TY  - JOUR\nTI  - Newts\nAB  - Newts sing.\n{keywords}ER  - \n"


def _header(count: int, _: Path) -> str:
    return "http://" + "[a.b:" * count


def _checked(content: str, _: Path) -> None:
    assert is_foreign(Headers({"host": "localhost", "origin": content, "referer": content}))


def _read(content: str, path: Path) -> None:
    (path / "a").write_text(content)
    # Thousands of broken entries are refused, in a line.
    with contextlib.suppress(InputError):
        assert list(intake.read(path / "a"))


def _read_alone(content: str, _: Path) -> None:
    document = Document("d", content, role="snippet")
    assert rows_of([document], layout.sentences(document))


def _question(count: int, _: Path) -> str:
    return "Do newts sing in " + " ".join(f"xq{n:x}z" for n in range(count)) + "?"


def _thanks(count: int, _: Path) -> str:
    return "Do newts sing? " + "Thanks? " * count


def _bared(content: str, _: Path) -> None:
    assert bare(content) == "Do newts sing?"


def _asked(content: str, _: Path) -> None:
    Summarizer.load("concepts")(Topic("t", content, documents=(Document("d", TEXT),)), words=30)


def _folder(count: int, path: Path) -> str:
    folder = path / f"{count}"
    folder.mkdir(exist_ok=True)
    for n in range(count):
        (folder / f"{n}.txt").write_text(f"Newts sing in pond {n}.")
    return str(folder)


def _read_folder(content: str, _: Path) -> None:
    assert list(folders.documents([content]).documents)


@pytest.mark.parametrize(
    ("count", "made", "read"),
    [
        (1500, _sections, _read),
        (4000, _references, _read),
        (40_000, _junk_of_xml, _read),
        (2400, _junk_of_json, _read),
        (1500, _labels, _read),
        (500, _lines, _read_alone),
        (1200, _question, _asked),
        (2000, _thanks, _bared),
        (150, _folder, _read_folder),
        (100_000, _digits, _read),
        (20_000, _places, _read),
        (10_000, _tagged, _read),
        (10_000, _keywords, _read),
        (40_000, _header, _checked),
    ],
)
def test_four_times_the_input_takes_about_four_times_as_long(
    tmp_path: Path,
    count: int,
    made: Callable[[int, Path], str],
    read: Callable[[str, Path], None],
) -> None:
    read(made(count // 8, tmp_path), tmp_path)  # what is loaded once is not measured
    contents = made(count, tmp_path), made(4 * count, tmp_path)
    for _ in range(3):
        times = list[float]()
        for content in contents:
            began = process_time()
            read(content, tmp_path)
            times.append(process_time() - began)
        # A busy machine can slow one measurement, not three.
        if times[1] < 8 * times[0] + 0.1:
            return
    pytest.fail(f"{times} seconds")
