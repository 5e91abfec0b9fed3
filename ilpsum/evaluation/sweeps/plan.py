"""Sweep files (TOML), the topics of a sweep, and its configurations."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from features.registry import unknown
from features.sets import feature_set
from ilpsum import resources
from ilpsum.errors import ArgumentError, InputError, UsageError
from ilpsum.evaluation.run_scores import registered
from ilpsum.files.records import (
    UNFIT,
    Natural,
    Table,
    Whole,
    named_file,
    read_table,
    tables_in,
    typed,
    unfit,
)
from ilpsum.literature.identity import topic_digest
from ilpsum.metrics.counting import METRICS
from ilpsum.metrics.rouge import DEFAULT_METRICS
from ilpsum.pipeline.settings import SHORT, name_of, require_fitting, row_of, with_settings
from ilpsum.pipeline.system import TUNABLE, Kind, System, kind_of_all
from ilpsum.records import Topic
from ilpsum.records.tables import SYSTEM
from ilpsum.tasks.registry import default_output

# Maximum values of a range; rejects tiny steps before they exhaust memory.
_MOST_VALUES = 100_000

SWEEP = "sweep"
"""The origin of settings that a sweep varies."""

# Values of lambda that replace `path` for selectors without an exact path.
_GRID = tuple(k / 20 for k in range(21))

COLUMNS = (
    "selection.method",
    "selection.alpha",
    "selection.threshold",
    "relevance.features",
    "recipe.target",
    "recipe.scaling",
    "recipe.C",
    "recipe.gamma",
    "recipe.epsilon",
)
"""The parameters that every row of a sweep names, if its system has them."""

LAMBDA = "selection.lambda"
SCORES = "relevance.scores"


class Range(Table, frozen=True):
    """Evenly spaced values including both ends: `{from = 0.0, to = 1.0, step = 0.1}`."""

    first: float = msgspec.field(name="from")
    last: float = msgspec.field(name="to")
    step: float

    def __post_init__(self) -> None:
        if not (self.step > 0 and self.last >= self.first):
            raise ValueError("a range needs from <= to and a step above 0")
        # Written this way, it also refuses infinite ends.
        if not (self.last - self.first) / self.step <= _MOST_VALUES:
            raise ValueError(f"a range has more than {_MOST_VALUES} values")

    def __iter__(self) -> Iterator[int | float]:
        count = int((self.last - self.first) / self.step + 1e-9) + 1
        for i in range(count):
            # Round, because 3 * 0.1 != 0.3.
            value = round(self.first + i * self.step, 10)
            # Word limits are whole numbers, even in a range from 100.0.
            yield int(value) if value.is_integer() else value


class Sweep(Table, frozen=True):
    """A sweep file.

    Attributes:
        system: names of systems, or paths of .toml files relative to the sweep file; in the file,
            possibly a single string.
        description: free text.
        topics: files or folders, relative to the sweep file.
        form, pool, summaries: reader options, as for `ilpsum summarize`.
        parameters: the parameter grid: the values of `words` and of settings by key; in the file,
            also by the short names of keys. lambda `path` covers [0,1], on the exact path for the
            ILP, in steps of .05 for `gain`. Each value of a key of relevance or the recipe trains a
            model.
        folds: number of cross-validation folds; 0 uses the bundled models, or `model`.
        nested: number of outer folds for the nested estimate (`ilpsum.evaluation.sweeps.nested`); 0
            for none.
        model: a model file for `folds = 0`, relative to the sweep file.
        metrics: names of ROUGE metrics; their mean ranks the configurations.
        measure: `recall`, `precision` or `f1` of the metrics.
        stem: whether ROUGE stems words; default: as `ilpsum evaluate` for runs of such topics, only
            for papers.
        seed: random seed of training and of the baseline `random`.
    """

    system: tuple[str, ...]
    description: str = ""
    topics: tuple[str, ...] = ()
    form: str = ""
    pool: str = ""
    summaries: str = ""
    parameters: Mapping[str, tuple[bool | int | float | str, ...]] = {}
    folds: int = 0
    nested: int = 0
    model: str = ""
    metrics: tuple[str, ...] = DEFAULT_METRICS
    measure: Literal["recall", "precision", "f1"] = "recall"
    stem: bool | None = None
    seed: Whole = 1

    def __post_init__(self) -> None:
        for name, number, none in (
            ("folds", self.folds, "no training"),
            ("nested", self.nested, "no estimate"),
        ):
            if number < 0 or number == 1:
                raise ValueError(f"{name}: expected 0 ({none}) or 2 or more")
        if self.folds and self.model:
            raise ValueError("model requires folds = 0: with folds, models are trained")
        if not self.system or not self.metrics:
            raise ValueError("system and metrics: name at least one each")
        for name in self.metrics:
            METRICS[name]
        for features in self.parameters.get("relevance.features", ()):
            feature_set(str(features))

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Sweep":
        """Return the sweep that the keys of a file describe.

        Raises:
            ArgumentError: a key is unknown (the message lists those that exist), or its value does
                not fit.
        """
        keys = [field.encode_name for field in msgspec.structs.fields(cls)]
        for name in content:
            if name not in keys:
                raise ArgumentError(unknown("key of a sweep", name, keys))
        content = dict(content)
        if isinstance(content.get("system"), str):
            content["system"] = [content["system"]]
        if isinstance(content.get("metrics"), list):
            content["metrics"] = [registered(str(name)) for name in content["metrics"]]
        if isinstance(content.get("parameters"), dict):
            content["parameters"] = _axes(content["parameters"])
        try:
            return msgspec.convert(content, cls)
        except UNFIT as error:
            raise ArgumentError(unfit(error)) from None

    @classmethod
    def load(cls, path: str | Path, model: str = "") -> "Sweep":
        """Read a sweep, given the path of its .toml file or the name of a bundled sweep, with its
        own or another model.

        Resolves its paths against the file's folder.

        Raises:
            UsageError: no sweep has this name (the message lists the bundled ones), or a model is
                given for a sweep that trains.
            InputError: the file cannot be read as a sweep.
        """
        path = named_file(str(path), tables_in(resources.configs() / "sweeps"), "sweep")
        content = read_table(path, dict[str, Any], "a sweep", "configs/sweeps")
        try:
            sweep = cls.of(content)
        except ArgumentError as error:
            raise InputError(
                f"not a sweep: {error}; see configs/sweeps for examples", path
            ) from None
        if model and sweep.folds:
            raise UsageError("--model is for sweeps with folds = 0; with folds, models are trained")
        folder = path.parent
        return replace(
            sweep,
            system=tuple(
                str(folder / name) if name.endswith(".toml") else name for name in sweep.system
            ),
            topics=tuple(str(folder / topic) for topic in sweep.topics),
            model=model or (str(folder / sweep.model) if sweep.model else ""),
        )


def _axes(parameters: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """Return the values of `[parameters]` by key; ranges and single values become lists.

    `ArgumentError` for an unknown key, which lists those that exist, or a value that does not fit.
    """
    values_of = dict[str, Any]()
    for name, values in parameters.items():
        # TOML reads `candidates.citances = [true]` as a table.
        if isinstance(values, dict) and "." not in name and name not in (*SHORT, "words"):
            values_of |= {f"{name}.{key}": listed for key, listed in values.items()}
        else:
            values_of[name] = values
    return {SHORT.get(name, name): _axis(name, values) for name, values in values_of.items()}


def _axis(name: str, values: Any) -> Sequence[Any]:
    """Return the values of a parameter; exceptions as for `_axes`."""
    key = SHORT.get(name, name)
    if "." in key:
        row_of(key)
    elif key != "words":
        more = " and the keys of `ilpsum systems --settings`"
        raise ArgumentError(unknown("parameter", name, [*SHORT, "words"], more))
    listed: list[Any] = [values]
    if isinstance(values, dict):
        listed = list(typed(name, values, Range))
    elif isinstance(values, list | tuple):
        listed = list(values)
    if not listed:
        raise ArgumentError(
            f"{name}: expected at least one value; leave it out to keep the system's"
        )
    # The values of other keys are checked when a system gets them.
    if "." not in name and listed != ["path"]:
        for i, value in enumerate(listed):
            _require_fitting(f"{name}[{i}]", key, value)
    return listed


def _require_fitting(name: str, key: str, value: Any) -> None:
    """Raise `ArgumentError` if a value does not fit its parameter."""
    if key == "words":
        typed(name, value, Natural)
        return
    try:
        require_fitting(key, value)
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {str(error).removeprefix(f'{key}: ')}") from None


@dataclass(frozen=True)
class Data:
    """The topics with gold, the number without, digests of the former's content, and their kind."""

    topics: tuple[Topic, ...]
    without_gold: int
    digests: tuple[str, ...]
    kind: Kind

    @classmethod
    def of(cls, topics: Iterable[Topic]) -> "Data":
        """Collect topics; `InputError` if none has gold summaries."""
        all_topics = list(topics)
        scored = tuple(topic for topic in all_topics if topic.summaries)
        if not scored:
            raise InputError(
                "a sweep needs gold summaries, and no topic has one; name topics with gold "
                "summaries"
            )
        digests = tuple(f"{topic_digest(topic, gold=True)} {topic.id}" for topic in scored)
        return cls(scored, len(all_topics) - len(scored), digests, kind_of_all(scored)[0])

    @property
    def digest(self) -> str:
        """A digest of all topics with gold."""
        lines = "\n".join(self.digests).encode("utf-8", "backslashreplace")
        return hashlib.sha256(lines).hexdigest()[:16]


