"""What the pages need not load, they do not."""

import pkgutil
import subprocess
import sys

import ilpsum.pages


def test_no_module_of_the_report_loads_training_sweeps_or_their_libraries():
    names = {module.name for module in pkgutil.iter_modules(ilpsum.pages.__path__)} - {"sweeping"}
    modules = [f"ilpsum.pages.{name}" for name in sorted(names)]
    assert "ilpsum.pages.report" in modules
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = (
        "ilpsum.pipeline.training",
        "ilpsum.evaluation.sweeps",
        "sklearn",
        "scipy",
        "gensim",
        "nltk",
        "pulp",
    )
    assert [name for name in loaded if name in heavy] == []
