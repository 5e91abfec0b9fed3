"""Print a page with all settings and the help of every command; `make docs` writes it before each build."""

import contextlib
import io

from ilpsum.cli import VERBS, main
from ilpsum.pipeline.settings import table_of_settings


def help_of(verb: str) -> str:
    """Return what `ilpsum VERB --help` prints."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        main([verb, "--help"])
    return text.getvalue()


if __name__ == "__main__":
    print("# Options\n\nThe settings, and the help of every command.\n\n## Settings\n")
    print("| key | default | meaning |\n|---|---|---|")
    for row in table_of_settings().values():
        default = ",".join(row.default) if isinstance(row.default, tuple) else row.default
        print(f"| `{row.key}` | {'' if default is None else default} | {row.help} |")
    print()
    for verb in VERBS:
        print(f"## {verb}\n\n```text\n{help_of(verb)}```\n")
