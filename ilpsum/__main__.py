"""`python -m ilpsum`."""

import sys

from ilpsum.cli import main

sys.exit(main())
