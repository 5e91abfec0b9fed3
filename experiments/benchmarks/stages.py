"""Print where the processor time of a command goes, as a row of shares by stage.

    python experiments/benchmarks/stages.py summarize TOPICS --system concepts --out DIR --force --quiet

The command runs in this process. A timer interrupts it each millisecond of processor time; the time since the last
interrupt counts for the stage of the innermost function that belongs to one.
"""

import contextlib
import os
import resource
import signal
import sys
from collections import Counter
from pathlib import Path
from time import process_time
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
# The first stage that names a prefix of a function's file, relative to the checkout, has its time.
STAGES = {
    "reading": ("ilpsum/formats", "ilpsum/files", "ilpsum/records/topics", "ilpsum/runs/reading"),
    "search": ("ilpsum/answers", "features/evidence", "ilpsum/pipeline/citing"),
    "sentences": ("features/sentences", "ilpsum/formats/papers", "ilpsum/pipeline/candidates"),
    "tokens, stems": ("features/text", "features/stemming", "ilpsum/metrics/numbering"),
    "features": ("features/",),
    "model": ("ilpsum/learning",),
    "rules": ("ilpsum/pipeline/coherence",),
    "ILP": ("ilpsum/selection", "ilpsum/pipeline/objective"),
    "reasons": ("ilpsum/pipeline/explanation",),
    "scores": ("ilpsum/metrics", "ilpsum/evaluation"),
    "writing": ("ilpsum/runs", "ilpsum/pages"),
}


def stage(frame: FrameType | None) -> str:
    """Return the stage of the innermost frame that has one; module code, except this script's, is `start`."""
    found = ""
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib"):
            return "start"
        if not found and code.co_filename.startswith(f"{ROOT}/"):
            path = code.co_filename[len(f"{ROOT}/") :]
            found = next((name for name, files in STAGES.items() if path.startswith(files)), "")
        frame = frame.f_back
    return found or "other"


def main() -> int:
    spent: Counter[str] = Counter({"start": process_time()})
    last = process_time()

    def sample(_: int, frame: FrameType | None) -> None:
        nonlocal last
        now = process_time()
        spent[stage(frame)] += now - last
        last = now

    signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
    import ilpsum.cli

    with Path(os.devnull).open("w") as nothing, contextlib.redirect_stdout(nothing):
        status = ilpsum.cli.main(sys.argv[1:])
    signal.setitimer(signal.ITIMER_PROF, 0)
    total = spent.total()
    names = ["start", *STAGES, "other"]
    print(f"from {Path(ilpsum.cli.__file__).parents[2]}", file=sys.stderr)
    print(f"| processor, s | peak, MB | {' | '.join(names)} |\n|{'---|' * (len(names) + 2)}")
    cells = [f"{100 * spent[name] / total:.0f} %" for name in names]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {total:.2f} | {memory:.0f} | {' | '.join(cells)} |")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
