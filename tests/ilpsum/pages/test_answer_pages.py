"""The page of an answer with citations."""

import re
from dataclasses import replace

import pytest

from ilpsum.answers.stance import Stance, YesNo
from ilpsum.cli import main
from ilpsum.literature.gate import to_document
from ilpsum.literature.raw import Raw
from ilpsum.pages import answer as answers
from ilpsum.pages import plain, quotations
from ilpsum.pages.quotations import Mark
from ilpsum.pages.view import answer_of
from ilpsum.pipeline.text import with_citations
from ilpsum.records import (
    Document,
    Publication,
    RunSettings,
    SearchResult,
    Sentence,
    Summary,
    Topic,
)
from ilpsum.runs.provenance import summary_line
from ilpsum.runs.writer import RunWriter
from ilpsum.tasks.registry import FORMATS

SETTINGS = RunSettings(support=0.7)
TEXTS = {
    "31": "Grey newts sing in cold ponds. Toads <hum> at dusk.",
    "5": "We dived. In cold ponds grey newts sing.",
}


def documents(title="Song of newts"):
    return tuple(
        to_document(Raw(id=p, title=title, abstract=[("RESULTS", t)])) for p, t in TEXTS.items()
    )


def summary():
    question = Topic("q1", "Do newts <sing>?", documents())

    def sentence(number, text):
        document = question.documents[number]
        start = document.text.index(text)
        end, words = start + len(text), len(text.split())
        return Sentence(text, document.id, start, end, words, relevance=0.5, why="so")

    chosen = (sentence(0, "Grey newts sing in cold ponds."), sentence(0, "Toads <hum> at dusk."))
    candidates = (*chosen, sentence(1, "In cold ponds grey newts sing."))
    told = {"settings": SETTINGS, "question": question.query}
    selected = Summary("q1", chosen, "", candidates, (0, 1), "s", 1.0, 1.0, 0.0, **told)
    return with_citations(selected, question, 0.7)


def write(folder, form, *summaries):
    with RunWriter(folder, FORMATS[form].writer("SYS1")) as run:
        for one in summaries:
            run.write(one)
    return folder / ("SYS1.jsonl" if form.endswith("5") else "SYS1.json")


def test_a_response_for_each_sentence(tmp_path, capsys):
    answer = summary()
    run = write(tmp_path, "biogen-2025", answer)
    assert main(["report", str(run), "--out", str(tmp_path / "r.html")]) == 0
    assert '<p class="query">Do newts &lt;sing&gt;?</p>' in (tmp_path / "r.html").read_text("utf-8")
    for number in (1, 0):
        damaged = summary_line(replace(answer, responses=answer.responses[:number]))
        (tmp_path / "SYS1.provenance.jsonl").write_bytes(damaged)
        assert main(["report", str(run), "--out", str(tmp_path / "r.html"), "--quiet"]) == 2
        had = "1 response" if number == 1 else f"{number} responses"
        assert f"topic q1: {had} for 2 sentences; expected one for each" in capsys.readouterr().err


def test_a_page_links_each_sentence_to_its_places():
    page = answers.page(answer_of(summary(), documents()))
    for target in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{target}"' in page
    assert re.search(r'<mark[^>]*><span id="s1"></span>Grey newts sing in cold ponds.</mark>', page)
    assert re.search(r'<mark[^>]*><span id="s2"></span>Toads &lt;hum&gt; at dusk.</mark>', page)
    assert "Toads &lt;hum&gt; at dusk." in page
    assert "<hum>" not in page
    assert "https://pubmed.ncbi.nlm.nih.gov/31/" in page
    assert "script-src &#x27;sha256-" in page


def test_an_empty_answer_says_so():
    empty = Summary("none", (), "", system="s", settings=SETTINGS, question="?")
    page = answers.page(answer_of(empty, ()))
    assert '<h2 id="answer" class="label">No answer</h2>' in page
    assert '<p class="state">The texts have no sentence.</p>' in page


def test_a_quotation_is_marked_with_its_sentence():
    pieces = quotations._marked("Title\nNewts sing. Toads hum.", 5, [Mark(6, 17, 2)])
    assert "".join(map(str, pieces)) == (
        '<mark title="sentence 2 of the answer"><span id="s2"></span>Newts sing.</mark>'
        '<sup><a href="#l2" aria-label="to sentence 2 of the answer">↑</a></sup> Toads hum.'
    )


