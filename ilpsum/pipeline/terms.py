"""Term analysis: indexing, search and features analyse texts in the same way.

Terms are runs of letters and runs of digits, lower-cased, with spellings and plurals normalised
(`normal`), stemmed (Porter's English stemmer), without accents (`features.folding`) and stop words.
Greek letters become their names. A number after letters also forms a compound with them: `IL-6`,
`IL6` and `IL 6` all give `il`, `6`, `il6`; `vitamin D` gives `vitamin`, `dvitamin`.
"""

import math
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain
from typing import Any

import numpy as np

from features.arrays import Floats
from features.folding import folded
from features.patterns import regex
from features.text import STOP_WORDS
from ilpsum.records import SearchResult

# Adverbs of sentences, whose stems are those of other words: `collectively` is not `collect`.
_ADVERBS = "accordingly collectively importantly initially presently relatively respectively"
# Words that are never searched. Down syndrome is.
UNSEARCHED = STOP_WORDS - {"down"} | set(_ADVERBS.split())

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda nu xi omicron pi rho "
    "sigma sigma tau upsilon phi chi psi omega"
)
_NAMES = [f" {name} " for name in _GREEK.split()]
_CHARACTERS = str.maketrans(
    dict(zip("αβγδεζηθικλνξοπρσςτυφχψωΑΒΓΔΕΖΗΘΙΚΛΝΞΟΠΡΣΣΤΥΦΧΨΩ", 2 * _NAMES, strict=True))
)

# A Latin letter in place of a Greek one: TGFb, NFkB.
_LATIN = regex(r"([A-Z](?<!\w.)[A-Z]+)([abgdk])(?=B?\b|\d)")
_LATIN_NAMES = {"a": "alpha", "b": "beta", "g": "gamma", "d": "delta", "k": "kappa"}

_LETTERS = regex(r"[^\W\d_]+")
_APART = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
# A number, possibly with a final letter as in IL-17A.
_NUMBER = regex(r"(\d+)([^\W\d_](?![^\W_]))?")
# The same, or the letter of a name (`vitamin D`): three times as slow.
_LETTERED = "vitamin", "hepatitis", "influenza"
_AFTER = "|".join(f"(?<={name}[ -].)" for name in _LETTERED)
_OR_LETTER = regex(rf"{_NUMBER.pattern}|([a-k])(?![^\W_]|[ -]?\d)(?:{_AFTER})")
# What may separate a number from the letters of its compound.
_JOINTS = ("", "-", "(", " ")
_JOINT = regex("[-( ]")

# Irregular plurals and spellings.
_IRREGULAR = {
    "mice": "mouse", "lice": "louse", "feet": "foot", "teeth": "tooth", "women": "woman",
    "men": "man",
    "children": "child", "genera": "genus", "viscera": "viscus",
    "grey": "gray", "ageing": "aging", "aluminium": "aluminum", "practise": "practice",
}  # fmt: skip

