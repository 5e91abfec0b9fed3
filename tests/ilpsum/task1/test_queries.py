"""The named queries, and what each keeps of a citance."""

import pytest
from msgspec.structs import replace

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
    wanted = "best citance mesh umls noun-phrases idf health-terms comb-1 comb-2".split()
    assert set(names()).issuperset(wanted)
    for name in names():
        query = Query.load(name)
        assert query.name == name
        assert query.description


def test_unknown_queries_are_errors(tmp_path):
    with pytest.raises(UsageError, match="unknown query 'no-such'; there are: best, "):
        Query.load("no-such")
    with pytest.raises(InputError, match="no such file or folder; check the path"):
        Query.load(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("secret = 1", "secret"),
        ("[spans]\ntop = 0", "top: expected .* at least 1"),
        ('[spans]\nranking = "guess"', "guess"),
        ('[spans]\nweighting = "guess"', "unknown weighting 'guess'; there are: tf-idf, counts"),
        (
            '[spans]\nranking = "bm25"\nweighting = "counts"',
            "only for the ranking vector-space",
        ),
        ('[spans]\nmethod = "learned"\nstem = false', "only for ranked spans"),
        ("[spans]\nstop_words = true", "stop_words"),
        ('[facets]\nclassifier = "svn"', "classifier of facets 'svn' .did you mean svm"),
    ],
)
def test_settings_that_do_not_exist_or_fit_are_errors(lines, message, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(f'description = "x"\n{lines}\n')
    with pytest.raises(InputError, match=message):
        Query.load(path)


WHOLE = "sever glimmer fever eas willow bark mice"
NO_TERMS = Background(mesh=Thesaurus([]))
COUNTS = Background(idf={"severe": 1.0, "fever": 2.0, "willow": 5.0, "was": 9.0})
HEALTH = Background(health=frozenset({"fever"}))


@pytest.mark.parametrize(
    ("terms", "sources", "kept", "added"),
    [
        ({}, None, WHOLE, ""),
        ({"keep": ("umls",)}, None, "sever glimmer fever", ""),
        # The other names and the related concepts of the fever, but not of the quality.
        (
            {"keep": ("umls",), "expand": True},
            None,
            "sever glimmer fever",
            "shine diseas night",
        ),
        ({"keep": ("idf",), "idf": 3.0}, COUNTS, "glimmer eas willow bark mice", ""),
        ({"keep": ("idf",), "idf": 3.0, "absent": "drop"}, COUNTS, "willow", ""),
        ({"keep": ("health-terms",)}, HEALTH, "fever", ""),
        ({"keep": ("mesh",)}, NO_TERMS, WHOLE, ""),
        ({"keep": ("mesh",), "empty": "none"}, NO_TERMS, "", ""),
        ({"keep": ("umls",), "empty": "none"}, None, "sever glimmer fever", ""),
    ],
)
def test_the_terms_of_a_query(terms, sources, kept, added):
    expected = dict.fromkeys(kept.split(), 1.0) | dict.fromkeys(added.split(), 0.3)
    assert _bag(Reformulation(**terms), sources) == expected


def test_the_terms_of_a_query_may_be_all_words():
    words = "severe glimmer fever was eased by willow bark in mice".split()
    assert _bag(Reformulation(), stem=False, stop_words=True) == dict.fromkeys(words, 1.0)
    expanded = _bag(Reformulation(keep=("umls",), expand=True), stem=False)
    assert {"severe", "disease"} < set(expanded)


def test_noun_phrases_and_concepts_together():
    phrases, both = (
        _bag(Reformulation(keep=keep)) for keep in (("noun-phrases",), ("umls", "noun-phrases"))
    )
    assert {"willow", "bark", "mice"} <= set(phrases) < set(_bag(Reformulation()))
    assert set(both) == set(phrases) | {"sever", "glimmer", "fever"}


def test_the_published_queries_differ_only_in_the_words_that_they_keep():
    # Of the submitted runs, these have other facets or another index.
    runs = ("ensemble", "prose")
    published = {
        name: Query.load(name)
        for name in names()
        if name.startswith("published-") and not name.endswith(runs)
    }
    assert len(published) == 8
    assert len({query.spans for query in published.values()}) == 1
    assert len({query.terms for query in published.values()}) == 8
    spans = published["published-citance"].spans
    assert (spans.weighting, spans.stop_words, spans.stem) == ("counts", True, False)


@pytest.mark.parametrize("number", [1, 2])
def test_a_published_run_with_the_ensemble_differs_in_facets_alone(number):
    svm, both = (Query.load(f"published-comb-{number}{end}") for end in ("", "-ensemble"))
    assert (svm.terms, svm.spans) == (both.terms, both.spans)
    assert (svm.facets.classifier, both.facets.classifier) == ("svm", "ensemble-rank")


def test_the_fifth_published_run_differs_in_the_index_alone():
    whole, prose = Query.load("published-comb-2"), Query.load("published-comb-2-prose")
    assert (whole.terms, whole.facets) == (prose.terms, prose.facets)
    assert prose.spans == replace(whole.spans, parts=())


@pytest.mark.parametrize("keep", ["mesh", "umls", "health-terms"])
def test_the_error_for_missing_sources_names_the_option(keep):
    with pytest.raises(UsageError, match="--"):
        _bag(Reformulation(keep=(keep,)), Background())


def test_health_terms_are_words_of_a_file(tmp_path):
    path = tmp_path / "health.txt"
    path.write_text("Fever\n\nmoss\n")
    assert Background.read(health=str(path)).health == {"fever", "moss"}
