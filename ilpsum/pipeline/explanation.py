"""Explanations: why each sentence was chosen, and why the most relevant of the others were not."""

from collections import Counter
from collections.abc import Iterator, Sequence

from features.concepts import ConceptKind
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.phrases import asked_in, different, phrases
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.terms import QueryWords
from ilpsum.records import FeatureValue, Sentence, Topic, notices
from ilpsum.records.notices import Notice
from ilpsum.selection import Pool, Selection, Selector, SelectorSettings

# Maximum number of omitted sentences that get an explanation.
MOST_LEFT_OUT = 5


def reasons(prepared: Prepared, selection: Selection, *, kind: ConceptKind, predicted: bool) -> dict[int, list[Notice]]:
    """Return the reasons for each chosen sentence: its rank, the question words in it, and phrases unique to it.

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
        text, parts = sentences[i].text, list[Notice]()
        if predicted:
            parts.append(notices.Ranked(1 + ranked.index(i), len(sentences)))
        parts += _from_query(prepared, text, asked)
        others = [prepared.context.sentences[k] for k in selection.chosen if k != i]
        if alone := phrases(text, others, asked, prepared.weights or {}, kind):
            parts.append((notices.AloneMentions if others else notices.Mentions)(tuple(alone)))
        if i in depended:
            parts.append(notices.IsBuiltOn())
        if i in prepared.keep:
            parts.append(notices.Pinned())
        explanations[i] = parts
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
            why = notices.Repeats(min(same))
        explanations[i] = why or selector.left_out(pool, i, number_of, settings)
    return explanations


def _excluded(prepared: Prepared, i: int) -> str:
    if i in prepared.bar:
        return notices.Excluded()
    rule = prepared.stage.excluded_by.get(i, "")
    if rule == "statements" and prepared.sentences[i].text.endswith("?"):
        return notices.IsQuestion()
    return notices.AGAINST_RULE.get(rule, "")


def _asked(prepared: Prepared) -> tuple[str, ...]:
    """Return the content stems of the query in order of occurrence, or by frequency if the query is citances."""
    stems = Counter(prepared.context.query.content_stems)
    if prepared.topic.citances:
        return tuple(stem for stem, _ in stems.most_common())
    return tuple(stems)


def _from_query(prepared: Prepared, text: str, asked: Sequence[str]) -> Iterator[Notice]:
    """Yield the reasons that name query words in a sentence, as printed or in other forms that the search accepts."""
    topic = prepared.topic
    if named := asked_in(text, prepared.context.query, asked):
        yield notices.HasWords(tuple(named), "citances" if topic.citances else "question")
    search = topic.search
    if search and (others := different(QueryWords(search).held(text), topic.query, text)):
        yield notices.HasOtherForms(tuple(others))


def emptiness(topic: Topic) -> tuple[Notice, ...]:
    """Return the warning for a topic without candidates; none if the search already explains the missing answer."""
    if topic.search and topic.search.unanswered:
        return ()
    return (notices.NoProse() if topic.documents else notices.NoDocument(),)


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