# Applied in this order, each to the result of the previous one.
_RULES = tuple(
    (regex(pattern), replacement)
    for pattern, replacement in (
        # Plurals: metastases, bacteria, criteria, larvae, cortices, matrices, stigmata, emboli.
        (r"(?<=...)sis$", "ses"),
        (r"(?<=..)ium$", "ia"),
        (r"(?<=chondri)on$|(?<=criteri)on$|(?<=gangli)on$|(?<=phenomen)on$", "a"),
        (r"(?<=...)um$", "a"),
        (r"(?<=...)ae$", "a"),
        (r"(?<=cort)ices$|(?<=vert)ices$|(?<=ind)ices$", "ex"),
        (r"(?<=matr)ices$|(?<=append)ices$|(?<=cerv)ices$", "ix"),
        (r"(?<=..omata)$|(?<=..oma)ta$|(?<=stigma)ta$", ""),
        (
            r"(cocc|bacill|thromb|embol|nucle|nucleol|stimul|fung|calcul|alveol|bronch|hil|lob|foc"
            r"|loc)i$",
            r"\1us",
        ),
        # Digraphs: haemorrhage, oesophagus.
        (r"(?<=.)ae(?=.)|^ae(?=..)", "e"),
        (r"(?<=man)oeuvre", "euver"),
        (r"(?<=.)oe(?=.)|^oe(?=..)", "e"),
        # Endings: tumour, randomise, analyze, centre, analogue, defence, programme, neurone.
        (r"(?<=[a-z]{2})our(?!c|s[et]|n|t)", "or"),
        (r"(?<=[bdfghklmnprstxyz])is(?=(?:e|ed|es|ing|able)$)|is(?=ations?$)", "iz"),
        (r"lyz(?=[ei])", "lys"),
        (r"(cent|lit|fib|tit|met|calib|theat|goit)re(?=[sd]?$)", r"\1er"),
        (r"logue(?=s?$)", "log"),
        (r"(def|lic|off|pret)ence", r"\1ense"),
        (r"(?<=program)me(?=s?$)|(?<=neuron)e(?=s?$)", ""),
        (
            r"(label|model|tunnel|counsel|travel|channel|cancel|level|panel|fuel|signal)l"
            r"(?=(?:ed|ing|er|ers)$)",
            r"\1",
        ),
        (r"(enrol|fulfil|instil|distil)(?!l)", r"\1l"),
        # Stems: leucocyte, sulphate, ageing, mould, grey, artefact, appendicectomy.
        (r"leuc(?=o)", "leuk"),
        (r"sulph", "sulf"),
        (r"mould", "mold"),
        (r"artefact", "artifact"),
        (r"sceptic", "skeptic"),
        (r"dgement", "dgment"),
        (r"appendicectom", "appendectom"),
    )
)  # fmt: skip

