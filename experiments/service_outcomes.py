"""What becomes of questions that are asked of a literature service: the shares of each outcome.

    python experiments/service_outcomes.py QUESTIONS [--service pubmed] [--model MODEL]

QUESTIONS is a text with a question a line, or a golden file of BioASQ (`.json`, `.json.gz`). The
service is the one at `ILPSUM_EUTILS_URL` if that is set, such as a server of one's own that holds
the abstracts of the questions, or all but those.
"""

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
from tqdm import tqdm

import ilpsum
from ilpsum.answers.sources import Sources
from ilpsum.records import Outcome


def questions(path: Path) -> list[str]:
    """Return the questions of a file."""
    packed = path.read_bytes()
    text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode()
    if ".json" not in path.name:
        return [line.strip() for line in text.splitlines() if line.strip()]
    return [" ".join(question["body"].split()) for question in json.loads(text)["questions"]]


def interval(shown: np.ndarray, draws: int = 10_000) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a share (seed 1)."""
    random = np.random.default_rng(1)
    means = random.choice(shown, (draws, len(shown))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", type=Path)
    parser.add_argument("--service", default="pubmed")
    parser.add_argument("--model", help="of relevance, if the included one has seen the questions")
    options = parser.parse_args()
    outcomes = []
    for question in tqdm(questions(options.questions), disable=None):
        sources = Sources(services=(options.service,))
        outcomes.append(ilpsum.ask(question, sources, model=options.model).outcome)
    counts = Counter(outcomes)
    print(f"{len(outcomes)} questions")
    for outcome in Outcome:
        shown = np.array([each is outcome for each in outcomes], dtype=float)
        low, high = interval(shown)
        print(f"{outcome}: {counts[outcome]} ({shown.mean():.3f} [{low:.3f}, {high:.3f}])")


if __name__ == "__main__":
    main()
