"""Explanations for readers: why each sentence was chosen, and why the best of the others were left out."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from features.arrays import Floats
from features.concepts import Concept, ConceptKind, concepts_of
from features.stemming import porter
from features.text import STOP_WORDS, Passage
from ilpsum.pipeline import variants
from ilpsum.pipeline.prepared import Prepared
from ilpsum.records import FeatureValue, Sentence, Topic
from ilpsum.selection import Problem, Selection, cosine

MOST_LEFT_OUT = 5
"""How many of the sentences that were left out have a reason."""

# Most words of the question and most phrases that a reason names, and most words of a phrase.
_MOST_ASKED, _MOST_PHRASES, _MOST_WORDS = 5, 3, 3

_PART = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W_]+(?:[-‐–/'’&][^\W_]+)*")
# Words of every paper, which say nothing about one; by stems.
_COMMON = frozenset(
    map(
        porter,
        """
        accordingly addition additional additionally al although apparently approximately aim analyze article assess
        consider considered conclude conclusion conclusions data demonstrate demonstrated describe described due
        especially et evaluate evidence examine example fig figure finally find finding findings following found
        general generally identify identified importantly include included includes including indeed indicate
        interestingly investigate know known mainly moreover new next note novel number objective observe observed
        obtain obtained paper particular particularly perform performed possible possibly potential potentially
        present presented previous previously probably propose proposed recent recently report reported respectively
        result resulted results reveal revealed second several show showed shown significant significantly similar
        similarly specific specifically studied studies study suggest suggested suggesting suggests suggestion table
        test tested third thought total use used useful using various whole work
        """.split(),
    )
)

# Verbs, which are no part of a phrase (`zinc precedes death`).
_VERBS = frozenset(
    """
    accumulate achieve affect allow appear arise base become begin cause compare confer contain contribute correlate
    decrease define depend derive die differ enable encode enhance exceed exhibit express fail force form give have
    improve increase induce inhibit involve keep kill lead lie link lose maintain make mediate need occur play precede
    predict prevent produce promote protect prove provide raise reach receive reduce regard regulate remain require
    restore rise suffer support suppress take turn undergo
    """.split()
)
_VERB_STEMS = frozenset(map(porter, _VERBS))
_INFLECTED = re.compile(r"[a-z]+(?:s|ed|ing)")
# A word that on its own is no phrase: a participle, an adjective, an adverb.
_INCOMPLETE = re.compile(r"[a-z]+(?:ed|ing|ive|ous|able|ible|ly)|important|different|sufficient|high(?:er)?|low(?:er)?")

_EXCLUDED = {
    "statements": "states no finding: an aim, an announcement or a notice (rule statements)",
    "titles": "is a title (rule titles)",
    "fragments": "is no whole sentence (rule fragments)",
    "methods": "says what was done, not what was found (rule methods)",
    "focus": "beside the point: too little of the question in it or its abstract, compared with the best (rule focus)",
    "anaphora": "needs the sentence before it, which cannot be chosen (rule anaphora)",
    "format": "the format of the run would count it as no sentence or as several",
}


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, hyphens included: its parts as printed, their stems, whether it may be part of a phrase, its place."""

    parts: tuple[str, ...]
    stems: tuple[str, ...]
    telling: bool
    start: int
    end: int


def reasons(prepared: Prepared, selection: Selection, *, kind: ConceptKind, predicted: bool) -> dict[int, str]:
    """Return the reason for each chosen sentence: its rank, the question's words in it, and what it alone mentions.

    Words that a search found in another form (a synonym, a spelling) are the question's too.
    Phrases are runs of content words as printed; no other chosen sentence has them, compared by stems. Heavy ones come
    first, by the learned weights of their concepts. A predicted relevance is ranked among the other whole sentences.
    """
    sentences, weights = prepared.sentences, prepared.weights
    rows = variants.whole(sentences)
    places = [s.place for s in sentences]  # equal for the variants of one sentence
    ranked = [(-sentences[k].relevance, k) for k in rows]
    depended = {prepared.constraints.before.get(i) for i in selection.chosen}
    asked = _asked(prepared)
    explanations = {}
    for i in selection.chosen:
        text = sentences[i].text
        others = [prepared.context.sentences[k] for k in selection.chosen if k != i]
        parts = []
        if predicted:
            own = -sentences[i].relevance, i
            better = sum(other < own for other in ranked if places[other[1]] != places[i])
            parts.append(f"{ordinal(1 + better)} of {len(rows)} in relevance")
        words = _words(text)
        parts += _from_query(prepared, text, words, asked)
        if phrases := _alone(text, words, others, asked, weights or {}, kind):
            parts.append(f"{'it alone mentions' if others else 'mentions'} {_listed(phrases)}")
        if i in depended:
            parts.append("the sentence after it builds on it")
        if i in prepared.keep:
            parts.append("kept at your request")
        explanations[i] = "; ".join(parts)
    return explanations


