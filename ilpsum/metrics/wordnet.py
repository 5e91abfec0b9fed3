"""Reads WordNet's exception lists, in which ROUGE-1.5.5 looks words up before stemming."""

from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.reading import read_lines


def read_exceptions(folder: str | Path) -> dict[str, str]:
    """Read the base forms of irregular words from the `*.exc` files in a folder.

    A line contains a word and its base forms, of which the first is used. If several files contain a word, the last
    file in alphabetical order takes precedence; the script uses file system order instead, which matters for `best`,
    `better` and `testes` in WordNet 2.0.

    Raises:
        InputError: the folder does not exist or has no `*.exc`, or a line has no base form.
    """
    files = sorted(Path(folder).glob("*.exc"))
    if not files:
        raise InputError("no *.exc files; expected WordNet's adj.exc, adv.exc, noun.exc, verb.exc", folder)
    exceptions: dict[str, str] = {}
    for file in files:
        for number, line in read_lines(file):
            forms = line.decode("utf-8", "replace").split()
            if len(forms) == 1:
                raise InputError("expected a word and its base form", file, number)
            if forms:
                exceptions[forms[0]] = forms[1]
    return exceptions
