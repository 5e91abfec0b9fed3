"""Make this folder's strategies importable, which importmode=importlib does not."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