Lambda = float | Literal["path"] | None


class Configuration(msgspec.Struct, frozen=True):
    """One configuration of a sweep; lambda is `path` for the exact path over [0,1], None for the
    system's own.
    """

    system: System
    words: int
    lambda_: Lambda = msgspec.field(name="lambda")


Group = tuple[Configuration, ...]
"""Configurations that differ only in lambda, and so share a model and the ILP of each topic."""


def plan(sweep: Sweep, form: str, kind: Kind) -> tuple[Group, ...]:
    """Return the distinct configurations of a sweep in execution order, grouped.

    Parameters that a system lacks, such as the threshold of an ILP, do not affect it. The default
    word limit is the format's; `kind` selects the subsystem of a system with `kinds`.

    Raises:
        UsageError: a system is unknown, no system has a parameter, or a parameter requires training
            without folds.
        InputError: a system file cannot be read.
    """
    axes = dict(sweep.parameters)
    asked = axes.pop(LAMBDA, ())
    limits = dict.fromkeys(map(int, axes.pop("words", ()))) or [default_output(form).words]
    trained = [key for key in axes if _is_trained(key)]
    if trained and not sweep.folds:
        name = name_of(trained[0])
        raise UsageError(f"the sweep's {name} requires training: set folds to 2 or more")
    # Training does not tune what the sweep varies, so that the selectors of a system share its
    # model.
    varied = {*axes, LAMBDA} if asked else {*axes}
    fixed = {tune: () for key, tune in TUNABLE.items() if key in varied}
    loaded = [System.load(name).for_kind(kind) for name in sweep.system]
    systems = [_prepared(system, sweep.seed, fixed) for system in loaded]
    for key in sorted(axes, key=_rank):
        _require_parameter(sweep, systems, key)
        combined = []
        for system in systems:
            if has_parameter(system, key):
                combined += [with_settings(system, {key: value}, SWEEP) for value in axes[key]]
            else:
                combined.append(system)
        systems = combined
    if asked:
        _require_parameter(sweep, systems, LAMBDA)
    groups = []
    for system in dict.fromkeys(systems):
        lambdas = _lambdas(system, asked)
        groups += [tuple(Configuration(system, words, x) for x in lambdas) for words in limits]
    return tuple(groups)


