"""Archives of topics, unpacked for the time of a process."""

import tarfile
import tempfile
from functools import cache
from pathlib import Path


def unpacked(archive: Path) -> Path:
    """Return the folder of topics that an archive holds, unpacked."""
    return next(Path(_folder(archive).name).iterdir())


@cache
def _folder(archive: Path) -> tempfile.TemporaryDirectory[str]:
    """Unpack an archive; what it held is removed at the end of the process."""
    folder = tempfile.TemporaryDirectory()
    with tarfile.open(archive) as packed:
        packed.extractall(folder.name, filter="data")
    return folder