def left_out(
    prepared: Prepared,
    selection: Selection,
    text: Sequence[Sentence],
    limit: int,
    *,
    problem: Problem | None = None,
    threshold: float | None = None,
) -> dict[int, str]:
    """Return why each of the most relevant sentences that were not chosen was left out, at most `MOST_LEFT_OUT`.

    Titles that a rule excludes are passed over. The first of these that holds: a rule excludes it; it is redundant with
    a chosen sentence; it needs words that the limit does not leave, and then what the best exchange for one chosen
    sentence would change; it adds nothing.

    Args:
        prepared: the candidates.
        selection: what was chosen among them.
        text: the chosen sentences in the order of the text, which numbers them.
        limit: word limit of the selection.
        problem: the ILP, whose objective was maximised; None for the selector `greedy`.
        threshold: largest cosine of that selector.
    """
    sentences, numbers = prepared.sentences, {s.place: number for number, s in enumerate(text, start=1)}
    rules = prepared.constraints.rule_of
    others = [
        i
        for i in variants.whole(sentences)
        if sentences[i].place not in numbers and not (i in rules and sentences[i].section == "title")
    ]
    best = sorted(others, key=lambda i: (-sentences[i].relevance, i))[:MOST_LEFT_OUT]
    number_of = {i: numbers[sentences[i].place] for i in selection.chosen}
    one_by_one = selection.status == "gain"
    unproved = "this selector takes sentences one by one" if one_by_one else "the search was stopped before the proof"
    explanations = {}
    for i in best:
        why = _excluded(prepared, i) or _redundant(prepared, i, number_of, threshold)
        explanations[i] = why or _outweighed(prepared, i, number_of, limit, problem, unproved)
    return explanations


def _excluded(prepared: Prepared, i: int) -> str:
    if i in prepared.bar:
        return "barred at your request"
    rule = prepared.constraints.rule_of.get(i, "")
    if rule == "statements" and prepared.sentences[i].text.endswith("?"):
        return "a question (rule statements)"
    return _EXCLUDED.get(rule, "")


def _redundant(prepared: Prepared, i: int, number_of: Mapping[int, int], threshold: float | None) -> str:
    groups = [group for group in prepared.constraints.groups if i in group]
    if same := [number_of[k] for group in groups for k in group if k in number_of]:
        return f"redundant with sentence {min(same)}"
    if threshold is not None:
        bags = prepared.context.sentences
        close = {k: cosine(set(bags[i].words), set(bags[k].words)) for k in number_of}
        k = max(close, key=lambda k: close[k], default=i)
        if close.get(k, 0.0) > threshold:
            return f"redundant with sentence {number_of[k]} (cosine {close[k]:.2f}, allowed {threshold:g})"
    return ""


def _outweighed(
    prepared: Prepared, i: int, number_of: Mapping[int, int], limit: int, problem: Problem | None, unproved: str
) -> str:
    """Return why a sentence that no rule forbids was left out, compared with the set that was chosen.

    `unproved` says why a better set was not found.
    """
    added, chosen = _with_antecedents(prepared, i), set(number_of)
    words = sum(prepared.sentences[k].words for k in added - chosen)
    left = limit - sum(prepared.sentences[k].words for k in chosen)
    it = "it and the sentence before it, which it needs, have" if added - chosen - {i} else "it has"
    if words > limit:
        return f"no room: {it} {words} words, more than the limit of {limit}"
    room = f"no room: {it} {words} words, {left} of {limit} are left"
    if problem is None:
        if added != {i}:
            return "needs the sentence before it, and this selector takes sentences one by one"
        return room if words > left else "a more relevant sentence that did not fit ended the selection"
    value = problem.value(chosen)
    if problem.allows(chosen | added):
        gain = problem.value(chosen | added) - value
        if gain > 1e-9:
            return f"would add to the objective, but {unproved}"
        return (
            "adds less to the objective than its words cost" if problem.word_cost else "adds nothing to the objective"
        )
    if words <= left:
        room = "no room: the format limits sentences or their length in its own count"
    # Sentences chosen under stricter rules were never up for exchange with those that weaker rules allow.
    staged = bool(prepared.constraints.yielded)
    problem = replace(problem, include=()) if staged else problem
    exchanges = [(problem.value(s), -number_of[k]) for k in chosen if problem.allows(s := (chosen - {k}) | added)]
    if not exchanges:
        after = " after the first, which are kept" if problem.include else ""
        return f"{room}, even in place of any one chosen sentence{after}" if chosen else room
    best, number = max(exchanges)
    why = "sentences under stricter rules came first" if staged else unproved
    return f"{room}; in place of sentence {-number} it would {_change(best, value, why)}"


