"""Sentences: what ends one and what does not, on invented text; offsets by property; long texts; F1 on GENIA."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.sentences import is_whole, joined, split_sentences


def split(text, newlines="paragraph"):
    return [text[start:end] for start, end in split_sentences(text, newlines)]


# Repeated, each makes some expressions slow.
UNITS = (
    ".", "a", "A. ", "a. ", ".[1", ".)", '."', "x.1", "[1],", "aaa. [1]", "(", "¹", "\n", "\n ", " •", "!?", "et al. ",
    "\u00a0.",
)  # fmt: skip

# A bar is a boundary; the text is what is left without the bars.
MARKED = [
    "Plain words end here.| Others begin.| A third one.",
    "See Fig. 2 and Figs. 2A and B for it.| Eq. 3 holds.",
    "This was shown by Olm et al. (2003) and Olm et al. 2004.| It is so.",
    "This was shown by Olm et al.| The rest is known.",
    "Cells of E. coli and S. pombe grew.| S. pombe grew faster.",
    "Mice were dosed i.v. with 3 mg and i.p. after that.| They slept.",
    "Doses were given i.v.| Mice slept.",
    "Some (e.g. apes) and others (i.e. birds) vs. fish were cf. Olm.| Nothing else.",
    "Catalog no. 3 and No. 12 were used.| There were none.",
    "A dose of 3.5 mg at pH 7.4 (P<0.05) was used.| Then 2.5 ml.",
    "We thank J. Smith and Dr. R. K. Olm for help.| J. Smith made it.",
    "It binds p53.| p53 is bound.| miR-372 is not.| mRNA was seen.| c-myc too.| hGR was low.",
    "It binds.| α-Actin is bound.| beta-Catenin is not.",
    "It is lost in cells.12| The rest is kept.",
    "It is lost in cells.12,14–16| The rest is kept.",
    "This is a pathway.[3]| We agree.| So do they.[4], [5]| Others do not.",
    "This is a pathway. [3]| We agree.",
    "They agree.²³| We agree.",
    "It was so (Olm et al., 2000).| The rest (Fig. 2) was not.| (See below.)| So it was.",
    'He said “it is so.”| She said "it is not."| Nobody spoke.',
    "Is it so?| It is!| Very well.",
    "Is it so? we asked them.",
    "It went on...| Then it ended.| It went on ... and on.",
    "We found the following.| (i) It grew.| (ii) It slept.",
    "They had hepatitis C.| Patients with kappa B.| Two degrees C.| We saw A and B.| Others did not.",
    "Cells from Olm Inc. (Ulm) and Olm Inc. Ulm were used.| Those of Olm Inc.| The others died.",
    "Reported in J. Biol. Chem. 12, 3-9 and Proc. Natl. Acad. Sci. USA 3, 4.| We agree.",
    "They used PU.1 DNA and version v2.1 Tools.| Done.",
    "Values were near (n = 3. 5 at most).| All were low.",
    "1. This is numbered.| 2. So is this.| It was in 1995.| 12 mice died.",
    "It is low (Table 4).|The trend went on.",
    "It ended here.|The stop lost its space.",
    "Points:| • one thing| • another thing",
    "The U.S. Army and the U.S. were named.| S.D. was low.",
    "It takes 5 min.| After 6 h. in all 7 hr.| Then it ends.",
    "Newts were heard (n = 12).|METHODS: Ponds were dug.|RESULTS AND TOADS: They sang, p < 0.05.|Conclusions: So.",
    "They grew by 12%.|CONCLUSION: See www.newts.ORG or cf.DNA for it.",
    "The pond was deep.|RESU",
    "It opened on Jan. 12 and, in Ulm, on Sept. 3, 2020.| It shut in Nov.| It uses c-Jun.| Rain fell.",
    "It began at 9 a.m. Monday.| It ended at 5 p.m.| The door shut.| Sen. Olm and Maj. Gen. Ulm spoke.",
    "Do newts sing?| Yes.| Newts sing.",
    "No.| Toads do not.",
    "No. 3 was silent.",
    "Yes.| 12 newts sang.",
    "SEE FIG. 2 AND EQS. 3 FOR DETAILS.| NEWTS VS. TOADS.",
    "OLM ET AL. 2004 HEARD NEWTS.| THE NEWTS OF OLM INC. SANG.| SO SAID OLM ET AL.| THE REST IS KNOWN.",
    "It releases NO.| Endothelial newts with MS.| Rain fell.",
    "They saw 7 cases of FNS and 8 of VS.| Newts sang to Olm AL.| Songs fell.",
    "no stop here",
    "One line|\nAnother line|\n\n  A third.| With two.",
]


@pytest.mark.parametrize("marked", MARKED)
def test_boundaries(marked):
    assert split(marked.replace("|", "")) == [sentence.strip() for sentence in marked.split("|")]


def test_a_line_end_is_white_space_where_lines_are_wrapped():
    wrapped = "The first sentence goes\non here. The second\nends.\n \nA heading\n\nThe third."
    assert split(wrapped, "space") == [
        "The first sentence goes\non here.",
        "The second\nends.",
        "A heading",
        "The third.",
    ]
    assert len(split(wrapped)) == 6


def test_sentences_that_a_source_cut_at_an_abbreviation_are_joined():
    parts = [
        "Unlike Newt et al.",
        "(1997), Toad vs.",
        "Olm et al.",
        "sing.",
        "They end in Newt et al.",
        "The rest is known.",
    ]
    text, spans = "", []
    for part in parts:
        spans.append((len(text), len(text) + len(part)))
        text += part + "\n"
    assert [text[a:b].replace("\n", " ") for a, b in joined(spans, text)] == [
        "Unlike Newt et al. (1997), Toad vs. Olm et al. sing.",
        "They end in Newt et al.",
        "The rest is known.",
    ]
    # What lies between two sentences keeps them apart.
    assert joined([(0, 18), (20, 30)], "Unlike Newt et al.#(1997) x.") == [(0, 18), (20, 30)]


def test_empty():
    assert split_sentences("") == split_sentences(" \n\t ") == []


PIECES = st.sampled_from(
    [
        *' \n\u2028\u00a0\x1c.?!…()[]"”•,:–²1A0αE',
        "  ",
        "\r\n",
        *".. [3] 12 3.5 Fig al e.g The cells p53 miR-372 B.".split(),
    ]
)


@given(
    st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60)),
    st.sampled_from(["paragraph", "space"]),
)
def test_every_character_is_in_exactly_one_sentence(text, newlines):
    spans = split_sentences(text, newlines)
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@given(st.lists(st.lists(PIECES, max_size=12).map("".join), max_size=6))
def test_lines_are_split_apart_from_each_other(lines):
    lines = ["".join(line.split()) for line in lines]
    assert split("\n".join(lines)) == [s for line in lines for s in split(line)]


@pytest.mark.parametrize("newlines", ["paragraph", "space"])
@pytest.mark.parametrize("unit", UNITS)
def test_long_repetitions_are_split_without_loss(unit, newlines):
    # An expression of quadratic time would take minutes here.
    text = "See." + unit * (200_000 // len(unit))
    spans = split_sentences(text, newlines)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())


def test_ten_million_characters_of_one_line():
    text = "word " * 2_000_000
    assert split_sentences(text) == [(0, len(text) - 1)]
    assert len(split_sentences("." * 10_000_000)) == 1


def test_genia_abstracts(real_data):
    from experiments.sentence_boundaries import abstracts, counts

    everything = list(abstracts(real_data / "genia" / "GENIA_treebank_v1.tar.gz"))
    held_out = {int(pmid) for pmid in (real_data / "genia" / "dev.pmids").read_text().split()}
    dev = [a for a in everything if a.pmid in held_out]
    assert (len(everything), len(dev)) == (1849, 148)
    for chosen in (everything, dev):
        right, found, gold = counts(chosen, split_sentences)
        assert 2 * right / (found + gold) >= 0.999


@pytest.mark.parametrize(
    "text",
    [
        "Newts have hepatitis A.",
        "They sang (loud.)",
        'He said "sing."',
        "It fell (p < .05).",
        "Newts with CF.",
        "β-Catenin binds.",
        "miR-372 rises?",
        "c-myc binds E. coli here!",
        "2.4 % of newts sing.",
        "It grew at 37 °C.",
    ],
)
def test_whole_sentences(text):
    assert is_whole(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the newts sing.",
        "utation of newts.",
        "(Songs of newts.)",
        "• Newts sing.",
        '"Newts" sing.',
        "Newts sing",
        "Newts sing;.",
        "Newts sing vs.",
        "Newts sing with toads and.",
        "As heard by Olm et al.",
        "Newts sing (in ponds.",
        "Newts sing in ponds. Th.",
        "Newts sing in ponds.RESULTS: They hum.",
        "Newts sing in ponds. of toads hum.",
    ],
)
def test_parts_of_sentences(text):
    assert not is_whole(text)


@given(st.text(alphabet="aB1 .,;:!?()[]'\"-é\n", max_size=60))
def test_what_is_whole_begins_and_ends_as_a_sentence(text):
    if is_whole(text):
        assert text[0].isalnum()
        assert text.rstrip(")]}\"'")[-1] in ".!?"
