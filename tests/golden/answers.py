"""Answer the questions of a file from a collection of abstracts, in one process: `answers.py QUESTIONS COLLECTION`."""

import json
import sys
from pathlib import Path

import ilpsum

questions = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
sources = ilpsum.Sources(documents=(Path(sys.argv[2]),), found=20)
for question in questions:
    answered = ilpsum.ask(question, sources, words=100)
    print(json.dumps(answered.to_dict()))
