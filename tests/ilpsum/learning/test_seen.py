"""A topic's digest is the same in every format, pool and folder, and never that of another topic."""

import json
from dataclasses import replace

import pytest

from ilpsum import Document, Topic
from ilpsum.api.inputs import topics_of
from ilpsum.learning.seen import documents_seen, has_seen, packed, topic_key, unpacked
from ilpsum.tasks import ReaderOptions

QUESTION = "Do newts sing at night?"
BIOASQ = {
    "id": "q1",
    "body": QUESTION,
    "type": "yesno",
    "documents": ["http://www.ncbi.nlm.nih.gov/pubmed/1"],
    "snippets": [
        {
            "text": "Newts sing at night.",
            "document": "http://www.ncbi.nlm.nih.gov/pubmed/1",
            "offsetInBeginSection": 0,
            "offsetInEndSection": 20,
            "beginSection": "abstract",
            "endSection": "abstract",
        }
    ],
}


def key_of(*files, form=None, **options):
    (topic,) = topics_of([*files], form, ReaderOptions(**options))
    return topic_key(topic)


def test_a_question_has_one_digest_in_all_formats_and_pools(tmp_path):
    bioasq = tmp_path / "q.json"
    bioasq.write_text(json.dumps({"questions": [BIOASQ]}))
    abstracts = tmp_path / "a.jsonl"
    abstracts.write_text(json.dumps({"pmid": "1", "title": "Newts", "abstract": "Newts sing."}))
    lines = tmp_path / "q.jsonl"
    documents = [{"id": "d", "text": "Toads hum."}]
    lines.write_text(
        json.dumps({"id": "x", "query": "do  newts SING at night", "documents": documents})
    )
    keys = {
        key_of(bioasq, pool="snippets"),
        key_of(bioasq, pool="merged"),
        key_of(bioasq, pool="abstracts", documents=(str(abstracts),)),
        key_of(lines),
        topic_key(Topic("y", "Do newts singg at night?", written=QUESTION)),
    }
    assert len(keys) == 1
    assert topic_key(Topic("q1", "Do newts sing by day?")) not in keys


def test_a_topic_of_tac_has_one_digest_under_other_names(tac_topic):
    folder = tac_topic("D9001_TEST")
    other = tac_topic("D9777_OTHER", gold=False)
    keys = {key_of(folder), key_of(other)}
    assert len(keys) == 1
    # Another paper in a file of the same name, which is that of its first author.
    paper = other / "Documents_Text" / "Orrin.txt"
    paper.write_text("The hum of toads\n" + paper.read_text())
    assert key_of(other) not in keys


def test_topics_without_a_question_are_told_by_their_documents():
    one, two = Document("1", "Newts sing."), Document("2", "Toads hum.")
    assert topic_key(Topic("a", "", (one, two))) == topic_key(Topic("b", "", (two, one)))
    assert topic_key(Topic("a", "", (one,))) != topic_key(Topic("a", "", (two,)))


def test_a_model_says_what_it_has_seen_or_that_it_does_not_know():
    topic = Topic("q1", QUESTION)
    keys = frozenset([topic_key(topic), 2**64 - 1, 0])
    assert unpacked(packed(keys)) == keys
    assert packed(keys)["topics"].nbytes == 8 * len(keys)
    assert has_seen(keys, topic) is True
    assert has_seen(keys, replace(topic, query="Do toads?")) is False
    assert has_seen(unpacked({}), topic) is None


@pytest.mark.parametrize(
    ("model", "folder"),
    [
        ("task2", "tac2014"),
        ("concepts-papers", "tac2014"),
        ("concepts-linguistics", "scisumm"),
        ("ilp-sum-2-tuned-on-papers", "tac2014"),
    ],
)
def test_the_included_models_know_the_papers_they_were_trained_on(real_data, model, folder):
    topics = topics_of(real_data / folder)
    assert topics
    known = included(model)
    assert all(has_seen(known, topic) for topic in topics)


def included(name):
    from ilpsum import resources
    from ilpsum.files import persistence

    return unpacked(persistence.load(resources.models() / f"{name}.npz", "system", 3).arrays)


def test_the_included_models_of_papers_have_not_seen_the_demo(demo):
    topics = topics_of(demo / "topics")
    assert topics
    assert not any(has_seen(included("concepts-papers"), topic) for topic in topics)


@pytest.mark.parametrize("model", ["concepts-snippets", "concepts-merged"])
@pytest.mark.parametrize("pool", ["snippets", "merged", "abstracts"])
def test_the_included_models_know_questions_in_any_pool(real_data, model, pool):
    file = real_data / "bioasq" / "11B1_golden.json.gz"
    documents = (str(real_data / "bioasq" / "abstracts.jsonl.gz"),) if pool == "abstracts" else ()
    options = ReaderOptions(pool=pool, documents=documents)
    topics = [t for t in topics_of(file, "bioasq", options) if t.summaries]
    assert len(topics) > 70
    assert all(has_seen(included(model), topic) for topic in topics)
    # The models of the published systems were trained on editions 1-8 only.
    seen = [has_seen(included("ilp-sum-2-tuned"), topic) for topic in topics]
    assert not any(seen)


def test_a_model_of_documents_has_seen_a_topic_with_one_of_them():
    abstracts = frozenset([topic_key(Topic("1", "", (Document("1", "Newts sing.", source="7"),)))])
    topic = Topic("q", QUESTION, (Document("a", "Toads hum."), Document("7-1", "x", source="7")))
    assert documents_seen(abstracts, topic) is True
    assert documents_seen(abstracts, Topic("q", QUESTION, topic.documents[:1])) is False
    assert documents_seen(None, topic) is None
