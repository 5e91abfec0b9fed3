"""Explanations: why each sentence was chosen, and why the most relevant of the others were not."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, pairwise

from features.answer_cues import stems_of
from features.arrays import Floats
from features.concepts import Concept, ConceptKind, concepts_of
from features.folding import folded
from features.text import STOP_WORDS, Passage, porter, words
from ilpsum.errors import counted, joined, ordinal
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.coherence.redundancy import FRAME, same_finding
from ilpsum.pipeline.coherence.rules import UNSCORED
from ilpsum.pipeline.coherence.statements import VERB
from ilpsum.pipeline.objective import Prepared
from ilpsum.pipeline.terms import QueryWords
from ilpsum.records import FeatureValue, Sentence, Topic
from ilpsum.records.notices import AGAINST_RULE, Excluded, NoDocument
from ilpsum.selection import Pool, Selection, Selector, SelectorSettings

# Maximum number of question words and of phrases in a reason, and of words in a phrase.
_MOST_ASKED, _MOST_PHRASES, _MOST_WORDS = 5, 3, 3

_WORD = re.compile(r"[^\W_]+(?:[-‐–/'’&][^\W_]+)*")
# Participles, and adjectives and adverbs that are not a phrase on their own.
_PARTICIPLE = re.compile(r"[a-z]+ed")
_INCOMPLETE = re.compile(
    r"[a-z]+(?:ing|ive|ous|able|ible|ly)|important|different|sufficient|high(?:er)?|low(?:er)?"
)

Bigram = tuple[str, str]


def asked_in(text: str, query: Passage, asked: Sequence[str]) -> list[str]:
    """Return the query words in a text, as printed there, in the order of the stems `asked`.

    Words adjacent in both texts form one name (`lateral sclerosis`).
    """
    pairs, of_query = set(query.stem_bigrams), frozenset((*asked, *query.stems))
    printed: dict[str, str] = {}
    for run, stems in _runs(text, pairs.__contains__):
        if of_query.issuperset(stems):
            words_of = dict.fromkeys(stems, run)
        elif of_query.isdisjoint(stems):
            continue
        else:  # only the queried part of a compound word
            parts = zip(stems, words(run), strict=True)
            words_of = {stem: part for stem, part in parts if not part.isdigit()}
        printed = words_of | printed
    return list(dict.fromkeys(printed[stem] for stem in asked if stem in printed))[:_MOST_ASKED]


def different(held: Iterable[str], query: str, text: str) -> list[str]:
    """Return the query words, as printed in the query, that a text has only in another form, such
    as a synonym.
    """
    stems, asked, said = set(Passage(text).stems), folded(query), folded(text)
    printed = []
    for word in held:
        whole_word = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
        match = whole_word.search(asked)
        is_said = stems.issuperset(stems_of(word)) or whole_word.search(said)
        if match and not is_said:
            printed.append(match[0])
    return printed[:_MOST_ASKED]


def phrases(
    passage: Passage,
    held: Callable[[str | Bigram], bool],
    asked: Collection[str],
    weights: Mapping[Concept, float],
    kind: ConceptKind,
) -> list[str]:
    """Return the heaviest phrases of a sentence that share no word or bigram with another.

    `held` tells whether another sentence has a stem or a bigram of stems. A phrase weighs as much
    as its concepts. Phrases of question words (stems `asked`) only are left out.
    """
    of_question = frozenset(asked)
    rank: dict[str, tuple[float, int]] = {}
    for run, stems in _runs(passage.text, lambda pair: not held(pair), _MOST_WORDS):
        is_shared = held(stems[0]) if len(stems) == 1 else all(map(held, pairwise(stems)))
        if is_shared or of_question.issuperset(stems) or _INCOMPLETE.fullmatch(run):
            continue
        concepts = dict.fromkeys(concepts_of(Passage(run), kind))
        weight = sum(weights.get(concept, 0.0) for concept in concepts)
        rank.setdefault(run, (-weight, -len(stems)))
    return sorted(rank, key=rank.__getitem__)[:_MOST_PHRASES]


def _runs(
    text: str,
    joins: Callable[[Bigram], bool],
    most: int | None = None,
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the content words of a text, as printed and as stems; neighbours form one run if
    `joins` accepts their bigram.
    """
    start, end, size, run = 0, 0, 0, tuple[str, ...]()
    for match in _WORD.finditer(text):
        stems = _telling(match[0])
        if (
            size
            and stems
            and text[end : match.start()] == " "
            and size != most
            and joins((run[-1], stems[0]))
        ):
            size, run = size + 1, run + stems
        else:
            if size:
                yield text[start:end], run
            start, size, run = match.start(), 1 if stems else 0, stems
        end = match.end()
    if size:
        yield text[start:end], run


