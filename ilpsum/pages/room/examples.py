"""Example questions about a collection, from the titles of its abstracts."""

import re
from collections.abc import Iterable, Iterator

_LONGEST = 90
# A title that asks a whole question; what follows it, such as a subtitle, is left out.
_ASKS = re.compile(
    r"(?:Are|Can|Do|Does|Has|Have|How|Is|Should|What|When|Where|Which|Who|Why)\b[^:.?]+\?"
)
# A title that names what it is about by one of these nouns, before any subtitle.
_NAMES = re.compile(
    r"(?:The )?((?:[a-z]+ )?(causes?|effects?|efficacy|functions?|management|mechanisms?|prevalence"
    r"|roles?|safety|symptoms|treatment) (?:of|for) [^:.?;,]+)(?:[:.]|$)",
    re.IGNORECASE,
)


def questions(titles: Iterable[str]) -> Iterator[str]:
    """Yield questions that titles ask, then those that they name: `Role of velin in newts` is asked
    as `What is the role of velin in newts?`.
    """
    named = []
    for title in titles:
        asked = _ASKS.match(title)
        if asked and len(asked[0]) <= _LONGEST:
            yield asked[0]
        elif match := _NAMES.match(title):
            topic, noun = match.groups()
            if topic[:2].istitle():
                topic = topic[0].lower() + topic[1:]
            verb = "are" if noun.lower().endswith("s") else "is"
            named.append(f"What {verb} the {topic}?")
    yield from (question for question in named if len(question) <= _LONGEST)
