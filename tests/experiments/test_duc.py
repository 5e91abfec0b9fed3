"""DUC and TAC folders: the topics, the articles with all their dirt, the models."""

import ilpsum_duc as duc
import pytest
from ilpsum_duc import articles

from ilpsum.errors import InputError
from ilpsum.files.start import Start
from ilpsum.records import BrokenTopic
from ilpsum.tasks import guess
from ilpsum.tasks.registry import FORMATS

TOPICS = """
<topic>
<num> D9901A </num>
<title> Newts &AMP; choirs </title>

<narr>
Tell how newts
came to sing in choirs.
</narr>
</topic>

<topic> <num> D9902B <title> Toads <narr> What do toads sing? </topic>
<topic> <title> Nameless </title> </topic>
<topic> <num> D9903C </num> <title> Nothing there </title> <narr> Why? </narr> </topic>
"""

PLAIN = """<DOC>
<DOCNO> ZZW20010203.0001 </DOCNO>
<DATE_TIME> 2001-02-03 10:11:12 </DATE_TIME>
<BODY>
<CATEGORY> culture </CATEGORY>
<HEADLINE> Newts join the choir </HEADLINE>
<TEXT>
<P>
   Newts joined the choir of Oakum &AMP; Sons
on Friday.
</P>
<P>
   ``They sing well,'' said the cantor _ a frog.
</P>
</TEXT>
</BODY>
<TRAILER> ZZW-02-03-01 </TRAILER>
</DOC>
"""

DIRTY = """<DOC>
<DOCNO> ZZT20010204.0002 </DOCNO>
<DOCTYPE> NEWS STORY </DOCTYPE>
<BODY>
<SLUG> BC-NEWT-CHOIR
<HEADLINE> <P> A story without end tags
<TEXT>
&UR; OAKUM (ZZ) - The first paragraph is set in
and wrapped.
\tThe second one has a tab; 3 &LT; 4.
   (MORE)
   The third one follows a code.
"""

BEFORE = """<DOC>
<DOCNO>ZZW20010205.0003</DOCNO>
<BODY> <SLUG> x </SLUG> The story begins before the text.
<TEXT> And goes on in it. </TEXT></BODY></DOC>
"""


SEE = """<html>
<head><title>D9901.M.250.A.C</title></head>
<body bgcolor="white">
<a name="1">[1]</a> <a href="#1" id=1>Second</a>
<a name="2">[2]</a> <a href="#2" id=2>model.</a>
</body>
</html>
"""


@pytest.fixture
def year(tmp_path):
    def put(path, text, encoding="utf-8"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding=encoding)

    put("duc_topics.sgml", TOPICS)
    put("docs/D9901A/ZZW20010203.0001", PLAIN)
    put("docs/D9901A/ZZT20010204.0002", DIRTY)
    put("docs/D9901A/ZZW20010205.0003", BEFORE)
    put("docs/D9901A/ZZW20010206.0009", PLAIN.replace("0203.0001", "0206.0009"))
    put("docs/D9901A/ZZW20010207.0010", PLAIN)
    headline = "<BODY><HEADLINE> Only that </HEADLINE></BODY>"
    put("docs/D9901A/ZZW20010207.0011", f"<DOC><DOCNO> e </DOCNO>{headline}</DOC>")
    cafe = PLAIN.replace("0203.0001", "0208.0001").replace("Friday", "caf\xe9 day")
    put("docs/D9901A/ZZW20010208.0001", cafe, "cp1252")
    toads = '<DOC id="ZZ_ENG_20060708.0042" type="story"><TEXT>Toads hum.</TEXT></DOC>'
    put("docs/d9902b/a", toads)
    put("eval/models/D9901.M.250.A.C", SEE)
    put("eval/models/D9901.M.250.A.B", "First model.\n")
    put("eval/models/D9901.M.250.B.B", "Another set's.")
    put("eval/peers/D9901.M.250.A.24", "A machine's.")
    return tmp_path


def test_topics_of_a_year(year):
    assert duc.recognises(Start.of(year))
    assert duc.recognises(Start.of(year / "duc_topics.sgml"))
    assert not duc.recognises(Start.of(year / "docs"))
    first, second, nameless, empty = duc.read(year)
    assert first.id == "D9901A"
    assert first.query == "Newts & choirs Tell how newts came to sing in choirs."
    assert first.summaries == ("First model.", "Second model.")
    assert (second.id, second.query) == ("D9902B", "Toads What do toads sing?")
    (document,) = second.documents
    assert (document.id, document.date) == ("ZZ_ENG_20060708.0042", "2006-07-08")
    assert document.text == "Toads hum."
    assert isinstance(nameless, BrokenTopic)
    assert "duc_topics.sgml:13: a topic without <num>" in str(nameless.error)
    assert empty.documents == ()
    assert empty.warnings == ("no folder D9903C with documents",)


