"""How people put a question: what they say around it, and in place of experts' words.

Abstracts have none of these words, so each would count as a rare word that the answer lacks:
`Hi, can you tell me what treats gout? Thanks!`
"""

import re

# What people ask where experts ask for treatment; abstracts do not use these words.
_WHAT_HELPS = re.compile(
    r"^\s*(?:what|(?:what|which)\s(?:drugs?|medicines?|treatments?))\s(?:helps?|works?)"
    r"(?:\s(?:best|most|well))?(?:\s(?:with|for|against|to\s(?:treat|relieve|ease|cure)))?\s+"
    r"|^\s*what\s(?:can|could|do|should)\s(?:i|we|you)\s(?:take|use)\s(?:for|against)\s+"
    r"|^\s*how\s(?:can\si|do\si|do\syou|to)\s(?:get\srid\sof|relieve|ease|cure)\s+",
    re.IGNORECASE,
)

# What opens or ends a message and is no part of its question; spaces are single.
_MARKER = (
    # `- What ...`, `**What ...`, `1. What ...`, `(b) What ...`, `Q3: What ...`; not `E. coli`.
    r"[-•>#] |\*+",
    r"\(?(?:\d{1,2}[.)]|[a-z]\)) (?=[*\"“']*[^\W\d_])",
    r"(?:q|question) ?\d{0,2} ?[:.)]",
)
_FILLER = (
    r"(?:so|well|also|now|btw|by the way|and|but) ?,",
    r"(?:ok|okay)(?![-\w])",
    r"so(?= (?:what|which|who|when|where|why|how|is|are|was|were|do|does|did|can|could"
    r"|should|will|has|have|list|name)\b)",
)
_GREETING = (
    # `HI` and `Hi-C` are terms.
    r"(?-i:[Hh]i|[Hh]ello|[Hh]ey)(?: there| all| everyone| everybody)?(?![-\w])",
    r"good (?:morning|afternoon|evening|day)(?: all| everyone| everybody)?\b",
    r"dear (?:doctors?|doc|dr|sirs?|madam|sir or madam|all|team|colleagues?|experts?)\b",
)
_REQUEST = (
    r"(?:can|could|would|will) (?:you|some(?:one|body)|any(?:one|body))(?: please| kindly)?"
    r"(?= (?:tell|explain|give|show|help|advise|clarify|list|name|describe|summari[sz]e)\b)",
    # `Please list` and the like are how experts ask.
    r"(?:please|pls|kindly)(?= (?:tell|give|show|help|explain|advise|let)\b)",
    r"(?:tell|give|show|explain to|let) (?:me|us)(?: know)?\b",
    r"help (?:me|us)(?: to)? (?:understand|know|find(?: out)?)\b",
    r"do you (?:happen to )?know\b|does (?:some|any)(?:one|body) know\b",
    r"what (?:do we|do you|can you|is there to) (?:know|tell (?:me|us)) (?=about\b)",
    r"what (?:does|do) (?:the )?(?:research|literature|evidence|studies|science|experts) "
    r"(?:say|show|suggest|tell us)\b",
    r"(?:i|we)(?:'m|'re| am| are| was| were|'ve been| have been)?(?: just)? wonder(?:ing|ed)?\b",
    r"(?:i|we)(?: would|'d)?(?: really| just)? (?:want|need|like|love) to"
    r" (?:know|understand|learn|ask|find out)\b",
    r"(?:i|we) have (?:a|one|another)(?: quick| short| simple)? question\b",
    r"(?:a |one |my )?(?:quick |short |simple )?question(?: is)? ?(?=[:,–—-])",
)
_CAVEAT = (
    r"(?:according to|based on) (?:the )?(?:(?:current|latest|recent|available|scientific) )*"
    r"(?:literature|evidence|research|studies|science)(?= ?,)",
    r"in your (?:opinion|view|experience)\b",
    r"true or false\b(?= ?[:,?])",
)
_OPENING = re.compile(
    rf"(?:{'|'.join((*_MARKER, *_FILLER, *_GREETING, *_REQUEST, *_CAVEAT))})[ ,.!:;–—-]*"
    r"(?:(?:if|whether|about|more about)\b ?)?",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?<![\w-])(?:yes or no|yes/no|y/n|true or false|please|pls|many thanks"
    r"|thank(?:s| you)(?: so much| very much| a lot| in advance| again)*"
    r"|any (?:help|ideas?|advice)(?: (?:is|would be)(?: (?:much|greatly))? appreciated)?"
    r"|(?:kind |best )?regards|(?:brief|short|quick|simple|detailed|long) answer"
    r"|in (?:brief|short|detail|a nutshell|(?:simple|lay|layman's) (?:terms|words|language)))\Z"
    # How to answer, after the question.
    r"|(?<=\?) (?:please )?(?:answer|reply|respond|cite|include (?:references|sources|citations)"
    r"|give (?:references|sources|citations)|keep (?:it|the answer)|be (?:brief|concise|short)"
    r"|use (?:simple|plain|lay))\b[^?]*\Z",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(
    r" (?:exactly|actually|really|basically|nowadays|these days)\b",
    re.IGNORECASE,
)
# What may stand after a closing, and before it.
_AFTER, _BEFORE = " .,!?)*", " ,;.!–—(-"
# Maximum number of characters of a closing: a search for each of many takes time in their number.
_LONGEST = 200


def searchable(question: str) -> str:
    """Return a question without what is said around it, in experts' words.

    >>> searchable("Hi, can you tell me what helps with numb newts? Thanks!")
    'treatment of numb newts?'
    """
    return _WHAT_HELPS.sub("treatment of ", bare(question))


def bare(question: str) -> str:
    """Return a question without list marks, greeting, request, emphasis, thanks and the like;
    unchanged if nothing else would be left.

    >>> bare("I was wondering if newts sing"), bare("Newts sing, yes or no?"), bare("Hello")
    ('newts sing', 'Newts sing?', 'Hello')
    """
    whole = " ".join(question.split())
    left = whole
    while match := _OPENING.match(left):
        left = left[match.end() :]
    left = _EMPHASIS.sub("", _without_closings(left))
    if whole.startswith("*"):
        left = left.rstrip("*")
    return left if left != whole and any(map(str.isalnum, left)) else question


def _without_closings(question: str) -> str:
    while match := _closing_of(question.rstrip(_AFTER)):
        # `Newts sing, yes or no?` asks.
        asks = "?" in question[match.start() :]
        question = question[: match.start()].rstrip(_BEFORE)
        if asks and not question.endswith("?"):
            question += "?"
    return question


def _closing_of(question: str) -> re.Match[str] | None:
    return _CLOSING.search(question, max(0, len(question) - _LONGEST))
