"""Rules of coherence are relaxed where they leave words unused."""

import itertools
import shlex

import msgspec
import pytest

from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.steps import Summarizer
from ilpsum.literature.gate import to_document
from ilpsum.literature.raw import Raw
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.records import Document, Topic

TEXTS = {
    "1": "Grey newts sing in cold ponds at dusk. These songs carry over water. The aim was to count newts.",
    "2": "In cold ponds at dusk grey newts sing. We aimed to count the newts of nine cold ponds. Toads hum by day.",
    "3": "Further studies of newts are needed. Herons hunt singing newts.",
}
RELAXED = ("focus", "titles", "statements")


@pytest.fixture(scope="module")
def topic() -> Topic:
    documents = [
        to_document(Raw(id=name, title=f"Study {name} of song", abstract=[("", text)]))
        for name, text in TEXTS.items()
    ]
    search = AbstractSearch.of_documents(documents)
    return with_documents(
        Topic("q", "When do grey newts sing in cold ponds?"), search, least_coverage=0.0
    )


def summarizer(*relax: str) -> Pipeline:
    system = System.load("concepts-searched").for_reader(strict=True)
    coherence = msgspec.structs.replace(
        system.coherence, focus=True, statements=True, titles=True, relax=relax
    )
    return Summarizer.load(msgspec.structs.replace(system, coherence=coherence)).for_kind(
        "searched"
    )


@pytest.mark.parametrize("words", [10, 20, 30, 40, 60])
def test_what_was_chosen_stays_and_the_addition_is_optimal(topic, words):
    strict = summarizer()
    prepared = strict.prepare(topic)
    chosen = strict.select(prepared, words).chosen
    last, filled = summarizer(*RELAXED).fill(prepared, words)
    assert set(chosen) <= set(filled.chosen)
    problem = strict.problem(last, words)
    assert problem.allows(filled.chosen)
    rest = [i for i in range(len(prepared.sentences)) if i not in chosen]
    additions = (c for n in range(len(rest) + 1) for c in itertools.combinations(rest, n))
    sets = [(*chosen, *more) for more in additions if problem.allows((*chosen, *more))]
    assert filled.objective == pytest.approx(max(map(problem.value, sets)))


def test_reasons_name_the_rule_that_was_relaxed(topic):
    before, after = summarizer()(topic, 60), summarizer(*RELAXED)(topic, 60)
    assert sum(s.words for s in after) > sum(s.words for s in before)
    added = [s for s in after if s.text not in {b.text for b in before}]
    assert added
    assert all("added after the rule" in s.why for s in added)
    assert any("was relaxed" in s.why and "statements" in s.why for s in after if "aim" in s.text)
    kept = [s for s in after if s.text in {b.text for b in before}]
    assert not any("was relaxed" in s.why for s in kept)


def test_a_full_summary_and_rules_that_are_not_relaxed_stay_as_they_are(topic):
    full = summarizer()(topic, 13)
    assert sum(s.words for s in full) == 13
    assert summarizer(*RELAXED)(topic, 13).sentences == full.sentences
    plain = summarizer()
    prepared = plain.prepare(topic)
    last, filled = plain.fill(prepared, 60)
    assert last is prepared
    assert filled.chosen == plain.select(prepared, 60).chosen


def test_a_sentence_that_stays_is_not_excluded_by_another_rule(topic):
    # `focus` spares a sentence that depends on the one before it, but only while `anaphora` is in
    # force.
    texts = [s.text for s in summarizer("anaphora")(topic, 60)]
    assert "These songs carry over water." in texts


@pytest.mark.parametrize(
    "changed", [{"word_cost": 0.1}, {"method": "gain"}, {"method": "greedy", "weights": "equal"}]
)
def test_where_words_have_a_price_or_without_the_ilp_rules_are_relaxed_only_if_nothing_was_chosen(
    changed,
):
    system = System.load("concepts-merged")
    selection = msgspec.structs.replace(system.selection, **changed)
    system = msgspec.structs.replace(system, selection=selection)
    cut = ("of newts in the pond", "of toads in the pond at night")
    for texts, allowed in ((cut, cut), (("Grey newts sing.", *cut), ("Grey newts sing.",))):
        topic = Topic("q", "Do newts sing?", tuple(Document(t, t, role="merged") for t in texts))
        chosen = {s.text for s in Summarizer.load(system).for_kind("merged")(topic, 60)}
        assert chosen
        assert chosen <= set(allowed)


def test_an_unknown_rule_cannot_be_relaxed():
    coherence = System.load("concepts").coherence
    with pytest.raises(ValueError, match="relax: unknown rule 'rhyme'"):
        msgspec.structs.replace(coherence, relax=("rhyme",))


def test_an_answer_may_end_early_unless_it_is_filled(tmp_path, capsys):
    from ilpsum.cli import main

    pile = tmp_path / "pile.jsonl"
    records = (
        {"pmid": name, "title": f"Study {name} of newt song", "abstract": text}
        for name, text in TEXTS.items()
    )
    pile.write_bytes(b"\n".join(map(msgspec.json.encode, records)))
    question = [
        "ask",
        "When do grey newts sing in cold ponds?",
        *shlex.split(f"'{pile}' --coverage 0 --quiet"),
    ]
    assert main(question) == 0
    early = capsys.readouterr().out
    assert main([*question, "--fill"]) == 0
    filled = capsys.readouterr().out
    assert "Grey newts sing in cold ponds at dusk. [1]" in early
    assert "Toads hum by day." in filled
    assert "Toads hum by day." not in early
