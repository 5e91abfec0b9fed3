"""Time exact selection and other methods with pyperf: calibrated, in fresh processes, with peak memory.

    python experiments/benchmarks/selection_pyperf.py -o pyperf.json [--processes 4 --values 3]
    python -m pyperf stats pyperf.json

pyperf runs every benchmark in separate processes, so methods are not timed together as in `selection.py`, whose ratios
are more reliable; this script shows the spread of each method. Needs `pip install ".[benchmark]"`. Sizes and lambdas
come from $ILPSUM_SIZES and $ILPSUM_LAMBDAS, because pyperf parses the command line.
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
    # Workers start with an empty environment but need the paths of code and data.
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
