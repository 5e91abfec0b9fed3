"""Makes the shared strategies of this folder importable, which importmode=importlib does not."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
