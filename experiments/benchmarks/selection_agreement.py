"""Compare all solvers with ours: do they find the same optimum and return the same selection?

The problems are random ones with every option, and real ones at every lambda of a grid. Prints every difference.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

from selection_instances import LIMIT, data_folder, indexed, instance, questions

from features.text import bigrams
from ilpsum.errors import SolverError
from ilpsum.selection import Problem, available_solvers, select

GRID = tuple(k / 10 for k in range(11))


def random_problem(draw: random.Random) -> Problem:
    """Return a small problem, with few distinct values (which make ties) or many, and some of the options."""
    n = draw.randint(1, 14)
    concepts = [[draw.randrange(20) for _ in range(draw.randint(0, 9))] for _ in range(n)]
    coarse = draw.random() < 0.5
    relevance = [draw.choice((0.0, 0.25, 0.5, 1.0)) if coarse else draw.random() for _ in range(n)]
    prices = [draw.choice((0.0, 0.5, 1.0)) if coarse else draw.random() for _ in range(20)]
    options: dict[str, object] = {"lambda_": draw.choice(GRID)}
    if draw.random() < 0.5:
        options["price"] = prices.__getitem__
    if draw.random() < 0.5:
        options |= {
            "exclude": (draw.randrange(n),),
            "requires": ((draw.randrange(n), draw.randrange(n)),),
            "groups": (tuple({draw.randrange(n) for _ in range(3)}),),
            "documents": [draw.randrange(3) for _ in range(n)],
            "document_limit": draw.choice((None, 2)),
            "sentence_limit": draw.choice((None, 3)),
            "second_lengths": [draw.randint(5, 60) for _ in range(n)],
            "second_limit": draw.choice((None, 120)),
            "word_cost": draw.choice((0.0, 0.01)),
        }
    return Problem.build(concepts, [draw.randint(1, 12) for _ in range(n)], relevance, draw.randint(5, 40), **options)


def compare(problem: Problem, name: str, solvers: tuple[str, ...], counts: Counter[str]) -> None:
    ours = select(problem)
    counts["problems"] += 1
    for solver in solvers:
        try:
            other = select(problem, solver=solver)
        except SolverError as error:
            counts[f"{solver} failed"] += 1
            print(f"{name}: {solver}: {error}")
            continue
        counts[f"{solver} compared"] += 1
        if abs(other.objective - ours.objective) > 1e-9:
            counts[f"{solver} objective differs"] += 1
            print(f"{name}: {solver} {other.objective!r} ours {ours.objective!r}", flush=True)
        elif other.chosen != ours.chosen:
            counts[f"{solver} summary differs"] += 1
            print(f"{name}: {solver} {other.chosen} ours {ours.chosen}", flush=True)


def everywhere(folder: Path, counts: Counter[str]) -> None:
    """Solve every question on its own snippets: is every solve proved, and every selection within the limit?"""
    most_nodes = 0
    for k, question in enumerate(questions(folder)):
        tokens, lengths, values = indexed(question, ("smooth", "overlap")[k % 2])
        problem = Problem.build(map(bigrams, tokens), lengths, values, LIMIT)
        for lambda_ in (0.0, 0.1, 0.4, 0.8, 1.0):
            selection = select(problem.at(lambda_))
            counts["questions solved"] += 1
            counts["questions failed"] += selection.gap != 0.0 or not problem.allows(selection.chosen)
            most_nodes = max(most_nodes, selection.nodes)
    print(f"most nodes of a question: {most_nodes}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--real", type=int, default=10, help="real pools of each size")
    parser.add_argument("--sizes", type=int, nargs="*", default=[15, 30, 60])
    parser.add_argument("--solvers", nargs="*", default=[name for name in available_solvers() if name != "highs"])
    parser.add_argument("--everywhere", action="store_true", help="solve every question as well")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    draw = random.Random(0)
    for k in range(arguments.random):
        compare(random_problem(draw), f"random {k}", tuple(arguments.solvers), counts)
    for size in arguments.sizes:
        for seed in range(arguments.real):
            for lambda_ in GRID:
                relevance = ("smooth", "overlap")[seed % 2]
                problem = instance(arguments.data, size, seed, lambda_, relevance)
                name = f"real {size} seed {seed} lambda {lambda_} {relevance}"
                compare(problem, name, tuple(arguments.solvers), counts)
    if arguments.everywhere:
        everywhere(arguments.data, counts)
    for key, count in sorted(counts.items()):
        print(f"{key}: {count}")
    return int(any(count for key, count in counts.items() if "differs" in key or "failed" in key))


if __name__ == "__main__":
    sys.exit(main())
