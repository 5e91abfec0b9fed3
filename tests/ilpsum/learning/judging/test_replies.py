"""What is read of the replies of judges, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilpsum.learning.judging.replies import BadReplyError, grades_of, problem_in, scores_of


def completion(content, finish="stop"):
    message = {"role": "assistant", "content": content, "reasoning": "Perhaps [3, 3, 3]."}
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}]}).encode()


@pytest.mark.parametrize(
    "content",
    [
        '{"grades": [0, 3, 1]}',
        '{"grades": [0.0, 3.0, 1.0]}',
        '{"grades": ["0", "3", " 1.0 "]}',
        '```json\n{"grades": [0, 3, 1]}\n```',
        'Here are the grades: {"grades": [0, 3, 1]} I hope this helps {you}.',
        '<think>Perhaps {"grades": [3, 3, 3]}?</think>\n{"grades": [0, 3, 1]}',
        'First 3. {"grades": [3, 3, 3]}\n</think>{"grades": [0, 3, 1]}',
        'A draft: {"grades": [2, 2, 2]}. Final: {"grades": [0, 3, 1]}',
        '{"grades": [0, 3, 1], "note": "the second [2] answers"}',
        '{"reasons": {"a": 1}, "grades": [0, 3, 1]}',
        "[0, 3, 1]",
        "Grades: [0, 3, 1].",
        [{"type": "text", "text": '{"grades": [0,'}, {"type": "text", "text": " 3, 1]}"}],
    ],
)
def test_grades_are_read_from_whatever_stands_around_them(content):
    assert grades_of(completion(content), 3) == (0, 3, 1)


@pytest.mark.parametrize(
    ("content", "finish", "expected"),
    [
        ('{"grades": [0, 3]}', "stop", "expected 3 grades, got 2"),
        ('{"grades": []}', "stop", "expected 3 grades, got 0"),
        ('{"grades": [0, 3, 4]}', "stop", "expected grades from 0 to 3, got '4'"),
        ('{"grades": [0, 3, -1]}', "stop", "got '-1'"),
        ('{"grades": [0, 3, 1.5]}', "stop", "got '1.5'"),
        ('{"grades": [0, 3, true]}', "stop", "got 'True'"),
        ('{"grades": [0, 3, null]}', "stop", "got 'None'"),
        ('{"grades": [0, 3, [1]]}', "stop", r"got '\[1\]'"),
        ('{"grades": [0, 3, NaN]}', "stop", "got 'nan'"),
        ('{"grades": [0, 3, Infinity]}', "stop", "got 'inf'"),
        ('{"grades": [0, 3, "high"]}', "stop", "got 'high'"),
        ('{"grades": "0, 3, 1"}', "stop", "it says"),
        ("I cannot grade these.", "stop", "it says 'I cannot grade these.'"),
        ('{"grades": [0, 3, ', "length", "its reply was cut off; switch its thinking off"),
        ("", "length", "its reply was cut off"),
        ("", "stop", "it thought and gave no reply"),
        (None, "stop", "it thought and gave no reply"),
        ("<think>Perhaps [3, 3, 3], or", "stop", "it thought and gave no reply"),
        ("<think>Perhaps 3.</think>", "stop", "it thought and gave no reply"),
        ('{"grades": ' * 100_000, "stop", "it says"),
        ("[" * 100_000, "stop", "it says"),
        ("{" * 500_000, "stop", "it says"),
    ],
)
def test_a_reply_without_all_grades_is_refused(content, finish, expected):
    with pytest.raises(BadReplyError, match=expected) as refused:
        grades_of(completion(content, finish), 3)
    assert len(str(refused.value)) < 400
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<html>Hello</html>", "expected a chat completion, got '<html>Hello</html>'"),
        (b"", "expected a chat completion"),
        (b'{"choices": []}', "expected a chat completion"),
        (b'{"choices": [{}]}', "expected a chat completion"),
        (b'{"error": {"message": "out of\\u001b memory"}}', r"it says 'out of\\\\x1b memory'"),
        (b"\xff\xfe", "expected a chat completion"),
    ],
)
def test_a_body_of_another_form_is_told(body, expected):
    with pytest.raises(BadReplyError, match=expected):
        grades_of(body, 3)


@given(st.binary(max_size=200) | st.text(max_size=200).map(completion))
def test_no_body_breaks_the_reader(body):
    for read in (grades_of, scores_of):
        try:
            values = read(body, 2)
        except BadReplyError:
            continue
        assert len(values) == 2


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.text(alphabet="ab []{}.\n"))
def test_grades_return_as_they_were_sent(grades, around):
    content = f"{around}{json.dumps({'grades': grades})}"
    assert grades_of(completion(content), len(grades)) == tuple(grades)


@pytest.mark.parametrize("key", ["relevance_score", "score"])
@pytest.mark.parametrize("bare", [False, True])
def test_both_forms_of_reranking_are_read(key, bare):
    ranked = [
        {"index": 2, key: 0.9, "document": {"text": "x"}},
        {"index": 0, key: -4},
        {"index": 1, key: 0},
    ]
    body = json.dumps(ranked if bare else {"id": "a", "results": ranked, "meta": {}}).encode()
    assert scores_of(body, 3) == (-4, 0, 0.9)


@pytest.mark.parametrize(
    "ranked",
    [
        [{"index": 0, "score": 1}],
        [{"index": 0, "score": 1}, {"index": 0, "score": 2}],
        [{"index": 0, "score": 1}, {"index": 2, "score": 2}],
        [{"index": -1, "score": 1}, {"index": 0, "score": 2}],
        [{"index": 0, "score": 1}, {"index": 1}],
        [{"index": 0, "score": 1}, {"index": 1, "score": "high"}],
        [{"index": 0, "score": 1}, {"index": 1, "score": None}],
        [{"index": 0, "score": 1}] * 3,
        {"grades": [1, 2]},
    ],
)
def test_a_ranking_without_all_scores_is_refused(ranked):
    with pytest.raises(BadReplyError):
        scores_of(json.dumps(ranked).encode(), 2)


def test_the_problem_that_a_server_tells_is_quoted():
    said = "model 'newt' not found"
    bodies = (
        {"error": {"message": said}},
        {"error": said},
        {"message": said},
        {"detail": said},
        {"error": None, "message": said},
        {"error": True, "detail": {"message": said}},
        {"error": {"code": 7}, "message": said},
    )
    assert {problem_in(json.dumps(body).encode()) for body in bodies} == {f'"{said}"'}
    assert problem_in(b"<html>") == problem_in(b'{"error": {"code": 7}}') == problem_in(b"[]") == ""
