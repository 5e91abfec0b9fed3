"""Recall of exact answers, against a search token by token."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilpsum.metrics.answers import answer_recall, searchable
from ilpsum.tasks import read_topics


@pytest.mark.parametrize(
    ("text", "answers", "recall"),
    [
        ("Newts sing.", [["newt"]], 0.0),
        ("Newts sing.", [["newts"]], 1.0),
        ("p530 and xp53", [["p53"]], 0.0),
        ("(p53)-null", [["P53"]], 1.0),
        ("miR-372/373", [["miR 372"], ["mir373"], ["373"]], 2 / 3),
        ("the blue newt", [["frog", "blue newt"], ["toad"]], 0.5),
        ("the blue, newt", [["blue newt"]], 1.0),
        ("newt blue", [["blue newt"]], 0.0),
        ("-", [["-"]], 0.0),
        ("2 to 5", [["\u03b2"], ["5"]], 1.0),
        ("x", [[], ["\u03b1", "x"]], 1.0),
        ("x", [], 0.0),
        ("", [["x"]], 0.0),
    ],
)
def test_the_share_of_items(text, answers, recall):
    assert answer_recall(text, answers) == recall


words = st.lists(st.sampled_from(["a", "b", "ab", "A", "a-b", "\u00e4", "."]), max_size=8).map(
    " ".join
)


@given(words, st.lists(st.lists(words, max_size=3), max_size=3))
def test_tokens_are_searched_in_sequence(text, answers):
    def tokens(text):
        return re.sub("[^a-zA-Z0-9]", " ", text).lower().split()

    def inside(synonym):
        found, wanted = tokens(text), tokens(synonym)
        return any(found[i : i + len(wanted)] == wanted for i in range(len(found)))

    items = [[synonym for synonym in item if tokens(synonym)] for item in answers]
    shares = [any(inside(synonym) for synonym in item) for item in items if item]
    assert answer_recall(text, answers) == (sum(shares) / len(shares) if shares else 0.0)
    assert len(searchable(answers)) == len(shares)


def test_all_snippets_together_hold_most_of_the_real_answers(real_data):
    topics = [
        t
        for t in read_topics([real_data / "bioasq" / "8B1_golden.json.gz"], "bioasq")
        if searchable(t.answers)
    ]
    recalls = [
        answer_recall(" ".join(d.text for d in topic.documents), topic.answers) for topic in topics
    ]
    assert {topic.kind for topic in topics} == {"factoid", "list"}
    assert sum(recalls) / len(recalls) > 0.7
    assert answer_recall("newts", topics[0].answers) == 0.0
