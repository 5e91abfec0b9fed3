"""Learn when to be silent: fit and measure the probability of `ilpsum.pipeline.answering`.

    python experiments/silence_cases.py whole snippets small everyday later
    python experiments/silence.py --models ODD.npz EVEN.npz [--cache silence] [--plot FILE.svg]

The relevance of what was found must be predicted by a model that has not seen the questions; the one that ships has
seen editions 1-8. So train two, with the command of `ilpsum/data/models/README.md`: ODD on the odd editions, EVEN on
the even ones. Each predicts for the questions of the other editions; ODD also for everyday questions and editions 9-11.
Coefficients that judge a question are learned from the other editions.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import cache
from multiprocessing import Pool
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from plots import curves
from silence_cases import Case, cases
from tqdm import tqdm

from features.arrays import Floats
from ilpsum.pipeline.answering import HELD, Signs, lacking, signs_of
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.system import System
from ilpsum.records import SearchResult
from ilpsum.retrieval.answerability import ANSWERED as BY_WORDS

LEARNED = ("whole", "snippets", "small", "everyday")
NAMES = tuple(field.name for field in fields(Signs))
# Shares of the questions with their abstracts that are answered.
SHARES = (0.97, 0.95, 0.9, 0.85)
# Weight of each kind in the regression, as a share of the questions asked of a collection.
WEIGHTS = {"kept": 0.5, "gone": 0.5, "everyday": 0.2}
BINS = 10
RIDGE = 0.001


@dataclass(frozen=True)
class Measured:
    """Cases with their signs.

    Attributes:
        pile, kind: (n,) as in `Case`.
        edition: (n,) of BioASQ; 0 for others.
        words: (n,) the score of the question's words.
        lacking: (n,) 1 if what was found is not about a subject of the question, else 0.
        signs: (n, 4) as `Signs`.
    """

    pile: NDArray[np.str_]
    kind: NDArray[np.str_]
    edition: NDArray[np.int64]
    words: Floats
    lacking: Floats
    signs: Floats

    def only(self, chosen: NDArray[np.bool_]) -> "Measured":
        """Return the chosen cases."""
        return Measured(*(getattr(self, field.name)[chosen] for field in fields(Measured)))

    @property
    def answered(self) -> NDArray[np.bool_]:
        """(n,) whether the abstracts of a question are there."""
        result: NDArray[np.bool_] = self.kind == "kept"
        return result

    @property
    def unanswered(self) -> NDArray[np.bool_]:
        """(n,) whether its abstracts were taken out."""
        result: NDArray[np.bool_] = self.kind == "gone"
        return result


def signs(case: Case, pipeline: Pipeline) -> tuple[float, ...]:
    """Return whether what was found lacks a subject of the question, and the signs, the least possible for nothing."""
    prepared, search = pipeline.prepare(case.topic), case.topic.search or SearchResult()
    sentences = prepared.sentences
    relevance, evidence = np.array([s.relevance for s in sentences]), prepared.context.evidence
    found = signs_of(search, evidence, relevance) if evidence else None
    if evidence is None or found is None:
        return 1.0, *astuple(Signs(math.log(0.01), 0.0, math.log(0.05), math.log1p(search.searched)))
    return float(bool(lacking(search, evidence, sentences, relevance))), *astuple(found)


@cache
def loaded(model: Path) -> Pipeline:
    # What tells a reader little counts half only after the outcome.
    system = System.load("concepts-searched").for_reader(strict=True)
    selection = msgspec.structs.replace(system.selection, discount=1.0)
    return Summarizer.load(msgspec.structs.replace(system, selection=selection), model).for_kind("searched")


def _signs(pair: tuple[Case, Path]) -> tuple[float, ...]:
    return signs(pair[0], loaded(pair[1]))


def measured(found: Sequence[Case], models: Sequence[Path], stored: Path, jobs: int) -> Measured:
    """Return the cases of a collection with their signs, which are kept in a file."""
    if not stored.exists():
        with Pool(jobs) as pool:
            pairs = ((case, models[case.edition in (1, 3, 5, 7)]) for case in found)
            known = list(tqdm(pool.imap(_signs, pairs, 4), stored.name, len(found), disable=None))
        facts = zip(*((case.pile, case.kind, case.edition) for case in found), strict=True)
        pile, kind, edition = map(np.array, facts)
        words = np.array([case.topic.search.answerable if case.topic.search else 0.0 for case in found])
        lacks, rest = np.array(known)[:, 0], np.array(known)[:, 1:]
        np.savez(stored, pile=pile, kind=kind, edition=edition, words=words, lacking=lacks, signs=rest)
    arrays = np.load(stored)
    return Measured(*(arrays[field.name] for field in fields(Measured)))


def joined(parts: Sequence[Measured]) -> Measured:
    """Return the cases of several collections."""
    arrays = ([getattr(part, field.name) for part in parts] for field in fields(Measured))
    return Measured(*map(np.concatenate, arrays))


def weights(found: Measured) -> Floats:
    """Return (n,) weights: questions with and without their abstracts weigh the same in each collection."""
    result = np.zeros(len(found.kind))
    for pile in np.unique(found.pile):
        here = found.pile == pile
        for kind, share in WEIGHTS.items():
            chosen = here & (found.kind == kind)
            result[chosen] = share * (here & (found.answered | found.unanswered)).sum() / max(1, chosen.sum())
    return result


def regression(found: Measured) -> Floats:
    """Return (5,) intercept and coefficients; those of evidence are not negative, that of the size is not positive."""
    from scipy.optimize import minimize

    x = np.column_stack([np.ones(len(found.kind)), found.signs])
    y, weight = found.answered.astype(float), weights(found)
    weight = weight / weight.sum()
    scale = np.append(1.0, np.maximum(found.signs.std(axis=0), 1e-9))
    z = x / scale

    def loss(beta: Floats) -> tuple[float, Floats]:
        logit = z @ beta
        value = weight @ (np.logaddexp(0.0, logit) - y * logit) + RIDGE * beta[1:] @ beta[1:]
        slope = z.T @ (weight * (1.0 / (1.0 + np.exp(-logit)) - y))
        slope[1:] += 2.0 * RIDGE * beta[1:]
        return value, slope

    bounds = [(None, None), *((None, 0.0) if name == "searched" else (0.0, None) for name in NAMES)]
    result: Floats = minimize(loss, np.zeros(z.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x / scale
    return result


def probability(coefficients: Floats, found: Measured) -> Floats:
    """Return (n,) probabilities."""
    result: Floats = 1.0 / (1.0 + np.exp(-coefficients[0] - found.signs @ coefficients[1:]))
    return result


def held_out(found: Measured, kept: Sequence[str] = NAMES) -> Floats:
    """Return (n,) probabilities, those of an edition learned on the others; questions of no edition by turns."""
    used = np.where(np.isin(NAMES, kept), found.signs, 0.0)
    found = replace(found, signs=used)
    part = np.where(found.edition > 0, found.edition, 1 + np.arange(len(found.edition)) % 8)
    result = np.zeros(len(part))
    for edition in np.unique(part):
        test = part == edition
        result[test] = probability(regression(found.only(~test)), found.only(test))
    return result


def refused_at(found: Measured, scores: Floats, share: float) -> float:
    """Return the share of the questions without an answer that is refused where a share of the others is answered."""
    return float((scores[found.unanswered] < np.quantile(scores[found.answered], 1.0 - share)).mean())


def bins(found: Measured, scores: Floats) -> list[tuple[float, float, float]]:
    """Return weight, mean probability and share with their abstracts of each bin of questions; nan if it is empty.

    Questions with and without their abstracts weigh the same, as where the coefficients are learned.
    """
    weight = np.where(found.answered, 0.5 / max(1, found.answered.sum()), 0.0)
    weight += np.where(found.unanswered, 0.5 / max(1, found.unanswered.sum()), 0.0)
    number = np.minimum((scores * BINS).astype(int), BINS - 1)
    result = []
    for each in range(BINS):
        here = np.where(number == each, weight, 0.0)
        total = float(here.sum())
        means = (float(here @ scores) / total, float(here @ found.answered) / total) if total else (np.nan, np.nan)
        result.append((total, *means))
    return result


def calibration(found: Measured, scores: Floats) -> float:
    """Return the expected calibration error."""
    return sum(weight * abs(mean - share) for weight, mean, share in bins(found, scores) if weight)


def barred(found: Measured) -> NDArray[np.bool_]:
    """Return (n,) whether a question gets no answer whatever the probability."""
    result: NDArray[np.bool_] = (found.words < HELD) | (found.lacking > 0.0)
    return result


def refused(found: Measured, scores: Floats, least: float) -> NDArray[np.bool_]:
    """Return (n,) whether a question gets no answer: the rule of `ilpsum.pipeline.answering`."""
    return barred(found) | (scores < least)


def threshold(found: Measured, scores: Floats) -> float:
    """Return the threshold that, with the other rules, answers .97 of the questions whose abstracts are there."""
    return float(np.quantile(np.where(barred(found), 0.0, scores)[found.answered], 1.0 - SHARES[0]))


def row(name: str, found: Measured, scores: Floats, none: NDArray[np.bool_]) -> str:
    """Return a row: refused where a share is answered, what is answered and refused by the rule, the calibration."""
    shares = " | ".join(f"{refused_at(found, scores, share):.2f}" for share in SHARES)
    off = found.kind == "everyday"
    everyday = f"{none[off].mean():.2f} of {off.sum()}" if off.any() else ""
    rule = f"{1.0 - none[found.answered].mean():.3f} | {none[found.unanswered].mean():.2f} | {everyday}"
    return f"| {name} | {found.answered.sum()} / {found.unanswered.sum()} | {shares} | {rule} | " + (
        f"{calibration(found, scores):.3f} |"
    )


def tables(train: Measured, others: dict[str, Measured]) -> Iterator[str]:
    """Yield the coefficients, the thresholds and the tables."""
    scores, whole = held_out(train), regression(train)
    least = threshold(train, scores)
    yield f"INTERCEPT = {whole[0]:.3f}\nCOEFFICIENTS = ({', '.join(f'{value:.3f}' for value in whole[1:])})"
    yield f"ANSWERED = {least:.3f}\n"
    yield f"| | with / without | {' | '.join(f'at {s}' for s in SHARES)} | answered | refused | everyday | error |"
    yield "|---" * (6 + len(SHARES)) + "|"
    parts = {"all": np.full(len(train.kind), True)}
    parts |= {pile: train.pile == pile for pile in dict.fromkeys(train.pile.tolist())}
    parts |= {f"edition {e}": train.edition == e for e in sorted({*train.edition.tolist()} - {0})}
    for name, chosen in parts.items():
        here = train.only(chosen)
        if not name.startswith("edition"):
            yield row(f"{name}, words alone", here, here.words, here.words < BY_WORDS)
        yield row(name, here, scores[chosen], refused(here, scores[chosen], least))
    for name, found in others.items():
        yield row(f"{name}, words alone", found, found.words, found.words < BY_WORDS)
        judged = probability(whole, found)
        yield row(name, found, judged, refused(found, judged, least))
    yield "\n| signs | " + " | ".join(f"at {share}" for share in SHARES) + " |"
    yield "|---" * (1 + len(SHARES)) + "|"
    trials = {f"without {name}": [n for n in NAMES if n != name] for name in NAMES} | {"all": list(NAMES)}
    for name, kept in trials.items():
        tried = held_out(train, kept)
        yield f"| {name} | " + " | ".join(f"{refused_at(train, tried, share):.2f}" for share in SHARES) + " |"


def reliability(train: Measured, others: dict[str, Measured]) -> dict[str, list[float]]:
    """Return for each edition the share with their abstracts in each bin."""
    scores, whole = held_out(train), regression(train)
    result = {}
    for edition in sorted({*train.edition.tolist()} - {0}):
        chosen = train.edition == edition
        result[f"edition {edition}"] = [share for *_, share in bins(train.only(chosen), scores[chosen])]
    for name, found in others.items():
        result[name] = [share for *_, share in bins(found, probability(whole, found))]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path("silence"), help="folder of the cases")
    parser.add_argument("--models", type=Path, nargs=2, required=True, metavar=("ODD", "EVEN"), help="of relevance")
    parser.add_argument("--plot", type=Path, help="SVG of the reliability by edition")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    models = [model.absolute() for model in options.models]
    digest = "-".join(loaded(model).settings(0).system.model[:8] for model in models)
    found = {}
    for pile in (*LEARNED, "later"):
        stored = options.cache / f"{pile}-{digest}.npz"
        found[pile] = measured([*cases(options.cache, pile)], models, stored, options.jobs)
    train = joined([found[pile] for pile in LEARNED])
    others = {"editions 9-11": found["later"]}
    print("\n".join(tables(train, others)))
    if options.plot:
        middles = [(number + 0.5) / BINS for number in range(BINS)]
        series = reliability(train, others) | {"probability": middles}
        curves(options.plot, middles, series, "probability of an answer", "share with their abstracts")


if __name__ == "__main__":
    main()
