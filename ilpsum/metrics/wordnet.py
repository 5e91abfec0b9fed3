"""WordNet's exception lists, which ROUGE-1.5.5 looks a word up in before it stems it."""

from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.io.files import read_lines


def read_exceptions(folder: str | Path) -> dict[str, str]:
    """The base forms of irregular words, from the files `*.exc` of a folder.

    A line has a word and its base forms, the first of which counts. Of a word in several files the last file in
    alphabetical order counts; the script takes the files in the order of the disk, which matters for `best`, `better`
    and `testes` of WordNet 2.0.

    Raises:
        InputError: no such folder, no `*.exc` in it, or a line that is no pair of words.
    """
    files = sorted(Path(folder).glob("*.exc"))
    if not files:
        raise InputError(
            "holds no *.exc: a folder with WordNet's adj.exc, adv.exc, noun.exc, verb.exc is needed", folder
        )
    exceptions: dict[str, str] = {}
    for file in files:
        for number, line in read_lines(file):
            forms = line.decode("utf-8", "replace").split()
            if len(forms) == 1:
                raise InputError("a word and its base form were expected", file, number)
            if forms:
                exceptions[forms[0]] = forms[1]
    return exceptions
