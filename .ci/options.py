"""Print a page with the help of every command; `make docs` writes it to docs/reference/options.md before each build."""

import contextlib
import io

from ilpsum.cli import VERBS, main


def help_of(verb: str) -> str:
    """Return what `ilpsum VERB --help` prints."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        main([verb, "--help"])
    return text.getvalue()


if __name__ == "__main__":
    print("# Options\n\nThe help of every command.\n")
    for verb in VERBS:
        print(f"## {verb}\n\n```text\n{help_of(verb)}```\n")
