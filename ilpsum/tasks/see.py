"""Summaries in SEE, the HTML in which DUC gave out summaries, with a sentence a line."""

import re

# The pattern of ROUGE-1.5.5: a sentence ends at the next tag.
_SENTENCE = re.compile(
    r'<a (?:size="[0-9]+" )?name="[0-9]+">\[[0-9]+\]</a>\s+<a href="#[0-9]+" id=[0-9]+>([^<]+)'
)


def text_of(summary: str) -> str:
    r"""Return the sentences of a summary in SEE, one per line, as ROUGE-1.5.5 reads them; any other
    text unchanged.

    >>> text_of('<html>\n<a name="1">[1]</a> <a href="#1" id=1>Newts sing.</a>\n</html>')
    'Newts sing.'
    """
    if "<a " not in summary:
        return summary
    lines = (_SENTENCE.match(line) for line in summary.split("\n"))
    return "\n".join(match[1].strip() for match in lines if match) or summary