def _rank(key: str) -> tuple[bool, bool, int]:
    """Return the place of a parameter in the order of execution: first those that train a model,
    which the values of others then share.
    """
    place = COLUMNS.index(key) if key in COLUMNS else len(COLUMNS)
    return key != "selection.method", not _is_trained(key), place


def _is_trained(key: str) -> bool:
    """Whether each value of a parameter needs a model of its own; scores from a file need none."""
    return key.startswith(("recipe.", "relevance.")) and key != SCORES


def _prepared(system: System, seed: int, fixed: Mapping[str, tuple[()]]) -> System:
    """Return a system whose training does not tune what is `fixed`, with the seed and, in case it
    is renamed, the name of its model.
    """
    recipe = replace(system.recipe, **fixed)
    if system.relevance is not None:
        recipe = replace(recipe, seed=seed)
        system = replace(system, model=system.model or system.name)
    return replace(system, recipe=recipe)


def _require_parameter(sweep: Sweep, systems: Sequence[System], key: str) -> None:
    """Raise `UsageError` if no system has a parameter."""
    if not any(has_parameter(system, key) for system in systems):
        names = ", ".join(sweep.system)
        raise UsageError(f"{names}: no such parameter as {name_of(key)}; leave it out")


def _lambdas(system: System, asked: tuple[Any, ...]) -> tuple[Lambda, ...]:
    """Return the lambdas of a system's configurations."""
    if not asked or not has_parameter(system, LAMBDA):
        return (None,)
    if asked == ("path",):
        return ("path",) if system.selector.is_exact else _GRID
    return tuple(dict.fromkeys(asked))


def has_parameter(system: System, key: str) -> bool:
    """Return whether a system has a parameter."""
    if _is_trained(key) or key == SCORES:
        return system.relevance is not None
    if key == "selection.alpha":
        return system.selector.has_objective
    if key in (LAMBDA, "selection.threshold"):
        return system.selector.tunes == name_of(key)
    table = key.partition(".")[0]
    return table in SYSTEM or table == system.selection.method