def _change(value: float, before: float, why: str) -> str:
    """Return what an exchange does to the objective; `why` it was not made if it raises it."""
    share = abs(value - before) / max(abs(before), 1e-10)
    size = f"{share:.1%}" if share >= 0.0005 else "less than 0.1%"
    if value > before + 1e-9:
        return f"raise the objective by {size}, but {why}"
    return f"lower the objective by {size}" if value < before - 1e-9 else "leave the objective as it is"


def _with_antecedents(prepared: Prepared, i: int) -> set[int]:
    """Return a sentence with those that it requires, directly or in turn."""
    required, found = dict(prepared.constraints.requires), {i}
    while (k := required.get(i)) is not None and k not in found:
        found.add(i := k)
    return found


def _asked(prepared: Prepared) -> tuple[str, ...]:
    """Return the content stems of the query: in the order of a question, or by their number in the citances."""
    stems = Counter(prepared.context.query.content_stems)
    if prepared.topic.citances:
        return tuple(stem for stem, _ in stems.most_common())
    return tuple(stems)


def _from_query(prepared: Prepared, text: str, words: Sequence[_Word], asked: Sequence[str]) -> Iterator[str]:
    """Yield what a sentence has from the query, as it is printed there and in other forms that a search accepts."""
    from ilpsum.retrieval import QueryWords

    topic = prepared.topic
    if named := _shared(text, words, prepared.context.query, asked):
        yield f"has {_listed(named)} from the {'citances' if topic.citances else 'question'}"
    if topic.search and (others := _different(QueryWords(topic.search).held(text), topic.query, text)):
        yield f"has {_listed(others)} in another form"


def _shared(text: str, words: Sequence[_Word], query: Passage, asked: Sequence[str]) -> list[str]:
    """Return the words of a sentence that the query has too, as printed, in the order of `asked`.

    Neighbours that are neighbours in the query are one name (`lateral sclerosis`).
    """
    pairs, printed = set(query.stem_bigrams), dict[str, str]()
    first = 0
    while first < len(words):
        last = first
        while last + 1 < len(words) and text[words[last].end : words[last + 1].start] == " ":
            a, b = words[last], words[last + 1]
            if not (a.telling and b.telling and (a.stems[-1], b.stems[0]) in pairs):
                break
            last += 1
        parts = [pair for word in words[first : last + 1] for pair in zip(word.stems, word.parts, strict=True)]
        if words[first].telling and any(stem in asked for stem, _ in parts):
            # Of a compound word only the part that was asked for.
            whole = all(stem in asked for stem, _ in parts)
            name = text[words[first].start : words[last].end] if whole else ""
            for stem, part in parts:
                if not part.isdigit():
                    printed.setdefault(stem, name or part)
        first = last + 1
    return list(dict.fromkeys(printed[stem] for stem in asked if stem in printed))[:_MOST_ASKED]


def _different(held: Iterable[str], query: str, text: str) -> list[str]:
    """Return the words of a query, as printed there, that a text holds only in a form that does not contain them."""
    stems, lower = set(Passage(text).stems), text.lower()
    words = (word for word in held if word not in lower and not stems.issuperset(Passage(word).stems))
    printed = (re.search(rf"\b{re.escape(word)}\b", query, re.IGNORECASE) for word in words)
    return [match[0] for match in printed if match][:_MOST_ASKED]


