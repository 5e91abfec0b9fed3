"""Systems as TOML: what is refused, and the error messages."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from features.sets import feature_set
from ilpsum.errors import InputError, UsageError
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import KINDS, RENAMED, System, names
from ilpsum.records.tables import RULES, SEARCHED, CandidateTable, CoherenceTable
from tests.systems import LEAD, placed

GOOD = 'description = "a system of one\'s own"\n[relevance]\nfeatures = "ilp-sum-1"\n'


def load(folder: Path, text: str) -> System:
    path = folder / "mine.toml"
    path.write_text(placed(text), encoding="utf-8")
    return System.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "colour = 1\n", "unknown key colour"),
        (
            'description = "mine"\nlambda = 0.5\n',
            "unknown key lambda \\(it belongs in \\[selection\\]\\)",
        ),
        (GOOD + "by = 'facet'\n", "unknown key by \\(it belongs in \\[order\\]\\)"),
        (
            GOOD.replace("ilp-sum-1", "ilp-sum-9"),
            "unknown feature set or feature 'ilp-sum-9' \\(did you mean ilp-sum-2\\?\\); there are: news",
        ),
        (
            GOOD + '[selection]\nmethod = "magic"\n',
            "unknown selector 'magic' \\(did you mean sumbasic\\?\\); there are: ilp, gain",
        ),
        (GOOD + "[selection]\nlambda = 1.5\n", "lambda: expected a number of at most 1"),
        (
            GOOD + '[selection]\nmethod = "greedy"\nweights = "learned"\n',
            'method "greedy" does not use',
        ),
        (
            GOOD + "[recipe]\ngamma = [-1.1]\n",
            "recipe.gamma\\[0\\]: expected a number of more than 0",
        ),
        (GOOD + "[recipe]\nC = [inf]\n", "recipe.C\\[0\\]: expected a number of at most"),
        (
            GOOD + "[recipe]\nepsilon = [nan]\n",
            "recipe.epsilon\\[0\\]: expected a number of at least 0",
        ),
        (GOOD + f"[recipe]\nseed = {10**400}\n", "recipe.seed: expected a whole number of at most"),
        (
            GOOD + f"[recipe.trees]\nseed = {10**400}\n",
            "recipe.trees.seed: expected a whole number of at most",
        ),
        ('description = "no relevance"\n', "requires a table \\[relevance\\]"),
        ("description = \n", "invalid value"),
        ("", "the key description is missing"),
        (
            "description = '\udcff'\n".encode("utf-8", "surrogatepass").decode("latin-1"),
            "not a system",
        ),
    ],
)
def test_errors_name_the_file(tmp_path, text, message):
    with pytest.raises(InputError, match=rf"mine\.toml: .*{message}"):
        load(tmp_path, text)


def test_systems_that_share_a_model_share_its_recipe():
    sharing = {
        name: system for name in names() if (system := System.load(name)).model and not system.kinds
    }
    assert {name: system.model for name, system in sharing.items()} == {
        "baseline-1": "baseline-1",
        "baseline-2": "baseline-1",
        "concepts-asked": "concepts-merged",
        "concepts-single": "concepts-general",
        "gr-sum-2-tuned": "ilp-sum-2-tuned",
        "gr-sum-2": "ilp-sum-2",
        "greedy": "ilp-sum-1-tuned",
    }
    for system in sharing.values():
        owner = System.load(system.model)
        assert (system.recipe, system.relevance, system.candidates, system.selection.stems, system.tunes) == (
            owner.recipe, owner.relevance, owner.candidates, owner.selection.stems, owner.tunes
        )  # fmt: skip


PUBLISHED = names("published")
"""The systems of Malakasiotis et al. (2015)."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_systems_are_as_published(name):
    system = System.load(name)
    recipe, selection = system.recipe, system.selection
    assert (recipe.sample, recipe.tune_threshold, recipe.target) == (0, (), "recall")
    assert (selection.lambda_, selection.threshold, selection.alpha) == (0.8, 0.4, "topic")
    greedy = name in ("baseline-2", "gr-sum-2")
    assert selection.method == ("greedy" if greedy else "ilp")
    assert system.candidates == CandidateTable(titles=False)
    assert system.relevance is not None
    columns = {"baseline": 6, "ilp-sum-0": 6, "ilp-sum-1": 8, "ilp-sum-2": 26, "gr-sum-2": 26}
    (expected,) = (width for start, width in columns.items() if name.startswith(start))
    assert len(feature_set(system.relevance.features).columns) == expected


def test_baseline_1_and_ilp_sum_0_differ_in_training_data_alone():
    baseline, ours = System.load("baseline-1"), System.load("ilp-sum-0")
    named = {"name": ours.name, "description": ours.description, "model": ours.model}
    assert msgspec.structs.replace(baseline, **named) == ours
    assert baseline.model != (ours.model or ours.name)


