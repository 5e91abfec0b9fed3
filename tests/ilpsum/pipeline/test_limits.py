"""A limit in bytes or characters holds for the text as it is written, whichever selector chooses."""

from dataclasses import replace
from itertools import combinations

import pytest

from ilpsum import resources
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import UsageError
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.records import Document, Topic
from ilpsum.selection import SELECTORS
from ilpsum.tasks import read_topics
from ilpsum.tasks.registry import FormatLimits
from tests.systems import ORACLE

NEWTS = "Grey newts sing in cold ponds. Old newts – όλοι – hum. Two toads were heard near them. Efts swim, too."


def written(text: str) -> int:
    return len(text.encode())


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    return [t for t in read_topics([resources.demo()], "tac") if isinstance(t, Topic)]


@pytest.mark.parametrize("most", [120, 665])
@pytest.mark.parametrize("method", SELECTORS.own)
def test_no_text_has_more_bytes_than_its_limit(topics, method, most):
    system = with_settings(System.load("task2"), {"selection.method": method})
    for limits in (FormatLimits(bytes=most), FormatLimits(count=len, count_limit=most)):
        count = written if limits.bytes else len
        for topic in topics:
            assert count(Summarizer.load(system, format_limits=limits)(topic).text) <= most


def test_the_limit_is_reached_to_the_byte():
    topic = Topic("t", documents=(Document("d", NEWTS),), kind="texts", query="Which newts sing?")
    found = Summarizer.load("task2")(topic).candidates
    texts = ["\n".join(s.text for s in some) for k in (2, 3) for some in combinations(found, k)]
    sizes = {
        written("\n".join(s.text for s in some))
        for k in range(5)
        for some in combinations(found, k)
    }
    for text in texts:
        limits = FormatLimits(bytes=written(text))
        summary = Summarizer.load(ORACLE, format_limits=limits)(with_gold(topic, text))
        assert summary.text == text
        below = max((size for size in sizes if size < written(text)), default=0)
        shorter = Summarizer.load(ORACLE, format_limits=FormatLimits(bytes=written(text) - 1))
        assert written(shorter(with_gold(topic, text)).text) <= below


def with_gold(topic: Topic, text: str) -> Topic:
    return replace(topic, summaries=(text,))


def test_words_counted_by_a_format_have_no_line_ends():
    def words(text: str) -> int:
        return len(text.split())

    assert FormatLimits(count=words, count_limit=9).lengths(["Newts sing.", "Efts."]) == ((2, 1), 9)
    assert FormatLimits(count=len, count_limit=9).lengths(["Newts", "sing"]) == ((6, 5), 10)
    assert FormatLimits(bytes=9).lengths(["όλοι"]) == ((9,), 10)
    assert FormatLimits().lengths(["Newts"]) == ((), None)


def test_one_length_is_limited_at_a_time():
    with pytest.raises(UsageError, match="leave out the limit in bytes"):
        FormatLimits(bytes=665, count=len, count_limit=500)
