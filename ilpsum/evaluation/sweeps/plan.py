"""Sweep files (TOML), the topics of a sweep, and its configurations."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from features.registry import suggested
from features.sets import feature_set
from ilpsum import resources
from ilpsum.errors import ArgumentError, InputError, UsageError
from ilpsum.evaluation.scoring import registered
from ilpsum.files.records import LARGEST, UNFIT, Table, read_table, unfit
from ilpsum.literature.identity import topic_digest
from ilpsum.metrics.counting import METRICS
from ilpsum.metrics.rouge import DEFAULT_METRICS
from ilpsum.pipeline.settings import row_of, with_settings
from ilpsum.pipeline.system import TUNABLE, Kind, System, kind_of_all
from ilpsum.records import Topic
from ilpsum.records.tables import SYSTEM
from ilpsum.tasks.registry import default_output

# Maximum values of a range; rejects tiny steps before they exhaust memory.
_MOST_VALUES = 100_000

# Parameters that require training; of the last three, the recipe lists the values to search.
_SEARCHED = ("C", "gamma", "epsilon")
_TRAINED = ("features", "target", "scaling", *_SEARCHED)

SWEEP = "sweep"
"""The origin of settings that a sweep varies."""

# Parameters that are settings of a system.
_SETTINGS = {
    "method": "selection.method",
    "alpha": "selection.alpha",
    "threshold": "selection.threshold",
    "features": "relevance.features",
}

SHORT = {key: name for name, key in {**_SETTINGS, "lambda": "selection.lambda"}.items()}
"""The parameter that a setting has a short name for, by key."""

# Values of lambda that replace `path` for selectors without an exact path.
_GRID = tuple(k / 20 for k in range(21))


class Range(Table, frozen=True):
    """Evenly spaced values including both ends: `{from = 0.0, to = 1.0, step = 0.1}`."""

    first: float = msgspec.field(name="from")
    last: float = msgspec.field(name="to")
    step: float

    def __post_init__(self) -> None:
        if not (self.step > 0 and self.last >= self.first):
            raise ValueError("a range needs from <= to and a step above 0")
        if (self.last - self.first) / self.step > _MOST_VALUES:
            raise ValueError(f"a range has more than {_MOST_VALUES} values")

    def __iter__(self) -> Iterator[float]:
        count = int((self.last - self.first) / self.step + 1e-9) + 1
        # Round, because 3 * 0.1 != 0.3.
        return (round(self.first + i * self.step, 10) for i in range(count))


class Axes(Table, frozen=True):
    """Parameter grid: a list or numeric range of values for each parameter; empty ones keep the
    system's value.

    Attributes:
        method: selectors, such as `ilp`, `gain`, `greedy`.
        lambda_: lambda of the objective (key `lambda`); `path` covers [0,1], on the exact path for
            the ILP, in steps of .05 for `gain`.
        words: word limits.
        threshold: redundancy threshold of the selector `greedy`.
        alpha: normalisation of relevance in the ILP.
        features: feature set of the relevance model; trains a model for each value.
        target, scaling, C, gamma, epsilon: parameters of the training recipe, likewise.
        settings: values of further settings of a system, by key, such as `candidates.citances`.
    """

    method: tuple[str, ...] = ()
    lambda_: Literal["path"] | tuple[float, ...] | Range = msgspec.field(name="lambda", default=())
    words: tuple[int, ...] | Range = ()
    threshold: tuple[float, ...] | Range = ()
    alpha: tuple[Literal["clip", "topic"], ...] = ()
    features: tuple[str, ...] = ()
    target: tuple[Literal["recall", "precision"], ...] = ()
    scaling: tuple[Literal["topic", "training"], ...] = ()
    C: tuple[float, ...] | Range = ()
    gamma: tuple[float, ...] | Range = ()
    epsilon: tuple[float, ...] | Range = ()
    settings: Mapping[str, tuple[bool | int | float | str, ...] | Range] = {}

    def __post_init__(self) -> None:
        shares = [*([] if self.lambda_ == "path" else self.lambda_), *self.threshold]
        if not all(isinstance(value, float | int) and 0.0 <= value <= 1.0 for value in shares):
            raise ValueError("lambda and threshold: expected numbers from 0 to 1")
        if not all(1 <= value <= LARGEST and value == int(value) for value in self.words):
            raise ValueError(f"words: expected whole numbers from 1 to {LARGEST}")
        if not all(value > 0 for value in (*self.C, *self.gamma)) or not all(
            value >= 0 for value in self.epsilon
        ):
            raise ValueError("C and gamma: expected numbers above 0; epsilon: 0 or more")
        for name in self.features:
            feature_set(name)


class Sweep(Table, frozen=True):
    """A sweep file.

    Attributes:
        system: one or more system names, or paths of .toml files relative to the sweep file.
        description: free text.
        topics: files or folders, relative to the sweep file.
        form, pool, summaries: reader options, as for `ilpsum summarize`.
        parameters: the parameter grid.
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

    system: str | tuple[str, ...]
    description: str = ""
    topics: tuple[str, ...] = ()
    form: str = ""
    pool: str = ""
    summaries: str = ""
    parameters: Axes = Axes()
    folds: int = 0
    nested: int = 0
    model: str = ""
    metrics: tuple[str, ...] = DEFAULT_METRICS
    measure: Literal["recall", "precision", "f1"] = "recall"
    stem: bool | None = None
    seed: int = 1

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
        if self.seed < 0:
            raise ValueError("seed: expected 0 or more")
        for name in self.metrics:
            METRICS[name]

    @classmethod
    def load(cls, path: str | Path, model: str = "") -> "Sweep":
        """Read a sweep, given the path of its .toml file or the name of a bundled sweep, with its
        own or another model.

        Resolves its paths against the file's folder.

        Raises:
            UsageError: no sweep has this name (the message lists the bundled ones), or one that
                trains gets a model.
            InputError: the file cannot be read as a sweep.
        """
        path = _file(str(path))
        content = read_table(path, dict[str, Any], "a sweep", "configs/sweeps")
        try:
            sweep = msgspec.convert(with_axes(content), cls)
        except (ArgumentError, *UNFIT) as error:
            why = error if isinstance(error, ArgumentError) else unfit(error)
            raise InputError(f"not a sweep: {why}; see configs/sweeps for examples", path) from None
        if model and sweep.folds:
            raise UsageError("--model is for sweeps with folds = 0; with folds, models are trained")
        here = path.parent
        return replace(
            sweep,
            system=tuple(
                str(here / name) if name.endswith(".toml") else name for name in sweep.systems
            ),
            topics=tuple(str(here / topic) for topic in sweep.topics),
            model=model or (str(here / sweep.model) if sweep.model else ""),
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """One or more system names."""
        return (self.system,) if isinstance(self.system, str) else self.system


def with_axes(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a sweep file with the keys of `[parameters]` that are settings of a
    system, such as `candidates.citances`, in the table `settings`; `ArgumentError` for an unknown
    key, with those that exist.
    """
    _require(content, _names(Sweep), "key of a sweep")
    content = dict(content)
    if isinstance(content.get("metrics"), list):
        content["metrics"] = [registered(str(name)) for name in content["metrics"]]
    parameters = content.get("parameters")
    if not isinstance(parameters, dict):
        return content
    axes, settings = dict[str, Any](), dict[str, Any]()
    known = [name for name in _names(Axes) if name != "settings"]
    for name, values in parameters.items():
        tables = isinstance(values, dict) and "." not in name and name not in known
        # TOML reads `candidates.citances = [true]` as a table.
        keys = {f"{name}.{key}": own for key, own in values.items()} if tables else {name: values}
        for key, own in keys.items():
            if own == []:
                raise ArgumentError(
                    f"{key}: expected at least one value; leave it out to keep the system's"
                )
            if "." not in key:
                _require([key], known, "parameter", " and the keys of `ilpsum systems --settings`")
                axes[key] = own
                continue
            row_of(key)
            if key in SHORT:
                axes[SHORT[key]] = own
            else:
                settings[key] = own
    return {**content, "parameters": {**axes, "settings": settings}}


def _names(table: type[Table]) -> list[str]:
    """Return the keys of a table."""
    return [field.encode_name for field in msgspec.structs.fields(table)]


def _require(names: Iterable[str], known: Sequence[str], what: str, more: str = "") -> None:
    """Raise `ArgumentError` for an unknown name, with those that exist."""
    for name in names:
        if name not in known:
            near = suggested(name, known)
            raise ArgumentError(
                f"unknown {what} {name[:100]!r}; there are: {', '.join(known)}{more}{near}"
            )


def _file(name: str) -> Path:
    shipped = {path.stem: path for path in sorted((resources.configs() / "sweeps").glob("*.toml"))}
    if name.endswith(".toml") or (name not in shipped and Path(name).exists()):
        return Path(name)
    if name not in shipped:
        near = suggested(name, shipped)
        raise UsageError(
            f"unknown sweep {name!r}; there are: {', '.join(shipped)}; or name a .toml file{near}"
        )
    return shipped[name]


@dataclass(frozen=True)
class Data:
    """The topics with gold, the number without, a digest of the former's content, and their
    kind.
    """

    topics: tuple[Topic, ...]
    without_gold: int
    digest: str
    kind: Kind

    @classmethod
    def of(cls, topics: Iterable[Topic]) -> "Data":
        """Collect topics; `InputError` if none has gold summaries."""
        every = list(topics)
        scored = tuple(topic for topic in every if topic.summaries)
        if not scored:
            raise InputError(
                "a sweep needs gold summaries, and no topic has one; name topics with gold "
                "summaries"
            )
        lines = "\n".join(f"{topic_digest(topic, gold=True)} {topic.id}" for topic in scored)
        digest = hashlib.sha256(lines.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        return cls(scored, len(every) - len(scored), digest, kind_of_all(scored)[0])


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
    systems, asked = [System.load(name).for_kind(kind) for name in sweep.systems], sweep.parameters
    if asked.method:
        systems = [_put(system, "method", method) for system in systems for method in asked.method]
    axes = {
        name: values
        for name in (*_TRAINED, "alpha", "threshold")
        if (values := tuple(getattr(asked, name)))
    }
    axes |= {name: tuple(values) for name, values in asked.settings.items()}
    if not sweep.folds and (named := [name for name in axes if name in _TRAINED]):
        raise UsageError(f"the sweep's {named[0]} requires training: set folds to 2 or more")
    lambdas: tuple[Lambda, ...] = ("path",)
    if asked.lambda_ != "path":
        lambdas = tuple(dict.fromkeys(map(float, asked.lambda_)))
    for name in (*axes, *(["lambda"] if lambdas else [])):
        if not any(_has(system, name) for system in systems):
            raise UsageError(
                f"{', '.join(sweep.systems)}: no such parameter as {name}; leave it out"
            )
    # Training does not tune what the sweep varies, so that the selectors of a system share its
    # model.
    varied = {_SETTINGS.get(name, name) for name in axes}
    if lambdas:
        varied.add("selection.lambda")
    fixed = {tune: () for key, tune in TUNABLE.items() if key in varied}
    variants = dict.fromkeys(_prepared(system, sweep.seed, fixed) for system in systems)
    for name, values in axes.items():
        having = ((system, values if _has(system, name) else (None,)) for system in variants)
        variants = dict.fromkeys(
            _put(system, name, value) for system, own in having for value in own
        )
    limits = dict.fromkeys([int(value) for value in asked.words] or [default_output(form).words])
    return tuple(_group(system, words, lambdas) for system in variants for words in limits)


def _group(system: System, words: int, lambdas: tuple[Lambda, ...]) -> Group:
    if not _has(system, "lambda"):
        lambdas = ()
    elif lambdas == ("path",) and not system.selector.is_exact:
        lambdas = _GRID
    return tuple(Configuration(system, words, value) for value in lambdas or (None,))


def _prepared(system: System, seed: int, recipe: dict[str, Any]) -> System:
    """Set keys of the recipe and, for training, its seed and the model name, in case the system is
    renamed.
    """
    if system.relevance is not None:
        system, recipe = replace(system, model=system.model or system.name), recipe | {"seed": seed}
    return replace(system, recipe=replace(system.recipe, **recipe))


def _put(system: System, name: str, value: Any) -> System:
    """Set a parameter of a system, unless the value is None."""
    if value is None:
        return system
    key = _SETTINGS.get(name, name)
    if "." in key:
        return with_settings(system, {key: value}, SWEEP)
    return replace(
        system,
        recipe=replace(system.recipe, **{name: (float(value),) if name in _SEARCHED else value}),
    )


def _has(system: System, name: str) -> bool:
    """Return whether a system has a parameter."""
    table, dot, _ = name.partition(".")
    if name in _TRAINED or table == "relevance":
        return system.relevance is not None
    if dot:
        return table in SYSTEM or table == system.selection.method
    selector = system.selector
    return selector.has_objective if name == "alpha" else selector.tunes == name
