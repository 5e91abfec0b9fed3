"""A few hundred damaged files, the same in every run; `make fuzz` throws 2,000 or as many as you like."""

import contextlib
import io

import pytest

from tests.fuzz.readers import READERS
from tests.fuzz.run import Fuzzer, table

NUMBER = 300


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Fuzzer:
    return Fuzzer(tmp_path_factory.mktemp("fuzz"), seed=1)


# numpy warns of numbers beyond single precision in damaged vectors before they are refused.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_damaged_file_gets_through(fuzzer: Fuzzer) -> None:
    tallies = list(fuzzer.run(NUMBER))
    faults = [fault for _, tally in tallies for fault in tally.faults]
    assert not faults, "\n".join(faults)
    assert len(list(table(tallies))) == 2 + len(READERS)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_the_seeds_are_read(fuzzer: Fuzzer, reader: object) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert fuzzer.whole(reader) == "read"
