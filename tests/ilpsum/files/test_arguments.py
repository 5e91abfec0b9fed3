"""Arguments of Python are checked, and converted, before any work."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilpsum
from ilpsum import Document, Summarizer, Topic, resources
from ilpsum.api.inputs import Topics
from ilpsum.errors import ArgumentError
from ilpsum.files.arguments import fitting
from ilpsum.files.records import Natural, Share

QUESTION, TEXTS = "Do newts sing?", [Document("a", "Newts sing in ponds at night.")]
TOPIC = Topic("t", QUESTION, (Document("1", "Newts sing in ponds. Toads croak there."),))
DEMO = resources.demo()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ilpsum.ask(QUESTION, TEXTS, words="20"), "words: expected a whole number, 1 or"),
        (lambda: ilpsum.ask(QUESTION, TEXTS, words=math.nan), "words: .* got nan"),
        (lambda: ilpsum.ask(QUESTION, TEXTS, words=True), "words: .* got True"),
        (lambda: ilpsum.ask(QUESTION, TEXTS, words=10**12), "at most 1,000,000,000"),
        (lambda: ilpsum.ask(QUESTION, [Document("1", math.nan)]), r"sources\[0\]: text: expected"),
        (lambda: ilpsum.ask(QUESTION, [Document(1, "Newts.")]), r"sources\[0\]: id: expected text"),
        (lambda: ilpsum.ask(QUESTION, [b"a.txt"]), r"sources\[0\]: expected a Document or a path"),
        (lambda: ilpsum.ask("half \ud800", TEXTS), "question: .*half of a surrogate pair at 5"),
        (lambda: ilpsum.ask(QUESTION, [Document("1", "a \ud800")]), "text: .*surrogate pair at 2"),
        (lambda: ilpsum.ask(QUESTION, TEXTS, fill=3), "fill: expected True or False, got 3"),
        (lambda: ilpsum.summarize(Document("1", math.inf)), "texts: text: expected"),
        (lambda: ilpsum.evaluate(3, DEMO), "run: expected"),
        (lambda: ilpsum.evaluate({"a": "b"}, DEMO, words="9"), "words: expected a whole number"),
        (lambda: ilpsum.evaluate({"a": 3}, DEMO), r"run\['a'\]: expected text, got 3"),
        (lambda: ilpsum.evaluate({"a": "b"}, DEMO, references="second"), "expected all or first"),
        (lambda: ilpsum.compare("runs", DEMO), "runs: expected a mapping or a list of a path"),
        (lambda: ilpsum.compare({"a": {}, "b": {}}, DEMO, seed=-1), "seed: .*0 or more, got -1"),
        (
            lambda: ilpsum.compare({"a": {}, "b": {}}, DEMO, samples=1.5),
            "samples: expected a whole",
        ),
        (lambda: ilpsum.topics_of(TOPIC), "topics: expected .* got Topic"),
        (lambda: ilpsum.topics_of([TOPIC, 3]), r"topics\[1\]: expected a Topic or a path, got 3"),
        (lambda: ilpsum.train(DEMO, "task2", words=0), "words: .* got 0"),
        (lambda: ilpsum.train(DEMO, "task2", jobs=2.5), "jobs: expected"),
        (
            lambda: ilpsum.link(DEMO, folds=2.0),
            "folds: expected a whole number, 0 or more, got 2.0",
        ),
        (lambda: ilpsum.sweep("task2", DEMO, {"lambda": [0.5]}, nested=-1), "nested: .* got -1"),
        (lambda: ilpsum.compress([3]), r"texts\[0\]: expected text or a Title, got 3"),
        (lambda: ilpsum.compress("Newts", variant="c"), "variant: expected a or b, got 'c'"),
        (lambda: Summarizer.load("task2", lambda_=2), "lambda_: expected a number from 0 to 1"),
        (
            lambda: Summarizer.load("concepts", method="lead")(TOPIC, words="20"),
            "words: expected a whole number",
        ),
        (
            lambda: Summarizer.load("concepts", method="lead")("a topic"),
            "topic: expected a Topic, got 'a topic'",
        ),
    ],
)
def test_an_argument_that_does_not_fit_is_named(call, says):
    with pytest.raises(ArgumentError, match=says):
        call()


def test_one_summary_is_no_run():
    summary = Summarizer.load("concepts", method="lead")(TOPIC)
    with pytest.raises(ArgumentError, match=r"run: expected .* got Summary"):
        ilpsum.evaluate(summary, [TOPIC])


@pytest.mark.parametrize("words", [60.0, "60", np.float64(60), 0])
def test_a_run_with_a_wrong_limit_leaves_nothing(tmp_path, words):
    with pytest.raises(ArgumentError, match="words: expected a whole number, 1 or more"):
        ilpsum.write_run(
            [TOPIC], "concepts", tmp_path / "out", words=words, settings={"method": "lead"}
        )
    assert not (tmp_path / "out").exists()
    assert (
        ilpsum.write_run(
            [TOPIC], "concepts", tmp_path / "out", words=60, settings={"method": "lead"}
        ).summaries
        == 1
    )


def test_numbers_and_arrays_of_numpy_are_those_of_python(tmp_path):
    twenty = np.int64(20)
    answers = [ilpsum.ask(QUESTION, TEXTS, words=words).summary for words in (twenty, 20)]
    assert answers[0].settings == answers[1].settings
    assert answers[0].sentences == answers[1].sentences
    run = ilpsum.write_run(
        [TOPIC], "concepts", tmp_path, words=twenty, run=np.uint8(2), settings={"method": "lead"}
    )
    assert run.path.name == "SYS2.jsonl"
    by_array, by_list = (
        ilpsum.sweep("ilp-sum-1", DEMO, {"lambda": values}, metrics=np.array(["ROUGE-2"]))
        for values in (np.arange(0, 1.1, 0.5), [0.0, 0.5, 1.0])
    )
    assert [row.lambda_ for row in by_array] == [0.0, 0.5, 1.0]
    assert by_array == by_list


@given(
    number=st.one_of(
        st.integers(1, 10**9),
        st.integers(1, 2**31).map(np.int64).filter(lambda n: n <= 10**9),
        st.integers(1, 255).map(np.uint8),
        st.integers(1, 9).map(np.array),
    )
)
def test_whole_numbers_of_any_kind(number):
    value = fitting("n", number, Natural)
    assert type(value) is int
    assert value == number


_JUNK = st.one_of(
    st.none(), st.booleans(), st.text(), st.binary(), st.floats(), st.integers(max_value=0),
    st.lists(st.integers()), st.dictionaries(st.text(), st.integers()), st.complex_numbers(),
    st.integers(10**9 + 1), st.fractions().filter(lambda f: f.denominator > 1),
    st.floats().map(np.float64), st.booleans().map(np.bool_),
)  # fmt: skip


@given(junk=_JUNK)
def test_anything_else_is_no_whole_number(junk):
    with pytest.raises(ArgumentError, match=r"^n: expected a"):
        fitting("n", junk, Natural)


@given(
    number=st.one_of(
        st.floats(0, 1), st.floats(0, 1).map(np.float64), st.fractions(0, 1), st.just(10**400),
        st.just(Fraction(10**400)), st.floats(), st.floats(width=16).map(np.float16),
    )
)  # fmt: skip
def test_a_share_is_a_finite_number_from_0_to_1(number):
    if 0 <= number <= 1:
        value = fitting("x", number, Share)
        assert type(value) in (int, float)
        assert math.isclose(value, number)
    else:
        with pytest.raises(ArgumentError, match=r"^x: expected a number from 0 to 1, got"):
            fitting("x", number, Share)


def test_topics_of_an_iterator_are_checked_as_they_come():
    def topics() -> Iterator[Any]:
        yield TOPIC
        yield 3

    given = fitting("topics", topics(), Topics)
    assert next(given) is TOPIC
    with pytest.raises(ArgumentError, match=r"topics\[1\]: expected a Topic or a path, got 3"):
        next(given)


def test_a_grid_may_have_arrays_ranges_and_sets():
    values = {"a": np.arange(3), "b": range(2), "c": {1}, "d": [np.float64(0.5)]}
    assert fitting("grid", values, Mapping[str, Any]) == {
        "a": [0, 1, 2], "b": [0, 1], "c": [1], "d": [0.5],
    }  # fmt: skip
