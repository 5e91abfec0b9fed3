"""Learn when to be silent: fit and measure the probability of `ilpsum.answers.answering`.

    python experiments/silence_cases.py whole snippets small everyday later eleven
    python experiments/silence.py --models ODD.npz EVEN.npz [--learned PILE...] [--others PILE...]
        [--cache silence] [--plot FILE.svg]

The model that predicts relevance must not have seen the questions; the included one has seen
editions 1-8. So train two, with the command of `ilpsum/data/models/README.md`: ODD on the odd
editions, EVEN on the even ones. Each predicts for the questions of the other editions; ODD also for
everyday questions and editions 9-11. The coefficients that judge a question are learned from the
other editions.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import cache
from multiprocessing import Pool
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from experiments.plots import curves
from experiments.silence_cases import Case, cases
from features.arrays import Floats
from ilpsum.answers.answering import UNPREDICTED, Signs, signs_of
from ilpsum.answers.steps import Summarizer
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.records import SearchResult

LEARNED = ("every", "snippets", "small", "everyday")
OTHERS = {"whole": "whole", "later": "editions 9-11", "eleven": "edition 11, whole"}
NAMES = tuple(field.name for field in fields(Signs))
# Of the coefficients; those of other signs are not negative.
BOUNDS = dict.fromkeys(("words", "length", "searched"), (None, 0.0))
# Shares of the questions with their abstracts that are answered.
SHARES = (0.97, 0.95, 0.9, 0.85)
# Weight of each kind in the regression, as a share of the questions asked of a collection.
WEIGHTS = {"kept": 0.5, "gone": 0.5, "everyday": 0.2}
THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7)
BINS = 10
RIDGE = 0.001


@dataclass(frozen=True)
class Measured:
    """Cases with their signs.

    Attributes:
        pile, kind: (n,) as in `Case`.
        edition: (n,) of BioASQ; 0 for others.
        judged: (n,) whether there are signs.
        signs: (n, 6) as `Signs`; 0 if there are none.
        plain: (n, 6) the signs if all sentences are as relevant, as without a model.
    """

    pile: NDArray[np.str_]
    kind: NDArray[np.str_]
    edition: NDArray[np.int64]
    judged: NDArray[np.bool_]
    signs: Floats
    plain: Floats

    def only(self, chosen: NDArray[np.bool_]) -> "Measured":
        """Return the chosen cases."""
        return Measured(*(getattr(self, field.name)[chosen] for field in fields(Measured)))

    @property
    def answered(self) -> NDArray[np.bool_]:
        """(n,) whether the collection has the abstracts of a question."""
        result: NDArray[np.bool_] = self.kind == "kept"
        return result

    @property
    def unanswered(self) -> NDArray[np.bool_]:
        """(n,) whether its abstracts were taken out."""
        result: NDArray[np.bool_] = self.kind == "gone"
        return result


def signs(case: Case, pipeline: Pipeline) -> tuple[tuple[float, ...], ...]:
    """Return the signs with and without a model; nothing if there are none."""
    prepared, search = pipeline.prepare(case.topic), case.topic.search or SearchResult()
    sentences, evidence = prepared.sentences, prepared.context.evidence
    relevance = np.array([s.relevance for s in sentences])
    relevances = (relevance, np.full(len(sentences), UNPREDICTED))
    rows = (signs_of(search, evidence, sentences, row) if evidence else None for row in relevances)
    return tuple(astuple(row) for row in rows if row)


@cache
def loaded(model: Path) -> Pipeline:
    # What tells a reader little counts half only after the outcome.
    system = System.load("concepts-searched").for_reader(strict=True)
    selection = msgspec.structs.replace(system.selection, discount=1.0)
    return Summarizer.load(msgspec.structs.replace(system, selection=selection), model).for_kind(
        "searched"
    )


def _signs(pair: tuple[Case, Path]) -> tuple[tuple[float, ...], ...]:
    return signs(pair[0], loaded(pair[1]))


def measured(asked: Sequence[Case], models: Sequence[Path], stored: Path, jobs: int) -> Measured:
    """Return the cases of a collection with their signs, cached in a file."""
    if not stored.exists():
        with Pool(jobs) as pool:
            pairs = ((case, models[case.edition in (1, 3, 5, 7)]) for case in asked)
            rows = list(tqdm(pool.imap(_signs, pairs, 4), stored.name, len(asked), disable=None))
        facts = zip(*((case.pile, case.kind, case.edition) for case in asked), strict=True)
        pile, kind, edition = map(np.array, facts)
        signs = np.array([row or np.zeros((2, len(NAMES))) for row in rows])
        judged = np.array([bool(row) for row in rows])
        np.savez(
            stored,
            pile=pile,
            kind=kind,
            edition=edition,
            judged=judged,
            signs=signs[:, 0],
            plain=signs[:, 1],
        )
    arrays = np.load(stored)
    return Measured(*(arrays[field.name] for field in fields(Measured)))


def joined(parts: Sequence[Measured]) -> Measured:
    """Return the cases of several collections."""
    arrays = ([getattr(part, field.name) for part in parts] for field in fields(Measured))
    return Measured(*map(np.concatenate, arrays))


def weights(sample: Measured) -> Floats:
    """Return (n,) weights: questions with and without their abstracts weigh the same in each collection."""
    result = np.zeros(len(sample.kind))
    for pile in np.unique(sample.pile):
        in_pile = sample.pile == pile
        for kind, share in WEIGHTS.items():
            chosen = in_pile & (sample.kind == kind)
            result[chosen] = (
                share
                * (in_pile & (sample.answered | sample.unanswered)).sum()
                / max(1, chosen.sum())
            )
    return result


def regression(sample: Measured) -> Floats:
    """Return (7,) intercept and coefficients, within `BOUNDS`, learned from questions with signs.
    The coefficient of a sign that is 0 for all is 0.

    Raises:
        ValueError: a sign is the same for all questions, so nothing can be learned of it.
    """
    from scipy.optimize import minimize

    weight, sample = weights(sample)[sample.judged], sample.only(sample.judged)
    is_constant = sample.signs.any(axis=0) & (np.ptp(sample.signs, axis=0) == 0.0)
    if is_constant.any():
        constant = [NAMES[k] for k in np.flatnonzero(is_constant)]
        raise ValueError(
            f"all questions have the same {', '.join(constant)}; learn from collections that differ"
        )
    x = np.column_stack([np.ones(len(sample.kind)), sample.signs])
    y, weight = sample.answered.astype(float), weight / weight.sum()
    scale = np.append(1.0, np.maximum(sample.signs.std(axis=0), 1e-9))
    z = x / scale

    def loss(beta: Floats) -> tuple[float, Floats]:
        logit = z @ beta
        value = weight @ (np.logaddexp(0.0, logit) - y * logit) + RIDGE * beta[1:] @ beta[1:]
        slope = z.T @ (weight * (1.0 / (1.0 + np.exp(-logit)) - y))
        slope[1:] += 2.0 * RIDGE * beta[1:]
        return value, slope

    bounds = [(None, None), *(BOUNDS.get(name, (0.0, None)) for name in NAMES)]
    result: Floats = (
        minimize(loss, np.zeros(z.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x / scale
    )
    return result


def probability(coefficients: Floats, sample: Measured, *, plain: bool = False) -> Floats:
    """Return (n,) probabilities, `plain` or not; 0 without signs."""
    signs = sample.plain if plain else sample.signs
    result: Floats = sample.judged / (1.0 + np.exp(-coefficients[0] - signs @ coefficients[1:]))
    return result


def held_out(sample: Measured, kept: Sequence[str] = NAMES) -> tuple[Floats, Floats]:
    """Return (n,) probabilities with and without a model, those of an edition learned on the
    others.

    Questions without an edition are dealt out in turn to editions 1-8.
    """
    used = np.isin(NAMES, kept)
    sample = replace(
        sample, signs=np.where(used, sample.signs, 0.0), plain=np.where(used, sample.plain, 0.0)
    )
    part = np.where(sample.edition > 0, sample.edition, 1 + np.arange(len(sample.edition)) % 8)
    result = np.zeros(len(part)), np.zeros(len(part))
    for edition in np.unique(part):
        test = part == edition
        learned = regression(sample.only(~test))
        for scores, plain in zip(result, (False, True), strict=True):
            scores[test] = probability(learned, sample.only(test), plain=plain)
    return result


def refused_at(sample: Measured, scores: Floats, share: float) -> float:
    """Return the share of the questions without an answer that is refused where a share of the others is answered."""
    return float(
        (scores[sample.unanswered] < np.quantile(scores[sample.answered], 1.0 - share)).mean()
    )


def bins(sample: Measured, scores: Floats) -> list[tuple[float, float, float]]:
    """Return weight, mean probability and share with their abstracts of each bin of questions; nan
    if it is empty.

    Questions with and without their abstracts weigh the same, as where the coefficients are
    learned.
    """
    weight = np.where(sample.answered, 0.5 / max(1, sample.answered.sum()), 0.0)
    weight += np.where(sample.unanswered, 0.5 / max(1, sample.unanswered.sum()), 0.0)
    number = np.minimum((scores * BINS).astype(int), BINS - 1)
    result = []
    for index in range(BINS):
        weight_in_bin = np.where(number == index, weight, 0.0)
        total = float(weight_in_bin.sum())
        means = (
            (float(weight_in_bin @ scores) / total, float(weight_in_bin @ sample.answered) / total)
            if total
            else (np.nan, np.nan)
        )
        result.append((total, *means))
    return result


def calibration(sample: Measured, scores: Floats) -> float:
    """Return the expected calibration error."""
    return sum(weight * abs(mean - share) for weight, mean, share in bins(sample, scores) if weight)


def by_chance(sample: Measured, scores: Floats, draws: int = 200) -> float:
    """Return the mean calibration error if the outcomes were drawn with the predicted probabilities
    (seed 1).

    A perfect probability has this error: ten bins of few questions each differ by chance.
    """
    random, judged = np.random.default_rng(1), ~(sample.kind == "everyday")
    drawn_from, p = sample.only(judged), scores[judged]
    kinds = (np.where(random.random(len(p)) < p, "kept", "gone") for _ in range(draws))
    return float(np.mean([calibration(replace(drawn_from, kind=kind), p) for kind in kinds]))


def threshold(sample: Measured, scores: Floats) -> float:
    """Return the threshold that answers .97 of the questions whose abstracts the collection has."""
    return float(np.quantile(scores[sample.answered], 1.0 - SHARES[0]))


def row(name: str, sample: Measured, scores: Floats, least: float) -> str:
    """Return a row: refused where a share is answered, what a threshold answers and refuses, the calibration."""
    shares = " | ".join(f"{refused_at(sample, scores, share):.2f}" for share in SHARES)
    off, none = sample.kind == "everyday", scores < least
    everyday = f"{none[off].mean():.2f} of {off.sum()}" if off.any() else ""
    rule = f"{1.0 - none[sample.answered].mean():.3f} | {none[sample.unanswered].mean():.2f} | {everyday}"
    return (
        f"| {name} | {sample.answered.sum()} / {sample.unanswered.sum()} | {shares} | {rule} | "
        + (f"{calibration(sample, scores):.3f} | {by_chance(sample, scores):.3f} |")
    )


def trade(groups: dict[str, tuple[Measured, Floats]]) -> Iterator[str]:
    """Yield a table: what thresholds answer and refuse, with columns for each group of questions."""
    yield "\n| threshold | " + " | ".join(f"{name}: answered | refused" for name in groups) + " |"
    yield "|---" * (1 + 2 * len(groups)) + "|"
    for least in THRESHOLDS:
        shares = (
            f"{(scores[sample.answered] >= least).mean():.3f} | {(scores[sample.unanswered] < least).mean():.2f}"
            for sample, scores in groups.values()
        )
        yield f"| {least} | " + " | ".join(shares) + " |"


def tables(train: Measured, others: dict[str, Measured]) -> Iterator[str]:
    """Yield the coefficients, the thresholds and the tables."""
    (scores, plain), coefficients = held_out(train), regression(train)
    least = threshold(train, scores)
    yield f"INTERCEPT = {coefficients[0]:.3f}\nCOEFFICIENTS = ({', '.join(f'{value:.3f}' for value in coefficients[1:])})"
    yield f"ANSWERED = {least:.3f}\n"
    shares = " | ".join(f"at {share}" for share in SHARES)
    yield f"| | with / without | {shares} | answered | refused | everyday | error | by chance |"
    yield "|---" * (7 + len(SHARES)) + "|"
    parts = {"all": np.full(len(train.kind), True)}
    asked = dict.fromkeys(train.pile[train.answered].tolist())
    parts |= {pile: train.pile == pile for pile in asked}
    parts |= {f"edition {e}": train.edition == e for e in sorted({*train.edition.tolist()} - {0})}
    for name, chosen in parts.items():
        group = train.only(chosen)
        if not name.startswith("edition"):
            yield row(f"{name}, no model", group, plain[chosen], least)
        yield row(name, group, scores[chosen], least)
    judged = {name: (sample, probability(coefficients, sample)) for name, sample in others.items()}
    for name, (sample, by_model) in judged.items():
        yield row(f"{name}, no model", sample, probability(coefficients, sample, plain=True), least)
        yield row(name, sample, by_model, least)
    yield from trade({"all": (train, scores)} | judged)
    yield f"\n| signs | {shares} |"
    yield "|---" * (1 + len(SHARES)) + "|"
    trials = {f"without {name}": [n for n in NAMES if n != name] for name in NAMES} | {
        "all": list(NAMES)
    }
    for name, kept in trials.items():
        tried, _ = held_out(train, kept)
        yield (
            f"| {name} | "
            + " | ".join(f"{refused_at(train, tried, share):.2f}" for share in SHARES)
            + " |"
        )


def reliability(train: Measured, others: dict[str, Measured]) -> dict[str, list[float]]:
    """Return for each edition the share with their abstracts in each bin."""
    (scores, _), coefficients = held_out(train), regression(train)
    result = {}
    for edition in sorted({*train.edition.tolist()} - {0}):
        chosen = train.edition == edition
        result[f"edition {edition}"] = [
            share for *_, share in bins(train.only(chosen), scores[chosen])
        ]
    for name, sample in others.items():
        result[name] = [share for *_, share in bins(sample, probability(coefficients, sample))]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path("silence"), help="folder of the cases")
    parser.add_argument(
        "--models", type=Path, nargs=2, required=True, metavar=("ODD", "EVEN"), help="of relevance"
    )
    parser.add_argument("--learned", nargs="+", default=LEARNED, help="collections to learn from")
    parser.add_argument("--others", nargs="*", default=OTHERS, help="collections to measure on")
    parser.add_argument("--plot", type=Path, help="SVG of the reliability by edition")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    models = [model.absolute() for model in options.models]
    digest = "-".join(loaded(model).settings(0).system.model[:8] for model in models)
    samples = {}
    for pile in dict.fromkeys((*options.learned, *options.others)):
        stored = options.cache / f"{pile}-{digest}.npz"
        samples[pile] = measured([*cases(options.cache, pile)], models, stored, options.jobs)
    train = joined([samples[pile] for pile in options.learned])
    others = {OTHERS.get(pile, pile): samples[pile] for pile in options.others}
    print("\n".join(tables(train, others)))
    if options.plot:
        middles = [(number + 0.5) / BINS for number in range(BINS)]
        series = reliability(train, others) | {"probability": middles}
        curves(
            options.plot,
            middles,
            {"": series},
            "probability of an answer",
            "share with their abstracts",
        )


if __name__ == "__main__":
    main()