@lru_cache(maxsize=1 << 14)
def _telling(word: str) -> tuple[str, ...]:
    """Return the stems of a word, split at hyphens; none if it says nothing about its sentence."""
    if VERB.fullmatch(word) or _PARTICIPLE.fullmatch(word):
        return ()
    parts = words(word)
    stems = tuple(map(porter, parts))
    tells = any(
        len(part) > 1 and not part.isdigit() and part not in STOP_WORDS and stem not in FRAME
        for part, stem in zip(parts, stems, strict=True)
    )
    return stems if tells else ()


# Maximum number of omitted sentences that get an explanation.
MOST_LEFT_OUT = 5


def reasons(
    prepared: Prepared,
    selection: Selection,
    *,
    kind: ConceptKind,
    predicted: bool,
    lead: Collection[int],
) -> dict[int, str]:
    """Return the reasons for each chosen sentence: its rank, or when it was chosen; the question
    words in it; the phrases that it alone has; and the rules that let it in, or keep it as one of
    the first (`lead`). The selector's own reason, if it gives one, replaces all of these.

    Question words include other forms that the search accepts (synonyms, spellings). Phrases are
    runs of content words as printed that no other chosen sentence has, compared by stems, ordered
    by the learned weights of their concepts. A predicted relevance is ranked among all candidates.
    """
    sentences, stage = prepared.sentences, prepared.stage
    of_selector = {i: sentences[i].why for i in selection.chosen if sentences[i].why}
    if of_selector:
        return of_selector
    ranked = sorted(range(len(sentences)), key=lambda k: (-sentences[k].relevance, k))
    antecedents = stage.rules.antecedents
    depended = {antecedents.get(i) for i in selection.chosen}
    asked = _asked(prepared)
    passages = [prepared.context.sentences[i] for i in selection.chosen]
    terms = [frozenset[str | Bigram]((*p.stems, *p.stem_bigrams)) for p in passages]
    times = Counter(chain.from_iterable(terms))
    explanations = {}
    for i, passage, mine in zip(selection.chosen, passages, terms, strict=True):
        parts = [prepared.scores.why[i]] if i in prepared.scores.why else []
        if predicted:
            rank = ordinal(1 + ranked.index(i))
            parts.append(f"{rank} of {len(sentences)} in relevance")
        elif i in selection.order:
            turn = ordinal(1 + selection.order.index(i))
            parts.append(f"{turn} choice of {selection.status} among {len(sentences)}")
        parts += _from_query(prepared, sentences[i].text, asked)
        in_others = partial(_in_others, times, mine)
        alone = phrases(passage, in_others, asked, prepared.weights or {}, kind)
        if alone:
            mentions = f"mentions {joined(alone)}"
            parts.append(f"it alone {mentions}" if len(terms) > 1 else mentions)
        if i in depended:
            parts.append("the sentence after it builds on it")
        if i in prepared.keep:
            parts.append("pinned by you")
        if rule := stage.kept.get(i, stage.relaxed):
            parts.append(f"added after the rule {rule} was relaxed")
        if i in lead and i not in prepared.keep:
            parts.append("one of the first sentences, which are kept")
        explanations[i] = "; ".join(parts)
    return explanations


def _in_others(
    times: Counter[str | Bigram],
    mine: Collection[str | Bigram],
    term: str | Bigram,
) -> bool:
    """Whether a sentence other than that with the terms `mine` has a term."""
    return times[term] > (term in mine)


def left_out(
    prepared: Prepared,
    pool: Pool,
    chosen: Sequence[int],
    text: Sequence[Sentence],
    selector: Selector,
    settings: SelectorSettings,
) -> dict[int, str]:
    """Return why each of the `MOST_LEFT_OUT` most relevant unchosen sentences was left out.

    Excluded titles are skipped. The reason is the first that applies: a rule excludes the sentence;
    it is redundant with a chosen one; the selector's own reason. `text` has the chosen sentences in
    its order.
    """
    sentences, stage = prepared.sentences, prepared.stage
    of_places = {sentences[i].place: i for i in chosen}
    in_order = [of_places[s.place] for s in text]
    called = _of_sources(text) if prepared.topic.search else _numbered(text)
    names = dict(zip(in_order, called, strict=True))
    others = [i for i in range(len(sentences)) if i not in names]
    others = [i for i in others if not (i in stage.excluded_by and sentences[i].section == "title")]
    best = sorted(others, key=lambda i: (-sentences[i].relevance, i))[:MOST_LEFT_OUT]
    explanations = {}
    for i in best:
        why = _excluded(prepared, i)
        rivals = {k for group in stage.rules.groups if i in group for k in group}
        if not why and (near := rivals & names.keys()):
            k = min(near, key=in_order.index)
            same = same_finding(sentences[i].text, sentences[k].text, prepared.topic.query)
            relation = "says the same as" if same else "shares most words with"
            why = f"{relation} {names[k]}"
        explanations[i] = why or selector.left_out(pool, i, names, settings)
    return explanations


