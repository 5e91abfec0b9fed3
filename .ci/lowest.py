"""Print a pip constraint for each dependency of pyproject.toml and of its extras for tests: exactly its lower bound."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
    "project"
]
extras = project["optional-dependencies"]
for requirement in (*project["dependencies"], *extras["test"]):
    if match := re.match(r"([\w.-]+)(?:\[[\w,-]+\])?\s*>=\s*([\w.]+)", requirement):
        print(f"{match[1]}=={match[2]}")