def _alone(
    text: str,
    words: Sequence[_Word],
    others: Sequence[Passage],
    asked: Collection[str],
    weights: Mapping[Concept, float],
    kind: ConceptKind,
) -> list[str]:
    """Return the heaviest phrases of a sentence that none of the others has and that say more than the question."""
    held = {pair for other in others for pair in other.stem_bigrams}
    single = {stem for other in others for stem in other.stems}
    whole = Passage(text)
    found: dict[str, tuple[float, int, int]] = {}
    for first, last in _phrases(text, words, held, single):
        printed = text[words[first].start : words[last].end]
        phrase = Passage(printed)
        if set(phrase.stems).issubset(asked) or _INCOMPLETE.fullmatch(printed):
            continue
        found.setdefault(printed, (-_weight(phrase, whole, weights, kind), first - last, first))
    return sorted(found, key=lambda printed: found[printed])[:_MOST_PHRASES]


def _weight(phrase: Passage, whole: Passage, weights: Mapping[Concept, float], kind: ConceptKind) -> float:
    """Return the weight of the concepts of a phrase, a part of a whole sentence."""
    if kind == "terms":
        return sum(weights.get(term, 0.0) for term in dict.fromkeys(concepts_of(phrase, kind)))
    keys = phrase.stems if kind == "stems" else phrase.words
    pairs = concepts_of(whole, kind)
    inside = [pair for pair in pairs if pair[0] in keys and pair[1] in keys]
    # A word on its own weighs as much as the heavier bigram around it.
    around = [weights.get(pair, 0.0) for pair in pairs if keys[0] in pair]
    return sum(weights.get(pair, 0.0) for pair in set(inside)) if inside else max(around, default=0.0)


def _phrases(
    text: str, words: Sequence[_Word], held: Collection[tuple[str, str]], single: Collection[str]
) -> Iterator[tuple[int, int]]:
    """Yield first and last word of each phrase that is new to the other sentences.

    That is a run of telling words with no bigram between them in `held`, or one with a bigram that is not in `held` or,
    if it is simple, a stem that is not in `single`.
    """
    first = 0
    while first < len(words):
        last = first
        for a, b in pairwise(words[first : first + _MOST_WORDS]):
            near = a.telling and b.telling and text[a.end : b.start] == " "
            if not near or (a.stems[-1], b.stems[0]) in held:
                break
            last += 1
        # A participle at the end is the verb of the phrase (`preferences based`, `patients died`).
        while last > first and words[last].parts[-1].endswith("ed"):
            last -= 1
        stems = words[first].stems
        new = any(pair not in held for pair in pairwise(stems)) if len(stems) > 1 else stems[0] not in single
        if last > first or (words[first].telling and new):
            yield first, last
        first = last + 1


def _words(text: str) -> list[_Word]:
    return [_Word(*_read(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]


@lru_cache(maxsize=1 << 14)
def _read(word: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the first three attributes of a `_Word`."""
    parts = tuple(_PART.findall(word))
    return parts, tuple(porter(part.lower()) for part in parts), any(map(_is_telling, parts))


def _is_telling(part: str) -> bool:
    """Return whether a part of a word may be part of a phrase."""
    word = part.lower()
    stem = porter(word)
    if len(part) < 2 or part.isdigit() or word in STOP_WORDS or stem in _COMMON:
        return False
    return not (part in _VERBS or (stem in _VERB_STEMS and _INFLECTED.fullmatch(part)))


def _listed(names: Sequence[str]) -> str:
    """Return names as prose.

    >>> _listed(["newts"]), _listed(["newts", "toads", "efts"])
    ('newts', 'newts, toads and efts')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def ordinal(number: int) -> str:
    """Return a number as a rank.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '102nd']
    """
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def emptiness(topic: Topic) -> tuple[str, ...]:
    """Warn of a topic without candidates, unless the search has said why it has no answer."""
    if topic.search and topic.search.unanswered:
        return ()
    what = "no document contains prose" if topic.documents else "no document"
    return (f"{what}: the answer is empty",)


def feature_values(columns: Sequence[str], own: Floats, whole: Floats) -> tuple[FeatureValue, ...]:
    """Return the raw features of a candidate, (columns,), each ranked among those of the (n, columns) whole ones."""
    values = zip(columns, own.tolist(), (1 + (whole > own).sum(axis=0)).tolist(), strict=True)
    return tuple(FeatureValue(name, float(f"{value:.6g}"), rank) for name, value, rank in values)
