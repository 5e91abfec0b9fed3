"""Where the files that ship with ilpsum are found: systems, models, demo topics."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def configs() -> Path:
    """The folder of the systems: in the package where it was installed, beside it in a checkout."""
    installed = _PACKAGE / "configs"
    return installed if installed.is_dir() else _PACKAGE.parent / "configs"


def models() -> Path:
    """The folder of the models that ship."""
    return _PACKAGE / "data" / "models"


def embeddings() -> Path:
    """The word vectors that ship."""
    return _PACKAGE / "data" / "embeddings" / "default.npz"


def demo() -> Path:
    """The folder of the demo topics."""
    return _PACKAGE / "data" / "demo"
