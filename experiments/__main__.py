"""List the experiments, or run one.

    python -m experiments
    python -m experiments NAME [--data DIR] [--out DIR] [--overwrite] [OPTION...]

Each experiment makes the page, and the plots, of some published tables or figures. `NAME --help`
shows its options.
"""

import sys
from collections.abc import Sequence

from experiments.registry import EXPERIMENTS, listing
from features.registry import UnknownNameError
from ilpsum.errors import IlpsumError

INSTALL = 'pip install -e ".[experiments]"'
"""The command that installs what experiments need beyond ilpsum."""


def main(argv: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    if not argv or argv[0] in ("-h", "--help"):
        print(f"{__doc__}\n{listing()}\n\nExperiments need further libraries: {INSTALL}")
        return 0
    name, *rest = argv
    try:
        EXPERIMENTS[name].run(rest)
    except ModuleNotFoundError as error:
        print(f"error: {error.name} is not installed: {INSTALL}", file=sys.stderr)
        return 1
    except (IlpsumError, UnknownNameError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