def test_a_long_source_is_cut_between_its_marks():
    text = "".join(f"Newt {i:04} sings. " for i in range(1000))
    marks = [Mark(start, start + 16, i) for i, start in ((1, 17 * 400), (2, 17 * 404))]
    shown = "".join(map(str, quotations._marked(text, 0, marks)))
    # What is far from a mark is folded, or left out if it is long.
    gap = '<span class="gap"> … </span>'
    assert shown.startswith(f"{gap}Newt 0399 sings. <mark")
    assert shown.rstrip().endswith(f"Newt 0405 sings.{gap}")
    assert '<span class="far"> Newt 0402 sings. </span>' in shown
    assert "Newt 0001" not in shown


def answer_to(question, *texts, whole=""):
    """The answer of sentences, each of a source of its own; `whole` is the text of the first source."""
    published = Publication(journal="J Newts", year="2014")
    sources = [whole or texts[0], *texts[1:]]
    documents = [Document(str(i), t, publication=published) for i, t in enumerate(sources, 1)]
    # Of the whole text it is the last sentence.
    places = [d.text.rfind(". ", 0, -1) + 2 if d.text == whole else 0 for d in documents]
    chosen = tuple(
        Sentence(text, d.id, place, len(d.text), len(text.split()))
        for d, text, place in zip(documents, texts, places, strict=True)
    )
    summary = Summary("q", chosen, "", chosen, tuple(range(len(chosen))), question=question)
    return answer_of(summary, documents)


def test_a_sentence_that_opposes_the_opening_says_so():
    yes, no = "Velin helps newts.", "Velin did not help newts."
    neither = "Newts were kept in ponds."
    question = "Does velin help newts?"
    page = answers.page(answer_to(question, yes, no, neither, "In newts, velin helps."))
    assert yes in opening_of(page)
    prose = page.split('class="prose"')[1].split('class="tools"')[0]
    assert all(text in prose for text in (no, neither))
    assert prose.split(f">{no}")[1].split("</div>")[0].count('class="side no"') == 1
    assert prose.count('class="side') == 1
    # No side, where no sentence takes one.
    assert 'class="side' not in answers.page(answer_to(question, yes, neither))
    assert 'class="side' not in answers.page(answer_to("Which newts does velin help?", yes, no))


def opening_of(page):
    """The opening sentence of a page."""
    return page.split('class="line opening"')[1].split("</sup>")[0]


def test_a_cut_connective_is_an_ellipsis():
    whole = "We saw no harm. Therefore, newts may sing."
    answer = answer_to("May newts sing?", "Newts may sing.", whole=whole)
    (line,) = answer.lines
    assert (line.cut, line.shown) == ("Therefore, ", "… Newts may sing.")
    # What is marked is what was quoted.
    assert whole[line.start : line.sentence.end] == "newts may sing."
    assert plain.text(answer).startswith("… Newts may sing. [1]")
    assert not answer_to("May newts sing?", "Therefore, newts may sing.", whole=whole).lines[0].cut


def test_no_sentence_that_lost_its_connective_leads():
    whole = "Newts were kept. However, velin helps newts."
    lines = ("Velin helps newts.", "Velin helps all newts.")
    page = answers.page(answer_to("Does velin help newts?", *lines, whole=whole))
    assert "Velin helps all newts." in opening_of(page)


def test_the_first_source_stands_with_the_line_that_answers():
    page = answers.page(answer_to("Which newts sing?", "Grey newts sing."))
    assert "Grey newts sing." in opening_of(page)
    assert '<p class="meta">2014 · J Newts</p>' in page
    assert '<span class="meta">2014 · J Newts</span>' in page.split('id="source1"')[1]


def test_a_translated_title_is_quoted_without_its_brackets_and_named_as_one():
    title = "[Song of the newts in winter]."
    document = to_document(Raw(id="7", title=title, abstract=[("", "Newts sing.")]))
    chosen = (Sentence(title, "7", 0, len(title), 6, section="title"),)
    selected = Summary("q", chosen, "", chosen, (0,), question="Which newts sing?")
    page = answers.page(answer_of(selected, (document,)))
    assert ">Song of the newts in winter.</a>" in opening_of(page)
    assert "translated title" in page.split('class="opening')[-1].split('class="tools"')[0]
    # A quoted title has its mark on the title.
    assert '<mark><span id="s1"></span>' in page.split('id="source1"')[1].split("</summary>")[0]