_LONGEST = 100
# Most words match no rule, which a single search detects.
_ANY = regex("|".join(f"(?:{pattern.pattern})" for pattern, _ in _RULES))


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text as printed, but lower-cased, in order.

    A compound follows its parts. Greek letters are words.

    >>> tokens("Tumour with IL-6")
    ['tumour', 'with', 'il', '6', 'il-6']
    """
    if not text.isascii():
        text = folded(text).translate(_CHARACTERS)
    text = text.replace("kappaB", "kappa B")
    text = _LATIN.sub(lambda match: f"{match[1]} {_LATIN_NAMES[match[2]]} ", text).lower()
    runs = _ascii_runs if text.isascii() else _LETTERS.findall
    printed, at = list[str](), 0
    pattern = _OR_LETTER if any(name in text for name in _LETTERED) else _NUMBER
    for match in pattern.finditer(text):
        between = text[at : match.start()]
        words = runs(between)
        printed += words
        printed += filter(None, match.groups())
        if words:
            letters = words[-1]
            joint = between[between.rindex(letters) + len(letters) :]
            if joint in _JOINTS and not (joint == " " and letters in UNSEARCHED):
                printed.append(letters + joint + match[0])
        at = match.end()
    return printed + runs(text[at:])


def _ascii_runs(text: str) -> list[str]:
    """Return `_LETTERS.findall` of a lower-case ASCII text, only faster."""
    return text.translate(_APART).split()


def _form(word: str) -> str:
    """Return the normal form of a word from `tokens`; a compound loses the character that joins its
    parts. The letter of a name comes first: `vitamin E` is not `vitamine`.
    """
    if word.isalpha():
        return normal(word)
    name, *number = _JOINT.split(word)
    is_letter = not any(map(str.isdigit, word))
    return "".join([*number, name] if is_letter else [name, *number])


# By Zipf's law evicted words are rare; the table stays below about 30 MB.
@lru_cache(maxsize=1 << 17)
def normal(word: str) -> str:
    """Normalise the spelling and plural of a lower-case word where an English stemmer cannot.

    British and American spellings and Latin and Greek plurals map to one form, which need not be a
    word. Words of up to four letters are unchanged, except irregular ones.

    >>> [normal(word) for word in ("haemorrhage", "hemorrhage", "metastasis", "metastases",
    ...     "randomised")]
    ['hemorrhage', 'hemorrhage', 'metastases', 'metastases', 'randomized']
    """
    word = _IRREGULAR.get(word, word)
    # A sequence of thousands of letters is no word, and a search of it is slow.
    if not 4 < len(word) <= _LONGEST or not _ANY.search(word):
        return word
    for pattern, replacement in _RULES:
        word = pattern.sub(replacement, word)
    return word


@cache
def analyser() -> Any:
    """Return tantivy's analyser; its `analyze(text)` returns the terms of a normalised text in
    order.
    """
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.simple())
    for step in (
        Filter.remove_long(60),
        Filter.lowercase(),
        Filter.ascii_fold(),
        Filter.custom_stopword(sorted(UNSEARCHED)),
        Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()


def terms(text: str) -> list[str]:
    """Return the terms of a text, in order, with repetitions.

    >>> terms("The newt's IL-6 receptors in Down syndrome")
    ['newt', 'il', '6', 'il6', 'receptor', 'down', 'syndrom']
    """
    return list(_terms(text))


# Retrieved sentences are analysed repeatedly: for the answer decision, for features, and for
# explanations.
@lru_cache(maxsize=1 << 10)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(chain.from_iterable(map(terms_of_word, tokens(text))))


# By Zipf's law evicted words are rare.
@lru_cache(maxsize=1 << 17)
def terms_of_word(word: str) -> tuple[str, ...]:
    """Return the terms of a word from `tokens`; none for a stop word."""
    # Stop words are not normalised: a rule would change `doesn`.
    return () if word in UNSEARCHED else tuple(analyser().analyze(_form(word)))


def is_numbered(word: str) -> bool:
    """Whether a word from `tokens` is a compound with a number; one with a letter is a name.

    >>> [is_numbered(word) for word in ("il 6", "hepatitis e", "newt")]
    [True, False, False]
    """
    return " " in word and any(map(str.isdigit, word))


class QueryWords:
    """The words of a query that occur in abstracts, matched in texts in the same forms as in the
    search.
    """

    def __init__(self, search: SearchResult) -> None:
        self.weights: Mapping[str, float] = dict(search.weights)
        # The last term of a compound word is the compound itself. A stop word has no term.
        self._terms = {word: terms(word)[-1] for word in self.weights if terms(word)}
        self._alternatives = search.alternatives

    def held(self, text: str) -> dict[str, float]:
        """Return the factor of each word that a text contains: 1 for the word itself, else that of
        the best alternative.
        """
        return self._factors(terms(text))

    def matches(self, texts: Iterable[Iterable[str]]) -> Floats:
        """Return the (n, words) factors of the words in n texts, each given by its terms; 0 for an
        absent word.
        """
        rows = []
        for text in texts:
            factors = self._factors(text)
            rows.append([factors.get(word, 0.0) for word in self.weights])
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.weights))

    def _factors(self, text: Iterable[str]) -> dict[str, float]:
        has = frozenset(text)
        factors = {word: 1.0 for word, term in self._terms.items() if term in has}
        for alternative in self._alternatives:
            if has.issuperset(alternative.terms):
                for word in filter(alternative.words.__contains__, self.weights):
                    factors[word] = max(factors.get(word, 0.0), alternative.factor)
        return factors

    def share(self, text: str, power: float = 1.0) -> float:
        """Return the share of the words that a text contains in any form, weighted by IDF to a
        power, in [0,1].
        """
        weights = {word: math.pow(weight, power) for word, weight in self.weights.items()}
        held = math.fsum(weights[word] for word in self.held(text))
        total = math.fsum(weights.values())
        return held / (total or 1.0)
