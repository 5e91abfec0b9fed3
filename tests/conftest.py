"""What the tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data, from $ILPSUM_TEST_DATA or beside the checkout; a test without it is skipped."""
    folder = Path(os.environ.get("ILPSUM_TEST_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set ILPSUM_TEST_DATA to a folder that holds tac2014/, scisumm/, ...")
    return folder
