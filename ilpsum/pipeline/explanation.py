"""Explanations: why each sentence was chosen, and why the most relevant of the others were not."""

from collections import Counter
from collections.abc import Iterator, Sequence

from features.concepts import ConceptKind
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.phrases import asked_in, different, listed, phrases
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.terms import QueryWords
from ilpsum.records import FeatureValue, Sentence, Topic
from ilpsum.selection import Pool, Selection, Selector, SelectorSettings

# Maximum number of omitted sentences that get an explanation.
MOST_LEFT_OUT = 5

EXCLUDED = {
    "statements": "states no finding: an aim, an announcement or a notice",
    "titles": "is a title",
    "fragments": "is not a complete sentence",
    "focus": "off topic: it or its abstract has much less of the question than the best",
    "anaphora": "depends on the sentence before it, which cannot be chosen",
    "repeats": "repeats several more relevant sentences",
    "relevance": "less to the point than the sentences chosen",
    "format": "the run format would not count it as exactly one sentence",
}
"""Why a rule excludes a sentence."""


def reasons(prepared: Prepared, selection: Selection, *, kind: ConceptKind, predicted: bool) -> dict[int, str]:
    """Return the reason for each chosen sentence: its rank, the question words in it, and phrases unique to it.

    Question words include other forms that the search accepts (synonyms, spellings). Phrases are runs of content words
    as printed that no other chosen sentence has, compared by stems, ordered by the learned weights of their concepts.
    A predicted relevance is ranked among all candidates.
    """
    sentences = prepared.sentences
    ranked = sorted(range(len(sentences)), key=lambda k: (-sentences[k].relevance, k))
    antecedents = prepared.stage.rules.antecedents
    depended = {antecedents.get(i) for i in selection.chosen}
    asked = _asked(prepared)
    explanations = {}
    for i in selection.chosen:
        text, parts = sentences[i].text, []
        if predicted:
            parts.append(f"{ordinal(1 + ranked.index(i))} of {len(sentences)} in relevance")
        parts += _from_query(prepared, text, asked)
        others = [prepared.context.sentences[k] for k in selection.chosen if k != i]
        if alone := phrases(text, others, asked, prepared.weights or {}, kind):
            parts.append(f"{'it alone mentions' if others else 'mentions'} {listed(alone)}")
        if i in depended:
            parts.append("the sentence after it builds on it")
        if i in prepared.keep:
            parts.append("pinned by you")
        explanations[i] = "; ".join(parts)
    return explanations


def left_out(
    prepared: Prepared,
    pool: Pool,
    chosen: Sequence[int],
    text: Sequence[Sentence],
    selector: Selector,
    settings: SelectorSettings,
) -> dict[int, str]:
    """Return why each of the `MOST_LEFT_OUT` most relevant unchosen sentences was left out.

    Excluded titles are skipped. The reason is the first that applies: a rule excludes the sentence; it is redundant
    with a chosen one; the selector's own reason.
    `text` has the chosen sentences in the order of their numbers.
    """
    sentences, stage = prepared.sentences, prepared.stage
    numbers = {s.place: number for number, s in enumerate(text, start=1)}
    others = [
        i
        for i in range(len(sentences))
        if sentences[i].place not in numbers and not (i in stage.excluded_by and sentences[i].section == "title")
    ]
    best = sorted(others, key=lambda i: (-sentences[i].relevance, i))[:MOST_LEFT_OUT]
    number_of = {i: numbers[sentences[i].place] for i in chosen}
    explanations = {}
    for i in best:
        why = _excluded(prepared, i)
        groups = [group for group in stage.rules.groups if i in group]
        if not why and (same := [number_of[k] for group in groups for k in group if k in number_of]):
            why = f"says the same as sentence {min(same)}"
        explanations[i] = why or selector.left_out(pool, i, number_of, settings)
    return explanations


def _excluded(prepared: Prepared, i: int) -> str:
    if i in prepared.bar:
        return "excluded by you"
    rule = prepared.stage.excluded_by.get(i, "")
    if rule == "statements" and prepared.sentences[i].text.endswith("?"):
        return "a question"
    return EXCLUDED.get(rule, "")


def _asked(prepared: Prepared) -> tuple[str, ...]:
    """Return the content stems of the query in order of occurrence, or by frequency if the query is citances."""
    stems = Counter(prepared.context.query.content_stems)
    if prepared.topic.citances:
        return tuple(stem for stem, _ in stems.most_common())
    return tuple(stems)


def _from_query(prepared: Prepared, text: str, asked: Sequence[str]) -> Iterator[str]:
    """Yield the reasons that name query words in a sentence, as printed or in other forms that the search accepts."""
    topic = prepared.topic
    if named := asked_in(text, prepared.context.query, asked):
        yield f"has {listed(named)} from the {'citances' if topic.citances else 'question'}"
    search = topic.search
    if search and (others := different(QueryWords(search).held(text), topic.query, text)):
        yield f"has {listed(others)} in another form"


def ordinal(number: int) -> str:
    """Return an English ordinal such as `3rd`."""
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


# Warning for a topic without documents.
NO_DOCUMENT = "no document: the answer is empty"


def emptiness(topic: Topic) -> tuple[str, ...]:
    """Return the warning for a topic without candidates; none if the search already explains the missing answer."""
    if topic.search and topic.search.unanswered:
        return ()
    return ("no document contains prose: the answer is empty" if topic.documents else NO_DOCUMENT,)


def feature_values(
    model: SystemModel | None, prepared: Prepared, chosen: Sequence[int]
) -> dict[int, tuple[FeatureValue, ...]]:
    """Return the raw features of chosen candidates, ranked among all candidates; empty without a model."""
    if model is None:
        return dict.fromkeys(chosen, ())
    features = prepared.features
    own, whole = features[list(chosen)], features
    ranks = (1 + (whole[None] > own[:, None]).sum(axis=1)).tolist()

    def named(values: Sequence[float], places: Sequence[int]) -> tuple[FeatureValue, ...]:
        triples = zip(model.relevance.columns, values, places, strict=True)
        return tuple(FeatureValue(name, float(f"{value:.6g}"), rank) for name, value, rank in triples)

    return {i: named(*of) for i, *of in zip(chosen, own.tolist(), ranks, strict=True)}
