"""What texts without a question are about."""

import math
from collections import Counter

import numpy as np

from features.text import Passage
from ilpsum.pipeline.candidates import candidates, context, nearest, query_of, subject
from ilpsum.records import Document, Topic
from ilpsum.records.tables import CandidateTable

NEWS = (
    Document(
        "a",
        "The newts sang in the pond. A newt sings at night, and the pond is cold.",
        title="Newts sing",
    ),
    Document("b", "Toads of the pond are silent. A council met."),
    Document("c", "The council of Oakum saw newts and more newts in every pond."),
)


def test_the_subject_of_one_document_is_its_title():
    assert subject(NEWS[:1]) == "Newts sing"
    assert subject(NEWS[1:2]).split()[:2] == ["council", "met"], (
        "all weigh the same: in the order of the alphabet"
    )
    assert subject(()) == ""


def test_the_subject_of_several_is_their_centroid():
    weights: Counter[str] = Counter()
    for document in NEWS:
        for stem, count in Counter(
            Passage(f"{document.title}\n{document.text}").content_stems
        ).items():
            weights[stem] += 1 + math.log(count)  # type: ignore[assignment]
    best = [stem for stem, _ in sorted(weights.items(), key=lambda item: (-item[1], item[0]))][:12]
    assert list(Passage(subject(NEWS)).stems) == best
    assert subject(NEWS).split()[:3] == ["newts", "pond", "council"]


def test_only_general_texts_without_a_question_have_one():
    for kind in ("texts", "news"):
        assert query_of(Topic("t", documents=NEWS, kind=kind)) == subject(NEWS)
        assert query_of(Topic("t", "What sings?", documents=NEWS, kind=kind)) == "What sings?"
    assert query_of(Topic("t", documents=NEWS)) == ""
    topic = Topic("t", documents=NEWS, kind="texts")
    around = context(topic, candidates(topic, CandidateTable()))
    assert around.query.text == subject(NEWS)
    np.testing.assert_array_equal(np.unique(around.document), [0, 1, 2])


def test_the_nearest_hold_most_words_of_the_subject():
    shares = Document("s", "Shares fell in a distant market.")
    assert nearest((shares, *NEWS), 2) == (NEWS[0], NEWS[2])
    assert nearest((shares, shares, *NEWS), 9) == (shares, shares, *NEWS)
    assert nearest((), 3) == ()
