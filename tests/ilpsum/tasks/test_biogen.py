"""BioGen topics of both years, as a document, a list, or lines."""

import json

import pytest

from ilpsum.errors import InputError
from ilpsum.files.start import Start
from ilpsum.records import BrokenTopic, Topic
from ilpsum.tasks import biogen

ONE = {
    "id": 116,
    "topic": "newt song",
    "question": "Do newts  sing?",
    "narrative": "The patient hears newts.",
}
TWO = {"id": "117", "topic": "toads", "question": "Do toads?", "narrative": ""}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"topics": [ONE, TWO]}, indent=1),
        json.dumps([ONE, TWO]),
        json.dumps(ONE) + "\n" + json.dumps(TWO) + "\n",
    ],
)
def test_every_form(tmp_path, text):
    path = tmp_path / "topics.txt"
    path.write_text(text)
    assert biogen.recognises(Start.of(path))
    assert list(biogen.read(path)) == [
        Topic("116", "Do newts sing?", subject="newt song"),
        Topic("117", "Do toads?", subject="toads"),
    ]


@pytest.mark.parametrize(
    "bad",
    [3, {"question": "?"}, {"id": True, "question": "?"}, {"id": 1}, {"id": 1, "question": " "}],
)
def test_a_broken_topic_is_told_and_the_next_follows(tmp_path, bad):
    path = tmp_path / "topics.json"
    path.write_text(json.dumps([bad, TWO], indent=0))
    broken, good = biogen.read(path)
    assert isinstance(broken, BrokenTopic)
    assert "topics.json:2: " in str(broken.error)
    assert good.id == "117"


def test_what_is_no_topics(tmp_path):
    path = tmp_path / "x"
    for text in ("", "{}", '{"topics": 3}', "nothing"):
        path.write_text(text)
        with pytest.raises(InputError):
            list(biogen.read(path))


def test_both_years(real_data):
    counts = {}
    for name in ("2024_BioGen2024topics-json.txt", "2025_taskB_topics.json"):
        path = real_data / "biogen" / name
        assert biogen.recognises(Start.of(path))
        topics = list(biogen.read(path))
        assert all(isinstance(topic, Topic) and topic.query for topic in topics)
        counts[name] = len({topic.id for topic in topics})
    assert list(counts.values()) == [65, 30]