def test_articles_with_all_their_dirt(year):
    first = next(duc.read(year / "duc_topics.sgml"))
    dirty, plain, before, cafe = first.documents
    assert [d.id for d in first.documents] == [
        "ZZT20010204.0002",
        "ZZW20010203.0001",
        "ZZW20010205.0003",
        "ZZW20010208.0001",
    ]
    assert (plain.title, plain.date) == ("Newts join the choir", "2001-02-03")
    assert plain.text.split("\n") == [
        "Newts joined the choir of Oakum & Sons on Friday.",
        '"They sing well," said the cantor — a frog.',
    ]
    assert dirty.date == "2001-02-04"
    assert dirty.text.split("\n")[-3:] == [
        "OAKUM (ZZ) - The first paragraph is set in and wrapped.",
        "The second one has a tab; 3 < 4.",
        "The third one follows a code.",
    ]
    assert before.text == "The story begins before the text.\nAnd goes on in it."
    assert before.title == ""
    assert "caf\xe9 day" in cafe.text
    assert [warning.split(":")[1].split(",")[0].strip() for warning in first.warnings] == [
        "same text as ZZW20010203.0001",
        "same text as ZZW20010203.0001",
        "no story",
        "not UTF-8 (byte 230); read as cp1252",
    ]


def test_a_headline_of_paragraphs_is_no_story(tmp_path):
    file = tmp_path / "LA010203-0001"
    headline = "<HEADLINE><P>Head</P><P>Line</P></HEADLINE>"
    file.write_text(f"<DOC><DOCNO> L </DOCNO>{headline}<TEXT><P>Story.</P></TEXT></DOC>")
    ((document,), warnings) = articles(file)
    assert (document.title, document.text, warnings) == ("Head Line", "Story.", [])


def story(n):
    return f"<DOC><DOCNO> ZZ{n} </DOCNO><TEXT>Story {n}.</TEXT></DOC>\n"


TAGGED = """<docsetA id = "D9904D-A"> <doc id = "ZZ1" /> <doc id = "ZZ2" /> </docsetA>
<docsetB id = "D9904D-B"> <doc id = "ZZ3" /> <doc id="ZZ9"/> </docsetB>"""


@pytest.mark.parametrize(
    ("sets", "models"),
    [
        ("<docs> ZZ1 ZZ2 </docs> <docs> ZZ3 ZZ9 </docs>", ["D9904.M.100.A.G", "D9904.M.100.B.G"]),
        (TAGGED, ["D9904-A.M.100.D.G", "D9904-B.M.100.D.G"]),
    ],
    ids=["plain", "tagged"],
)
def test_the_update_task_has_a_topic_a_set(tmp_path, sets, models):
    topic = f"<topic> <num> D9904D </num> <title> T </title> {sets} </topic>"
    (tmp_path / "update_topics.sgml").write_text(topic)
    (tmp_path / "D9904D").mkdir()
    for n in "1234":
        (tmp_path / "D9904D" / f"ZZ{n}").write_text(story(n))
    for model in models:
        (tmp_path / model).write_text(f"Model {model}")
    first, second = duc.read(tmp_path)
    assert (first.id, [d.id for d in first.documents]) == ("D9904D-A", ["ZZ1", "ZZ2"])
    assert (second.id, [d.id for d in second.documents]) == ("D9904D-B", ["ZZ3"])
    assert (first.summaries, second.summaries) == ((f"Model {models[0]}",), (f"Model {models[1]}",))
    assert second.warnings == ("document ZZ9 is missing",)


def test_models_of_main_and_update_task_side_by_side(tmp_path):
    main = "<topic> <num> D9905A </num> <title> T </title> </topic>"
    update = "<topic> <num> D9905A <title> T <docs> ZZ1 </docs> <docs> ZZ2 </docs></topic>"
    (tmp_path / "a_topics.sgml").write_text(main)
    (tmp_path / "b_topics.sgml").write_text(update)
    for name in ("D9905.M.250.A.B", "D9905.M.100.A.B", "D9905.M.100.B.B"):
        (tmp_path / name).write_text(name)
    (tmp_path / "D9905A").mkdir()
    (tmp_path / "D9905A" / "all.sgml").write_text(story(1) + story(2))
    topics = list(duc.read(tmp_path))
    found = {topic.id: (topic.summaries, [d.id for d in topic.documents]) for topic in topics}
    assert found == {
        "D9905A": (("D9905.M.250.A.B",), ["ZZ1", "ZZ2"]),
        "D9905A-A": (("D9905.M.100.A.B",), ["ZZ1"]),
        "D9905A-B": (("D9905.M.100.B.B",), ["ZZ2"]),
    }


def test_what_is_no_duc_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"no \*topics\*\.sgml"):
        list(duc.read(tmp_path))
    (tmp_path / "topics.sgml").write_text("nothing")
    with pytest.raises(InputError, match="no <topic>"):
        list(duc.read(tmp_path))


def test_folders_may_be_links_and_links_may_loop(year, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    expected = list(duc.read(year))
    for name in ("docs", "eval"):
        (year / name).rename(elsewhere / name)
        (year / name).symlink_to(elsewhere / name, target_is_directory=True)
    (elsewhere / "docs" / "again").symlink_to(year, target_is_directory=True)
    (elsewhere / "docs" / "itself").symlink_to(elsewhere / "docs", target_is_directory=True)
    (year / "models-again").symlink_to(elsewhere / "eval", target_is_directory=True)
    assert duc.recognises(Start.of(year))
    assert list(duc.read(year))[:2] == expected[:2]


def test_two_topics_may_share_a_folder_by_links(year):
    (year / "docs" / "d9902b").rename(year / "docs" / "shared")
    for name in ("D9902B", "D9903C"):
        (year / "docs" / name).symlink_to("shared", target_is_directory=True)
    topics = {topic.id: topic for topic in duc.read(year)}
    assert topics["D9902B"].documents == topics["D9903C"].documents != ()


def test_it_is_a_plug_in_of_the_formats(year):
    assert FORMATS["duc"] is duc.DUC
    assert guess(year) == "duc"
