"""Times of exact selection and of its rivals by pyperf: calibrated, each in fresh processes, with their peak memory.

    python experiments/benchmarks/selection_pyperf.py -o pyperf.json [--processes 4 --values 3]
    python -m pyperf stats pyperf.json

pyperf gives every benchmark processes of its own, so that what stands beside each other here was not measured on the
same problem at the same moment: ratios are those of `selection.py`, which does that, and here are the times of each
method with their spread. `pip install ".[benchmark]"`; sizes and lambdas are taken from $ILPSUM_SIZES and
$ILPSUM_LAMBDAS, since pyperf has the command line.
"""

import os

import pyperf
from contestants import FOREIGN, build, here, solve
from selection_instances import data_folder, pool

from ilpsum.selection import Limits, lambda_path

SIZES = tuple(map(int, os.environ.get("ILPSUM_SIZES", "30 100 300").split()))
LAMBDAS = tuple(map(float, os.environ.get("ILPSUM_LAMBDAS", "0.4 0.8").split()))


def main() -> None:
    runner = pyperf.Runner(processes=4, values=3)
    # Workers begin with a bare environment: what says where the code and the data are must come along.
    runner.parse_args().copy_env = True
    for size in SIZES:
        pooled = pool(data_folder(), size, 0)
        problem = build(pooled, "smooth", 0.5)
        runner.bench_func(f"path, {size}", lambda_path, problem)
        for lambda_ in LAMBDAS:
            posed = problem.at(lambda_)
            for name in ("ours", *FOREIGN):
                runner.bench_func(
                    f"{name}, {size}, {lambda_}", solve, name, posed, pooled.sentences, Limits(seconds=60.0)
                )
        for name in filter(here, ("lexrank", "lsa")):
            runner.bench_func(f"{name}, {size}", solve, name, problem, pooled.sentences, Limits(seconds=60.0))


if __name__ == "__main__":
    main()
