"""The named queries, and what each keeps of a citance."""

import pytest

from ilpsum.errors import InputError, UsageError
from ilpsum.records import Citance
from ilpsum.task1.linker import Query, names
from ilpsum.task1.reformulation import Background, Reformulation, bags
from ilpsum.task1.terms import Analysis
from ilpsum.task1.thesaurus import Concept, Thesaurus

TEXT = "Severe glimmer fever was eased by willow bark in mice [7]."
CITANCE = Citance(1, "a.txt", 0, len(TEXT), TEXT)
FEVER = Thesaurus(
    [
        Concept("C1", "Glimmer fever", ("Glimmer fever", "Shine disease"), ("T047",), ("C2",)),
        Concept("C2", "Night glimmer"),
        Concept("C3", "Severe", ("Severe", "Grave"), ("T080",)),
    ]
)


def _bag(terms, sources=None, **analysis):
    (bag,) = bags([CITANCE], terms, sources or Background(umls=FEVER), Analysis(**analysis))
    return bag


def test_every_included_query_loads():
    assert {
        "best",
        "citance",
        "mesh",
        "umls",
        "noun-phrases",
        "idf",
        "health-terms",
        "comb-1",
        "comb-2",
    } <= set(names())
    for name in names():
        query = Query.load(name)
        assert query.name == name
        assert query.description


def test_unknown_queries_and_keys_are_errors(tmp_path):
    with pytest.raises(UsageError, match="unknown query 'no-such'; there are: best, "):
        Query.load("no-such")
    path = tmp_path / "own.toml"
    path.write_text('description = "x"\n[spans]\ntop = 0\n')
    with pytest.raises(InputError, match=r"top: expected .* at least 1"):
        Query.load(path)
    path.write_text('description = "x"\nsecret = 1\n')
    with pytest.raises(InputError, match="secret"):
        Query.load(path)
    path.write_text('description = "x"\n[spans]\nranking = "guess"\n')
    with pytest.raises(InputError, match="guess"):
        Query.load(path)
    with pytest.raises(InputError, match="no such file or folder; check the path"):
        Query.load(tmp_path / "none.toml")


def test_the_whole_citance_without_stop_words_and_marker():
    assert _bag(Reformulation()) == dict.fromkeys(
        ["sever", "glimmer", "fever", "eas", "willow", "bark", "mice"], 1.0
    )


def test_concepts_reduce_the_query():
    assert _bag(Reformulation(keep=("umls",))) == {"sever": 1.0, "glimmer": 1.0, "fever": 1.0}


def test_expansion_adds_other_names_and_related_concepts_but_not_of_qualities():
    bag = _bag(Reformulation(keep=("umls",), expand=True))
    assert bag == {
        "sever": 1.0,
        "glimmer": 1.0,
        "fever": 1.0,
        "shine": 0.3,
        "diseas": 0.3,
        "night": 0.3,
    }


def test_noun_phrases_and_concepts_together():
    phrases, both = (
        _bag(Reformulation(keep=keep)) for keep in (("noun-phrases",), ("umls", "noun-phrases"))
    )
    assert {"willow", "bark", "mice"} <= set(phrases) < set(_bag(Reformulation()))
    assert set(both) == set(phrases) | {"sever", "glimmer", "fever"}


def test_background_counts():
    idf = {"severe": 1.0, "fever": 2.0, "willow": 5.0, "was": 9.0}
    kept = _bag(Reformulation(keep=("idf",), idf=3.0), Background(idf=idf))
    assert set(kept) == {"glimmer", "eas", "willow", "bark", "mice"}
    dropped = _bag(Reformulation(keep=("idf",), idf=3.0, absent="drop"), Background(idf=idf))
    assert set(dropped) == {"willow"}
    kept = _bag(Reformulation(keep=("health-terms",)), Background(health=frozenset({"fever"})))
    assert set(kept) == {"fever"}


def test_a_query_without_kept_words_is_the_whole_citance():
    assert _bag(Reformulation(keep=("mesh",)), Background(mesh=Thesaurus([]))) == _bag(
        Reformulation()
    )


def test_a_query_without_kept_words_may_be_empty():
    none = Reformulation(keep=("mesh",), empty="none")
    assert _bag(none, Background(mesh=Thesaurus([]))) == {}
    assert _bag(Reformulation(keep=("umls",), empty="none")) == _bag(Reformulation(keep=("umls",)))


def test_the_terms_of_a_query_may_be_all_words():
    assert _bag(Reformulation(), stem=False, stop_words=True) == dict.fromkeys(
        ["severe", "glimmer", "fever", "was", "eased", "by", "willow", "bark", "in", "mice"], 1.0
    )
    expanded = _bag(Reformulation(keep=("umls",), expand=True), stem=False)
    assert expanded == {
        "severe": 1.0,
        "glimmer": 1.0,
        "fever": 1.0,
        "shine": 0.3,
        "disease": 0.3,
        "night": 0.3,
    }


def test_the_published_queries_differ_only_in_the_words_that_they_keep():
    published = {name: Query.load(name) for name in names() if name.startswith("published-")}
    assert len(published) == 8
    assert len({query.spans for query in published.values()}) == 1
    assert len({query.terms for query in published.values()}) == 8
    spans = published["published-citance"].spans
    assert (spans.weighting, spans.stop_words, spans.stem) == ("counts", True, False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('weighting = "guess"', "unknown weighting 'guess'; there are: tf-idf, counts"),
        ('ranking = "bm25"\nweighting = "counts"', "only for the ranking vector-space"),
        ('method = "learned"\nstem = false', "only for ranked spans"),
        ("stop_words = true", "stop_words"),
    ],
)
def test_settings_of_terms_that_do_not_fit_are_errors(line, message, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(f'description = "x"\n[spans]\n{line}\n')
    with pytest.raises(InputError, match=message):
        Query.load(path)


@pytest.mark.parametrize("keep", ["mesh", "umls", "health-terms"])
def test_the_error_for_missing_sources_names_the_option(keep):
    with pytest.raises(UsageError, match="--"):
        _bag(Reformulation(keep=(keep,)), Background())


def test_health_terms_are_words_of_a_file(tmp_path):
    path = tmp_path / "health.txt"
    path.write_text("Fever\n\nmoss\n")
    assert Background.read(health=str(path)).health == {"fever", "moss"}