def test_what_runs_for_each_kind_of_topic_is_that_of_the_named_system():
    for kind in KINDS:
        part = "concepts-general" if kind == "answers" else f"concepts-{kind}"
        system, named = System.load("concepts").for_kind(kind), System.load(part)
        owner = named.model or named.name
        assert (system.name, system.model) == ("concepts", owner)
        assert msgspec.structs.replace(system, name=named.name, model=named.model) == named
        short = System.load("concepts-short").for_kind(kind)
        assert (short.name, short.model, short.relevance) == (
            "concepts-short",
            owner,
            named.relevance,
        )
        assert (short.selection.lambda_, short.selection.word_cost) == (0.02, 0.15)
        assert short.recipe.trees == named.recipe.trees
        assert (short.recipe.tune, short.recipe.criterion) == ((), "f1")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("ilp-sum-2-paper", "is now ilp-sum-2$"),
        ("baseline-1-paper", "is now baseline-1$"),
        ("lead", 'is now the method lead: `--method lead`, method="lead"$'),
        ("concepts-answers", "is now concepts-general$"),
    ],
)
def test_a_name_of_an_earlier_version_is_answered_with_the_new_one(tmp_path, name, instead):
    with pytest.raises(UsageError, match=f"^the system '{name}' {instead}"):
        System.load(name)
    with pytest.raises(InputError, match=rf"mine\.toml: the system '{name}' {instead}"):
        load(tmp_path, f'base = "{name}"\n')


def test_every_new_name_exists():
    instead = {new.split()[0] for new in RENAMED.values() if not new.startswith("the method")}
    assert instead <= set(names())
    assert not RENAMED.keys() & set(names())


def test_tables_for_all_kinds_and_files_beside_the_file(tmp_path):
    load(tmp_path, GOOD + "[coherence]\nstatements = true\n[order]\nby = 'score'\n")
    named = dict.fromkeys(KINDS, LEAD) | {"papers": "mine.toml", "snippets": "ilp-sum-1-tuned"}
    kinds = "[kinds]\n" + "".join(f'{kind} = "{name}"\n' for kind, name in named.items())
    (tmp_path / "all.toml").write_text(f'description = "x"\n{kinds}[selection]\nlambda = 0.5\n')
    system = System.load(tmp_path / "all.toml")
    changed = with_settings(system, {"order.by": "answer"})
    for kind, statements in (("papers", True), ("snippets", False)):
        assert system.for_kind(kind).selection.lambda_ == 0.5
        assert system.for_kind(kind).coherence.statements == statements
        assert changed.for_kind(kind).order.by == "answer"
    assert [system.for_kind(kind).order.by for kind in KINDS] == ["score", *["document"] * 8]
    assert [system.for_kind(kind).selection.method for kind in KINDS] == [
        "ilp",
        "ilp",
        *["lead"] * 7,
    ]
    with pytest.raises(ValueError, match="change that of `for_kind"):
        msgspec.structs.replace(system, relevance=System.load("ilp-sum-1-tuned").relevance)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('base = "mine.toml"\n', "lead back to itself"),
        ("base = 3\n", "base: expected text, got a whole number"),
        ('base = "LEAD"\n[kinds]\npapers = "LEAD"\n', "is missing"),
        (
            'description = "x"\n[kinds]\npapers = "LEAD"\nsnippets = "mine.toml"\n',
            "lead back to itself",
        ),
        ('description = "x"\nkinds = 3\n', "kinds: expected a table, got a whole number"),
        (
            'description = "x"\n[kinds]\npapers = 3\nsnippets = 3\nabstracts = 3\n',
            "expected text, got a whole number",
        ),
    ],
)
def test_wrong_bases_and_kinds_are_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=rf"mine\.toml: .*{message}"):
        load(tmp_path, text)


def test_an_unknown_base_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"mine\.toml: unknown system 'nine'; there are: "):
        load(tmp_path, 'base = "nine"\n')


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml: no such file or folder; check the path"):
        System.load(tmp_path / "none.toml")


def test_coherence_and_clean_text_reach_the_systems_of_all_kinds():
    system = System.load("concepts")
    assert system.for_kind("merged").coherence.rules == (
        "anaphora",
        "statements",
        "fragments",
        "redundancy",
    )
    assert system.for_kind("snippets").coherence.rules == ("statements", "fragments")
    assert system.for_kind("papers").coherence.rules == ("anaphora", "statements", "redundancy")
    none = with_settings(
        system, {f"coherence.{rule}": False for rule in RULES} | {"coherence.relax": ()}
    )
    assert not any(none.for_kind(kind).coherence.rules for kind in KINDS)
    wider = with_settings(system, {"coherence.overlap": 0.5}).for_kind("merged").coherence
    assert (wider.rules, wider.overlap) == (
        ("anaphora", "statements", "fragments", "redundancy"),
        0.5,
    )
    clean = [kind for kind in KINDS if system.for_kind(kind).candidates.clean]
    assert clean == ["papers", "snippets", "merged", "abstracts", "searched", "asked"]
    for clean in (False, True):
        changed = with_settings(system, {"candidates.clean": clean})
        assert {changed.for_kind(kind).candidates.clean for kind in KINDS} == {clean}
    reader = system.for_reader(strict=True)
    for kind in KINDS:
        assert reader.for_kind(kind).candidates.clean
        assert reader.for_kind(kind).coherence.rules == SEARCHED
    # Rules that Python sets stay.
    one = replace(System.load("ilp-sum-1-tuned"), coherence=CoherenceTable(anaphora=True))
    assert one.for_reader(strict=True).coherence == CoherenceTable(anaphora=True, strict=True)


def test_a_long_name_of_no_system_is_quoted_in_part():
    with pytest.raises(UsageError, match=r"unknown system 'x{100}'; there are: ") as raised:
        System.load("x" * 5000)
    assert len(str(raised.value)) < 1000
