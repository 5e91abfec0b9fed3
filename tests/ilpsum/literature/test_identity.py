"""The digest of what a topic is made of, and the records of one article."""

import time
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ilpsum.literature.gate import to_document
from ilpsum.literature.identity import grouped, keys_of, topic_digest
from ilpsum.literature.raw import Raw
from ilpsum.records import (
    Citance,
    Document,
    FoundDocument,
    Publication,
    SearchResult,
    Section,
    Topic,
)
from ilpsum.tasks.texts import distinct

TOPIC = Topic(
    "t", "Do newts sing?", (Document("d", "They do."),), (Citance(1, "c", 0, 2, "ab"),), ("Yes.",)
)


def test_what_counts_and_what_does_not():
    same = replace(
        TOPIC,
        id="other",
        warnings=("odd",),
        answers=(("yes",),),
        search=SearchResult(found=(FoundDocument("d", 1.0),)),
    )
    assert topic_digest(same) == topic_digest(TOPIC)
    given = replace(same, search=None)
    assert topic_digest(given, gold=True) == topic_digest(TOPIC, gold=True) != topic_digest(TOPIC)
    # Models of searched topics learn from exact answers.
    assert topic_digest(same, gold=True) != topic_digest(replace(same, answers=()), gold=True)
    changes = ({"query": "Do toads?"}, {"documents": ()}, {"citances": ()})
    assert len({topic_digest(replace(TOPIC, **change)) for change in ({}, *changes)}) == 4
    silent = replace(TOPIC, summaries=())
    assert topic_digest(silent) == topic_digest(TOPIC)
    assert topic_digest(silent, gold=True) != topic_digest(TOPIC, gold=True)


publications = st.builds(
    Publication, pmid=st.sampled_from(["", "1", "2"]), doi=st.sampled_from(["", "a", "b"])
)


def record(number, publication):
    title = "Newts of the northern ponds and their songs"
    sections = (Section("", "abstract", 0, len(title)),)
    return Document(f"d{number}", title, title, "2020", sections=sections, publication=publication)


def compared(records):
    """The groups of records, each compared with every record of a group."""
    groups, group_of = [], {}
    for i, document in enumerate(records):
        keys = keys_of(document)
        near = [group_of[key] for key in keys if key in group_of]
        found = next(
            (
                group
                for group in near
                if not any(differ(records[k].publication, document.publication) for k in group)
            ),
            None,
        )
        if found is None:
            groups.append(found := [])
        found.append(i)
        for key in keys:
            group_of.setdefault(key, found)
    return groups


def differ(one, other):
    return bool(
        (one.pmid and other.pmid and one.pmid != other.pmid)
        or (one.doi and other.doi and one.doi != other.doi)
    )


@given(st.lists(publications, max_size=7))
def test_records_are_grouped_as_if_each_pair_were_compared(publications):
    records = [record(i, publication) for i, publication in enumerate(publications)]
    assert grouped(records) == compared(records)


def test_many_records_of_one_article_and_texts_of_one_name_take_linear_time():
    number = 8000
    records = [record(i, Publication(pmid="1", doi="a" * (i % 2))) for i in range(number)]
    texts = [Document("same", f"Newts sing {i}.") for i in range(number)]
    began = time.process_time()
    assert len(grouped(records)) == 1
    assert [document.id for document in distinct(texts).documents][:: number - 1] == [
        "same",
        f"same-{number}",
    ]
    assert time.process_time() - began < 5  # comparing each pair takes 20 seconds and more


def said(number, title, text, pages="", date="2020"):
    raw = Raw(title=title, abstract=[("", text)], pages=pages, date=date)
    return to_document(raw, number)


def test_records_with_one_title_that_contradict_each_other_stay_apart():
    title = "Abstracts of the meeting of newt song researchers"
    song, pond = "Grey newts sang at dusk in cold ponds.", "Toads hum where the water is warm."
    whole = f"{song} They sang all night."
    assert len(grouped([said(1, title, song), said(2, title, pond)])) == 2
    assert len(grouped([said(1, title, song, "3-4"), said(2, title, song, "12")])) == 2
    # A cut abstract, and one without pages, are of the same article.
    assert len(grouped([said(1, title, whole, "3-4"), said(2, title, song)])) == 1
    assert len(grouped([said(1, title, song), said(2, title, "")])) == 1


def test_signs_in_titles_count_and_hyphens_do_not():
    first, *others = [
        said(n, title, "")
        for n, title in enumerate(
            (
                "Song of the HER2+ newts of the north",
                "Song of the HER2- newts of the north",
                "Song of the HER2\u2212 newts of the north",
                "Song of the HER-2+ newts of the north",
            )
        )
    ]
    assert grouped([first, *others]) == [[0, 3], [1, 2]]