@pytest.mark.parametrize(
    ("sentence", "side"),
    [
        ("Vitamin D deficiency is linked to depression.", Stance.YES),
        ("Abdominal obesity has been associated with vitamin D deficiency.", Stance.NEITHER),
        ("Vitamin D deficiency was not associated with depression.", Stance.NO),
        (
            "Whether vitamin D deficiency is associated with depression is debated.",
            Stance.NEITHER,
        ),
        ("Vitamin D deficiency, not age, was associated with depression.", Stance.NEITHER),
        # Two denials side by side, or in two clauses, are no affirmation.
        (
            "Vitamin D deficiency was not associated with depression and not with anxiety "
            "or depression.",
            Stance.NO,
        ),
        (
            "Vitamin D deficiency was not associated with depression; vitamin D deficiency "
            "was never associated with depression.",
            Stance.NO,
        ),
        (
            "Vitamin D deficiency was not associated with depression and was not unassociated, "
            "never, with depression.",
            Stance.NEITHER,
        ),
    ],
)
def test_a_side_needs_the_words_that_the_question_is_about(sentence, side):
    asked = YesNo.of("Is vitamin D deficiency associated with depression?")
    assert asked.read(sentence) is side


def test_questions_of_other_forms_have_no_sides():
    assert YesNo.of("Are circRNAs degraded by RNase R or by RNase H?") is None
    assert YesNo.of("Is there a vaccine for malaria?") is None
    asked = YesNo.of("Is there an association of velin with frost?")
    assert asked.read("Velin is associated with frost.") is Stance.YES


EFFECTIVE = "Is velin effective for frost?"


@pytest.mark.parametrize(
    ("question", "sentence", "side"),
    [
        # Reports of no benefit need none of the words for it that the question has.
        ("Is velin an effective treatment of frost?",
         "Velin did not have superior efficacy to rest in frost.", "no"),
        (EFFECTIVE, "In frost, velin was not superior to rest.", "no"),
        ("Is diving safe in frost?", "Diving also should be avoided in frost, which is cold.", "no"),
        ("Does velin improve frost?", "Velin had no benefit over rest in patients with frost.", "no"),
        ("Should velin be used for frost?", "Frost with velin and frost with rest did not differ.", "no"),
        ("Does velin prolong survival in frost?", "Velin did not improve survival in frost.", "no"),
        # One on something else, or in a clause on something else, is none.
        (EFFECTIVE, "Rest is ineffective in frost, while a trial supports velin.", ""),
        (EFFECTIVE, "Velin extends what helps in frost when rest is not effective.", ""),
        (EFFECTIVE, "Velin did not improve song.", ""),
        (EFFECTIVE, "This study does not support that velin helps in frost.", "no"),
        # What else stands beside a `but` leaves it a no, unless it reports some good.
        (EFFECTIVE, "Velin was well tolerated but did not prolong song in frost.", "no"),
        (EFFECTIVE, "Velin did not improve frost, but prevented hail.", ""),
        # A trial that was stopped says no, unless it was stopped for its success; what harms does
        # not say yes.
        (EFFECTIVE, "A large trial of velin in frost was terminated due to cramps.", "no"),
        (EFFECTIVE, "A trial of velin in frost was stopped early for overwhelming efficacy.", ""),
        (EFFECTIVE, "Velin aggravated frost.", ""),
        ("Should velin be avoided in frost?", "Velin should be avoided in frost.", "yes"),
        ("Are velin changes heritable?", "Velin means heritable changes that do not alter DNA.", ""),
    ],
)  # fmt: skip
def test_no_benefit_says_no(question, sentence, side):
    assert YesNo.of(question).read(sentence) == side


def test_words_of_the_question_may_stand_in_the_source_of_a_finding_and_a_mixed_one_takes_no_side():
    asked, finding = YesNo.of(EFFECTIVE), "Velin is ineffective."
    assert asked.read(finding, source=f"Velin in frost. {finding}") == "no"
    assert asked.read(finding, source=f"Velin in hail. {finding}") == ""
    assert asked.read("Velin was effective for frost, but did not improve song.") == ""
    # Nor what is only possible, or done.
    assert asked.read("Velin might be effective for frost.") == ""
    assert asked.read("Trials of effective velin for frost were included.") == ""


