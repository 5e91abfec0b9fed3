"""The digest of what a topic is made of, and the records of one article."""

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
from tests.measures import within

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


def components(records):
    """The connected components of records that share a key, by the textbook's search."""
    left, parts = set(range(len(records))), []
    while left:
        part, edge = set(), {min(left)}
        while edge:
            part |= edge
            keys = {key for i in part for key in keys_of(records[i])}
            edge = {i for i in left - part if keys & set(keys_of(records[i]))}
        left -= part
        parts.append(sorted(part))
    return parts


def values(records, part, name):
    return {getattr(records[i].publication, name) for i in part} - {""}


@given(st.lists(publications, max_size=7), st.randoms())
def test_records_are_grouped_by_shared_keys_whatever_their_order(publications, random):
    records = [record(i, publication) for i, publication in enumerate(publications)]
    groups = grouped(records)
    for group in groups:
        assert len(values(records, group, "pmid")) <= 1
        assert len(values(records, group, "doi")) <= 1
    parts = components(records)
    for part in parts:
        # A component is a group, unless it has two articles.
        two = any(len(values(records, part, name)) > 1 for name in ("pmid", "doi"))
        assert two or part in groups
        assert sum(set(group) <= set(part) for group in groups) == 1 or two
    order = list(range(len(records)))
    random.shuffle(order)
    shuffled = grouped([records[i] for i in order])
    assert sorted(sorted(order[i] for i in group) for group in shuffled) == groups


def test_a_record_with_both_identifiers_joins_those_with_one():
    one, other = Publication(pmid="1"), Publication(doi="a")
    both = Publication(pmid="1", doi="a")
    for publications in ((one, other, both), (both, one, other), (other, both, one)):
        records = [
            replace(record(i, publication), title=f"{i}", date="")
            for i, publication in enumerate(publications)
        ]
        assert grouped(records) == [[0, 1, 2]]


def test_many_records_of_one_article_and_texts_of_one_name_take_linear_time():
    number = 8000
    records = [record(i, Publication(pmid="1", doi="a" * (i % 2))) for i in range(number)]
    texts = [Document("same", f"Newts sing {i}.") for i in range(number)]
    assert len(grouped(records)) == 1
    assert [document.id for document in distinct(texts).documents][:: number - 1] == [
        "same",
        f"same-{number}",
    ]
    # Comparing each pair takes 20 seconds and more.
    assert within(5, lambda: (grouped(records), distinct(texts)))


def made(number, title, text, pages="", date="2020"):
    raw = Raw(title=title, abstract=[("", text)], pages=pages, date=date)
    return to_document(raw, number)


def test_records_with_one_title_that_contradict_each_other_stay_apart():
    title = "Abstracts of the meeting of newt song researchers"
    song, pond = "Grey newts sang at dusk in cold ponds.", "Toads hum where the water is warm."
    whole = f"{song} They sang all night."
    assert len(grouped([made(1, title, song), made(2, title, pond)])) == 2
    assert len(grouped([made(1, title, song, "3-4"), made(2, title, song, "12")])) == 2
    # A cut abstract, and one without pages, are of the same article.
    assert len(grouped([made(1, title, whole, "3-4"), made(2, title, song)])) == 1
    assert len(grouped([made(1, title, song), made(2, title, "")])) == 1


def test_signs_in_titles_count_and_hyphens_do_not():
    first, *others = [
        made(n, title, "")
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