def _numbered(text: Sequence[Sentence]) -> list[str]:
    return [f"sentence {number}" for number in range(1, len(text) + 1)]


def _of_sources(text: Sequence[Sentence]) -> list[str]:
    """Name the sentences of an answer by their sources, as numbered where answers are shown: by
    first mention.

    >>> newts = [Sentence("Newts sing.", document, 0, 11, 2) for document in "xyx"]
    >>> _of_sources(newts)
    ['the 1st sentence of source 1', 'the sentence of source 2', 'the 2nd sentence of source 1']
    """
    sources = list(dict.fromkeys(s.document for s in text))
    in_all = Counter(s.document for s in text)
    so_far = Counter[str]()
    names = []
    for s in text:
        so_far[s.document] += 1
        place = f"{ordinal(so_far[s.document])} " if in_all[s.document] > 1 else ""
        names.append(f"the {place}sentence of source {sources.index(s.document) + 1}")
    return names


def _excluded(prepared: Prepared, i: int) -> str:
    if i in prepared.bar:
        return Excluded("excluded by you")
    rule = prepared.stage.excluded_by.get(i, "")
    if rule == UNSCORED:
        return prepared.scores.excluded[i]
    if rule == "statements" and prepared.sentences[i].text.endswith("?"):
        return "a question"
    return AGAINST_RULE.get(rule, "")


def _asked(prepared: Prepared) -> tuple[str, ...]:
    """Return the content stems of a question in order of occurrence, those of citances by
    frequency.
    """
    stems = Counter(prepared.context.query.content_stems)
    return tuple(dict(stems.most_common()) if prepared.topic.citances else stems)


def _from_query(prepared: Prepared, text: str, asked: Sequence[str]) -> Iterator[str]:
    """Yield the reasons that name query words in a sentence, as printed or in other forms that the
    search accepts.
    """
    topic = prepared.topic
    if named := asked_in(text, prepared.context.query, asked):
        source = "citances" if topic.citances else "question"
        yield f"has {joined(named)} from the {source}"
    search = topic.search
    if search and (others := different(QueryWords(search).held(text), topic.query, text)):
        yield f"has {joined(others)} in another form"


def emptiness(topic: Topic) -> tuple[str, ...]:
    """Return the warning for a topic without candidates; none if the search says why there is no
    answer.
    """
    if topic.search and topic.search.unanswered:
        return ()
    if topic.documents:
        return ("no document contains prose: the answer is empty",)
    return (NoDocument("no document: the answer is empty"),)


def misfit(candidates: Sequence[Sentence], words: int) -> str:
    """Return the warning for a word limit below every candidate; empty if one fits."""
    shortest = min(candidate.words for candidate in candidates)
    if shortest <= words:
        return ""
    limit = counted(words, "word")
    return f"no candidate fits in {limit}: the shortest has {shortest}; raise the limit"


def feature_values(
    model: SystemModel | None,
    inputs: Floats | None,
    chosen: Sequence[int],
) -> dict[int, tuple[FeatureValue, ...]]:
    """Return the raw features of the chosen candidates with their ranks among all; empty if no
    model predicted their relevance from (n, columns) `inputs`.
    """
    if model is None or inputs is None:
        return dict.fromkeys(chosen, ())
    values = inputs[list(chosen)]
    ranks = 1 + (inputs[None] > values[:, None]).sum(axis=1)
    of_chosen = {}
    for i, row, of_row in zip(chosen, values.tolist(), ranks.tolist(), strict=True):
        features = zip(model.relevance.columns, row, of_row, strict=True)
        of_chosen[i] = tuple(
            FeatureValue(name, float(f"{value:.6g}"), rank) for name, value, rank in features
        )
    return of_chosen
