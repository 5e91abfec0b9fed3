"""What is written counts, wherever it is written; see `ilpsum.pipeline.settings`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ilpsum import Summarizer, resources
from ilpsum.api.runs import write_run
from ilpsum.errors import ArgumentError, InputError, UsageError
from ilpsum.files.records import encode, to_builtins
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.settings import parsed, row_of, table_of_settings, value_of, with_settings
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import KINDS, TUNABLE, System, names
from ilpsum.records import Summary
from ilpsum.records.tables import SYSTEM
from ilpsum.runs.provenance import read_provenance
from ilpsum.selection import SELECTORS
from ilpsum.selection.centrality import LexRankParameters
from ilpsum.task1.labels import facets_of
from tests.systems import GREEDY, LEAD, placed


def load(folder: Path, text: str) -> System:
    """Load a system from the text of its file."""
    file = folder / "mine.toml"
    file.write_text(placed(f'description = "x"\n{text}'))
    return System.load(file)


def test_a_selectors_parameters_are_settings(tmp_path):
    text = 'base = "LEAD"\n[selection]\nmethod = "lexrank"\n[lexrank]\ndamping = 0.3\n'
    system = load(tmp_path, text)
    assert system.parameters_of("lexrank") == LexRankParameters(damping=0.3)
    changed = with_settings(system, {"lexrank.continuous": "true", "lexrank.damping": ".4"})
    assert changed.parameters_of("lexrank") == LexRankParameters(damping=0.4, continuous=True)
    assert changed.origins["selection.method"] == "mine.toml"
    assert changed.origins["lexrank.damping"] == "option"
    for name in SELECTORS.own:
        fields = SELECTORS[name].parameters.__struct_fields__
        assert {f"{name}.{field}" for field in fields} <= table_of_settings().keys()


def test_parameters_of_a_file_with_kinds_are_those_of_all_kinds(tmp_path):
    system = load(tmp_path, 'base = "concepts"\n[lexrank]\ndamping = 0.3\n')
    system = with_settings(system, {"selection.method": "lexrank"})
    for kind in KINDS:
        assert value_of(system.for_kind(kind), "lexrank.damping") == 0.3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[lexrank]\ndamping = 2.0\n", "lexrank: damping: expected a number of at most 1.0"),
        ("[lexrank]\ndampin = 0.2\n", "lexrank: unknown key dampin"),
        ("[lexrang]\ndamping = 0.2\n", "unknown key lexrang"),
        ("parameters = 3\n", "unknown key parameters"),
        ("origins = 3\n", "unknown key origins"),
    ],
)
def test_wrong_parameters_in_a_file(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        load(tmp_path, f'base = "LEAD"\n{text}')


def test_an_unknown_key_lists_those_of_its_table():
    with pytest.raises(ArgumentError, match=r"did you mean .*there are: lexrank\.damping, "):
        row_of("lexrank.dampin")
    with pytest.raises(ArgumentError, match=r"keys of the tables candidates, .* and of selectors"):
        row_of("nothing")
    with pytest.raises(ArgumentError, match=r"lexrank\.damping: expected a number of at most 1"):
        with_settings(System.load(LEAD), {"lexrank.damping": 2})
    with pytest.raises(UsageError, match="the system lead uses no relevance; leave out relevance"):
        with_settings(System.load(LEAD), {"relevance.claims": 0.5})


SCORES = Path(__file__).parents[2] / "data" / "scores"

# Two values of every key of a system.
VALUES: dict[str, tuple[object, object]] = {
    "candidates.citances": (False, True),
    "candidates.clean": (False, True),
    "candidates.titles": (True, False),
    "relevance.features": ("news", "ilp-sum-1"),
    "relevance.scores": tuple(str(SCORES / name) for name in ("one.jsonl", "other.tsv")),
    "relevance.embeddings": ("/one.npz", "/other.npz"),  # a relative one is from the folder
    "relevance.claims": (0.25, 0.5),
    "selection.method": ("gain", "greedy"),
    "selection.lambda": (0.3, 0.4),
    "selection.word_cost": (0.25, 0.5),
    "selection.lead": (0.25, 0.5),
    "selection.alpha": ("topic", "clip"),
    "selection.concepts": ("words", "stems"),
    "selection.weights": ("equal", "learned"),
    "selection.threshold": (0.2, 0.6),
    "selection.lists": (0.25, 0.5),
    "selection.stop": (0.25, 0.5),
    "selection.discount": (0.25, 0.5),
    "selection.aspect": (0.25, 0.5),
    "coherence.anaphora": (False, True),
    "coherence.statements": (False, True),
    "coherence.titles": (False, True),
    "coherence.fragments": (False, True),
    "coherence.focus": (False, True),
    "coherence.redundancy": (False, True),
    "coherence.strict": (False, True),
    "coherence.overlap": (0.5, 0.75),
    "coherence.fragments_after": (1, 2),
    "coherence.relax": (["focus"], ["titles", "focus"]),
    "order.by": ("score", "answer"),
    "order.labels": (False, True),
    "judge.url": ("http://localhost/v1", "http://localhost:8080/v1"),
    "judge.model": ("newt", "toad"),
    "judge.kind": ("rerank", "chat"),
    "judge.top": (30, 60),
    "judge.batch": (5, 10),
    "judge.jobs": (1, 2),
    "judge.seconds": (30.0, 60.0),
    "judge.body": ("{}", "{ }"),
    "judge.refresh": (False, True),
}
# A judge whose protocol needs no model.
JUDGE = {"url": "http://localhost/v1", "model": "newt", "kind": "rerank-texts"}
SELECTOR_KEYS = [key for key in table_of_settings() if key.partition(".")[0] in SELECTORS.own]
TUNED = 0.9
"""The value of all that the model of these tests has tuned."""


def model() -> SystemModel:
    """Return a model that has tuned lambda, threshold and word cost."""
    trained = load_model(System.load("ilp-sum-1-tuned"))
    assert trained
    return replace(trained, lambda_=TUNED, threshold=TUNED, word_cost=TUNED)


def text_of(key: str, value: object) -> str:
    """Return a table of a file with one key, and those that the key needs."""
    table, _, name = key.partition(".")
    needed = '[selection]\nmethod = "' + table + '"\n' if table in SELECTORS.own else ""
    by = 'by = "facet"\n' if key == "order.labels" else ""
    written = {name: value}
    if table == "judge":
        written = {**JUDGE, name: value}
    lines = [f"{key} = {json.dumps(given)}\n" for key, given in written.items()]
    return f"{needed}[{table}]\n{by}{''.join(lines)}"


def shown(system: System, key: str) -> tuple[object, str | None]:
    """Return the value of a key in the provenance of a summary, and where it comes from."""
    options = {"facets": facets_of} if system.order.by == "facet" else {}
    pipeline = Pipeline(system, model() if system.relevance else None, **options)
    line = json.loads(encode(to_builtins(pipeline.settings(250))))
    table, _, name = key.partition(".")
    values = line["system"]["parameters"] if table in SELECTORS.own else line[table]
    return values[name], line["origins"].get(key)


def files(folder: Path, key: str, below: object, above: object) -> System:
    """Return the system of a file that writes a key over a base that writes it otherwise."""
    method = key == "selection.method" or key.partition(".")[0] in SELECTORS.own
    tunes = "".join(f"{name} = [0.1, 0.9]\n" for name in TUNABLE.values())
    base = f'description = "x"\nbase = "ilp-sum-1-tuned"\n{text_of(key, below)}[recipe]\n{tunes}'
    if method:
        base = f'description = "x"\nbase = "ilp-sum-1-tuned"\n{text_of(key, below)}'
    (folder / "base.toml").write_text(base)
    return load(folder, f'base = "base.toml"\n{text_of(key, above)}')


def test_every_key_of_a_system_is_walked_through():
    keys = [key for key in table_of_settings() if key.partition(".")[0] in SYSTEM]
    assert list(VALUES) == keys


@pytest.mark.parametrize("key", [*VALUES, *SELECTOR_KEYS])
def test_what_the_provenance_shows_is_what_was_written(tmp_path, key):
    row = row_of(key)
    halved = row.default / 2 if isinstance(row.default, float) else not row.default
    below, value = VALUES.get(key, (row.default, halved))
    default = [*row.default] if isinstance(row.default, tuple) else row.default
    system = files(tmp_path, key, below, value)
    assert shown(system, key) == (value, "mine.toml"), "over a base that sets it otherwise"
    if default is not None:
        back = files(tmp_path, key, value, default)
        assert shown(back, key) == (default, "mine.toml"), "to its default"
        assert shown(with_settings(system, {key: default}), key) == (default, "option")
    as_text = ",".join(value) if isinstance(value, list) else json.dumps(value).strip('"')
    written = files(tmp_path, key, value, below)
    for values in ({key: value}, parsed([f"{key}={as_text}"])):
        assert shown(with_settings(written, values), key) == (value, "option")


@pytest.mark.parametrize("key", TUNABLE)
def test_what_training_tuned_counts_before_the_default_alone(tmp_path, key):
    tuned = f'base = "task2"\n[recipe]\n{TUNABLE[key]} = [0.1, 0.9]\n'
    assert shown(load(tmp_path, tuned), key) == (TUNED, "tuned in training")
    (tmp_path / "base.toml").write_text(f'description = "x"\nbase = "task2"\n{text_of(key, 0.3)}')
    anew = load(tmp_path, tuned.replace("task2", "base.toml"))
    assert shown(anew, key) == (TUNED, "tuned in training"), "a recipe tunes what its base wrote"
    assert shown(System.load("ilp-sum-0-tuned"), "selection.word_cost") == (0.0, None)


def test_the_shipped_systems_say_what_is_tuned_and_write_nothing_over_it():
    """A value that a file writes and trains in vain would be a trap."""
    for name in names():
        for part in System.load(name).parts:
            for key, tune in TUNABLE.items():
                own = part.origins.get(key)
                if getattr(part.recipe, tune):
                    assert f"{part.name}.toml" != own or "greedy" in part.selection.method
    greedy = Summarizer.load(GREEDY).for_kind("papers")
    assert (greedy.system.selection.threshold, greedy.settings(9).system.threshold) == (0.4, 0.4)
    task2 = Summarizer.load("task2").for_kind("papers")
    assert (task2.lambda_, task2.system.origins["selection.lambda"]) == (0.2, "tuned in training")


def test_the_settings_of_solver_and_run_reach_the_provenance(tmp_path):
    settings = {"solver.name": "highs", "solver.nodes": "1000", "run.bytes": "600"}
    write_run([resources.demo()], "ilp-sum-1-tuned", tmp_path / "runs", settings=settings)
    for summary in read_provenance(tmp_path / "runs" / "SYS1.provenance.jsonl"):
        assert isinstance(summary, Summary)
        assert (summary.settings.solver.name, summary.settings.solver.node_limit) == ("highs", 1000)
        assert summary.settings.bytes == 600
        assert len(summary.text.encode()) <= 600
