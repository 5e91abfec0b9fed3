"""Print a pip constraint per dependency of pyproject.toml and of its test extra: exactly its lower bound."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
for requirement in (*project["dependencies"], *project["optional-dependencies"]["test"]):
    if match := re.match(r"([\w.-]+)\s*>=\s*([\w.]+)", requirement):
        print(f"{match[1]}=={match[2]}")