def test_findings_count_for_a_side_and_a_study_on_both_sides_for_none():
    yes, no, question = "Velin helps newts.", "Velin did not help newts.", "Does velin help newts?"
    both = answer_to(question, yes, no)
    assert both.points.sides == {0: Stance.YES, 1: Stance.NO}
    assert answer_to(question, f"BACKGROUND: {yes}", no).points.sides == {1: Stance.NO}
    # The line that answers is the first that takes a side.
    assert yes in opening_of(answers.page(answer_to(question, "Newts sing of velin.", yes)))
    first, second = both.lines
    same = replace(both, lines=(first, replace(second, source=first.source)))
    assert same.points.sides == {}


def test_the_same_fact_stands_once_with_the_numbers_of_the_others():
    texts = (
        "Velin is reversed by frostin.",
        "Frostin, an antidote, reversed velin.",
        "Frostin did not reverse hail.",
        "Frostin reverses velin at once.",
    )
    page = answers.page(answer_to("Which drug can reverse velin?", *texts))
    # None is hidden: the plainest may be among them.
    assert "frostin: also in 2, 4</p>" in page
    assert all(text in page.split('class="tools"')[0] for text in texts)
    # Of a quantity another number is another fact.
    forms = "Velin has 6 forms.|Forms of velin are 7 forms of frost.|Frost and velin: 6 forms."
    page = answers.page(answer_to("How many forms has velin?", *forms.split("|")))
    assert "also in" not in page


def test_the_kind_of_a_study_stands_with_what_is_quoted():
    title, text = "Velin for newts", "We randomised 87 patients. Velin helps newts."
    reference = Raw(id="7", title=title, abstract=[("", text)])
    known = Publication(year="2012", journal="J Newts", kinds=("randomised", "trial"))
    own = replace(to_document(reference), publication=known)
    other = replace(
        to_document(Raw(id="8", title="Frost", abstract=[("", "Newts sleep.")])),
        date="2001",
    )
    start = own.text.index("Velin helps")
    chosen = (Sentence("Velin helps newts.", "7", start, len(own.text), 3),)
    summary = Summary(
        "q", chosen, "", chosen, (0,), question="Does velin help newts?", search=SearchResult()
    )
    answer = answer_of(summary, (other, own))
    page = answers.page(answer)
    assert '<p class="meta">Randomised trial · 2012 · J Newts</p>' in page
    source, rest = page.split('id="source1"')[1].split("</details>", 1)
    assert '<span class="kind">Randomised trial</span>' in source
    # All records found are listed, quoted or not, the best first, with what sorts them.
    assert "2 records found, quoted or not" in rest
    listed = re.findall(r"<tr><th scope=\"row\">(?:<a[^>]*>)?([^<]*)(.*?)</tr>", rest)
    assert [title for title, _ in listed] == ["Frost", "Velin for newts"]
    assert 'href="#source1">[1]</a>' in listed[1][1]
    assert 'data-value="2012">2012' in listed[1][1]
    assert re.search(r'data-value="-\d+">randomised trial</td>', listed[1][1])


def test_a_title_takes_the_side_of_yes_only_if_it_states_something():
    asked = YesNo.of("Is velin effective for frost?")
    name = "Phase III study of effective velin for frost"
    assert (asked.read(name, title=True), asked.read(name)) == ("", "yes")
    assert asked.read("Velin is effective for frost", title=True) == "yes"
    assert asked.read("No efficacy of velin for frost", title=True) == "no"


def test_a_source_leads_to_its_full_text():
    reference = Raw(id="7", title="Velin", abstract=[("RESULTS", "Velin helps newts.")])
    own = to_document(reference)
    known = Publication(pmid="7", pmcid="PMC9", doi="10.1234/x")
    own = replace(own, publication=known)
    start = own.text.index("Velin helps")
    chosen = (Sentence("Velin helps newts.", "7", start, len(own.text), 3),)
    answer = answer_of(Summary("q", chosen, "", chosen, (0,), question="?"), (own,))
    assert answer.lines[0].section == "Results"
    source = answers.page(answer).split('id="source1"')[1]
    links = re.findall(r'href="([^"]+)"[^>]*>([^<]+)</a>', source.split("Full text: ")[1])
    assert links[0] == ("https://pmc.ncbi.nlm.nih.gov/articles/PMC9/", "PMC9")
    assert links[1] == ("https://doi.org/10.1234/x", "DOI 10.1234/x")
