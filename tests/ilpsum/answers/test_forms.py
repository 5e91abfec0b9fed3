"""The forms in which a search finds the words of a question."""

import gzip
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import mesh_synonyms
from ilpsum.answers.alternatives import SearchQuery, definitions, synonyms
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.weights import smoothed_idf
from ilpsum.literature.gate import to_document
from ilpsum.literature.raw import Raw
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.terms import QueryWords, normal, terms, terms_of_word, tokens
from ilpsum.records import Alternative, SearchResult, Summary, Topic
from ilpsum.records.tables import CandidateTable
from ilpsum.resources import mesh
from ilpsum.runs.provenance import read_provenance, summary_line

SAME = """
haemorrhage/hemorrhage tumour/tumor tumours/tumors oesophagus/esophagus œsophagus/esophagus leukaemia/leukemia
randomised/randomized hospitalisation/hospitalization organising/organizing analyse/analyze analysed/analyzed
catalyse/catalyze synthesised/synthesized foetus/fetus diarrhoea/diarrhea dyspnoea/dyspnea oedema/edema
oestrogen/estrogen caesarean/cesarean coeliac/celiac anaemia/anemia paediatric/pediatric aetiology/etiology
behavioural/behavioral fibre/fiber millilitre/milliliter centre/center labelled/labeled signalling/signaling
sulphate/sulfate leucocyte/leukocyte programme/program neurone/neuron analogue/analog practise/practice
judgement/judgment ageing/aging aluminium/aluminum enrolment/enrollment manoeuvre/maneuver grey/gray
metastases/metastasis diagnoses/diagnosis analyses/analysis bacteria/bacterium criteria/criterion sera/serum
mitochondria/mitochondrion vertebrae/vertebra thrombi/thrombus nuclei/nucleus cortices/cortex carcinomata/carcinoma
mice/mouse newts/newt
"""


@pytest.mark.parametrize("pair", SAME.split())
def test_spellings_and_plurals_are_one_term(pair):
    one, other = pair.split("/")
    assert terms(one) == terms(other)


def test_different_words_stay_different():
    for pair in "region/regions called/calcium precise/prize hour/hormone disease/dissect series/sera".split():
        one, other = pair.split("/")
        assert (terms(one) == terms(other)) == (pair == "region/regions")
    # Rules of endings leave other endings alone.
    assert [normal(w) for w in ("region", "disease", "precise", "controlled")] == [
        "region", "disease", "precise", "controlled"
    ]  # fmt: skip
    assert normal("does") == "does"
    # Thousands of letters are no word; a search of them would take seconds.
    assert normal("anaemia") != "anaemia"
    assert normal("a" * 100 + "naemia") == "a" * 100 + "naemia"


@pytest.mark.parametrize(
    "group",
    [
        ("IL-6", "IL6", "IL 6", "il-6", "IL(6)"),
        ("COVID-19", "COVID19"),
        ("Ca2+", "Ca(2+)", "Ca²⁺"),
        ("TGF-β", "TGF-beta", "TGF beta", "TGFb", "TGFβ"),
        ("TGF-β1", "TGFβ1", "TGFb1", "TGF-beta1"),
        ("NF-κB", "NF-kappaB", "NFkB"),
        ("IL-17A", "IL17A"),
        ("α-synuclein", "alpha-synuclein", "Α synuclein"),
    ],
)
def test_greek_letters_hyphens_and_compounds(group):
    assert len({tuple(terms(text)) for text in group}) == 1


def test_a_compound_follows_its_parts():
    assert terms("IL-17A of 12 newts") == ["il", "17", "il17a", "12", "newt"]
    assert tokens("type 2 newts") == ["type", "2", "type 2", "newts"]
    assert terms("type 2 newts") == ["type", "2", "type2", "newt"]
    assert terms("newts, 6") == ["newt", "6"]


def test_adverbs_of_sentences_are_no_forms_of_other_words():
    assert terms("Collectively, newts collect; importantly, they import.") == [
        "newt", "collect", "import"
    ]  # fmt: skip


def test_an_abbreviation_that_is_another_word_is_no_match():
    texts = document("1", "The song program (CUP) sings."), document("2", "A cup of song.")
    topic = with_documents(Topic("q", "a cup of song"), AbstractSearch.of_documents(texts))
    sentences = candidates(topic, CandidateTable())
    words = [word for word, _ in topic.search.weights]
    for s, row in zip(sentences, context(topic, sentences).evidence.sentences, strict=True):
        assert row[words.index("cup")] == (s.document == "2")
        assert row[words.index("song")] == 1.0


def test_the_letter_of_a_name_is_part_of_it():
    assert terms("vitamin D") == terms("Vitamin-d") == ["vitamin", "dvitamin"]
    assert terms("hepatitis B in newts") == ["hepat", "b", "bhepat", "newt"]
    # Not of other words, nor a letter with a number, which has a compound of its own.
    assert terms("vitamin B 6, newt B") == ["vitamin", "b", "6", "b6", "newt", "b"]
    texts = document("1", "Vitamin C of newts."), document("2", "Newts hum with vitamin D.")
    assert found(AbstractSearch.of_documents(texts), "vitamin D")[0] == ["2", "1"]


@given(st.text(alphabet=string.ascii_letters + string.digits + " -()αβκŒ²ß,.", max_size=60))
def test_a_word_of_a_query_has_the_term_it_came_from(text):
    for word in tokens(text):
        assert terms(word)[-1:] == list(terms_of_word(word)[-1:])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Restless newt syndrome (RNS) is rare.", [("RNS", "Restless newt syndrome")]),
        ("In toads with acute pond fever (APF), frost helps.", [("APF", "acute pond fever")]),
        ("The gene HUM2 (humming protein 2) is old.", [("HUM2", "humming protein 2")]),
        ("croak-releasing hormone (CRH; 3 mg)", [("CRH", "croak-releasing hormone")]),
        ("Nine newts (in 2004) sang (n = 9).", []),
        ("Toads hum (XYZ).", []),
        ("Warm. Wet pond (WWP) of newts", []),
        ("(RNS)", []),
    ],
)
def test_definitions(text, expected):
    assert definitions(text) == expected


def test_synonyms():
    assert "acetaminophen" in synonyms("paracetamol")
    assert "myocardi infarct" in synonyms("heart attack")
    assert synonyms("newt syndrome") == []


def test_the_shipped_synonyms_are_those_of_mesh(real_data):
    file = real_data / "mesh" / "mesh2019_entry_terms.tsv.gz"
    lines = mesh_synonyms.synonyms(file)
    for name, expected in (("synonyms", lines), ("names", mesh_synonyms.named(file, lines))):
        assert gzip.decompress(mesh(name).read_bytes()).decode().splitlines() == expected


def document(name, text, title="Title"):
    return to_document(Raw(id=name, pmid=name, title=title, abstract=[("", text)]))


DOCUMENTS = (
    document("1", "Restless newt syndrome (RNS) is a disease of ponds."),
    document("2", "In RNS the tail hums."),
    document("3", "The restless newt rests; no syndrome of its tail is known."),
    document("4", "Paracetamol calms toads. Hemorrhage is rare."),
    document("5", "Moths shed scales near lamps."),
)


def found(search, query, **options):
    topic = with_documents(Topic("q", query), search, **{"least_coverage": 0.0, **options})
    return [d.id for d in topic.documents], topic.search


def test_an_abbreviation_finds_its_long_form_and_the_reverse():
    search = AbstractSearch.of_documents(DOCUMENTS)
    ids, result = found(search, "Is RNS old?")
    assert ids == ["2", "1", "3"] or ids == ["1", "2", "3"]
    assert result.alternatives == (Alternative(("rns",), ("restless", "newt", "syndrom"), 0.4),)
    hits = search("restless newt syndrome").documents
    assert {hit.id for hit in hits} == {"1", "2", "3"}
    # A word that is no abbreviation as written has no long form.
    assert found(search, "rns")[1].alternatives == ()


def test_a_synonym_finds_less_than_the_word_itself():
    search = AbstractSearch.of_documents(
        (*DOCUMENTS, document("6", "Acetaminophen calms toads. Hemorrhage is rare."))
    )
    assert found(search, "acetaminophen")[0] == ["6", "4"]
    assert found(search, "paracetamol")[0] == ["4", "6"]
    scores = [hit.bm25 for hit in search("paracetamol").result.found]
    assert scores[1] == pytest.approx(
        scores[0] * 0.5 * (1 + k(search, "4")) / (0.5 + k(search, "6")), rel=1e-6
    )


def k(search, name):
    """BM25's share of the length, with which a frequency of 1 is compared."""
    (hit,) = (h for h in search("paracetamol").documents if h.id == name)
    return 1.2 * (0.25 + 0.75 * len(terms(hit.text)) / search._mean)


def test_a_word_that_occurs_only_in_another_form_is_not_missing():
    search = AbstractSearch.of_documents(DOCUMENTS)
    ids, result = found(search, "acetaminophen and haemorrhage in zebras")
    assert ids == ["4"]
    assert result.missing == ("zebras",)
    assert [word for word, _ in result.weights] == ["acetaminophen", "haemorrhage"]
    held = sum(weight for _, weight in result.weights)
    assert result.coverage == pytest.approx(held / (held + smoothed_idf("zebras", 0, 5)))
    # The long form's terms must occur together.
    apart = AbstractSearch.of_documents(
        [document("1", "Heart of newts."), document("2", "Attack of toads.")]
    )
    assert found(apart, "myocardial infarction")[1].missing == ("myocardial", "infarction")


def test_a_word_and_a_number_side_by_side_are_only_a_compound_if_an_abstract_has_them():
    search = AbstractSearch.of_documents(
        [document("1", "Type 2 newts hum with IL-6."), document("2", "Nine toads.")]
    )
    assert found(search, "List 2 newts")[1].missing == ("list",)
    assert "type 2" in dict(found(search, "type 2 newts")[1].weights)
    assert "il-7" in found(search, "IL-7")[1].missing


def test_documents_in_memory_rank_as_their_index(tmp_path):
    file = tmp_path / "a.jsonl"
    records = [
        {"pmid": d.id, "title": d.title, "abstract": d.text.split("\n", 1)[1]} for d in DOCUMENTS
    ]
    file.write_text("\n".join(map(json.dumps, records)))
    on_disk, in_memory = (
        AbstractSearch([file], tmp_path / "i"),
        AbstractSearch.of_documents(DOCUMENTS),
    )
    for query in (
        "Does RNS make newts hum?",
        "paracetamol",
        "Do moths shed the restless newt's tail?",
        "zebra",
    ):
        assert on_disk(query) == in_memory(query)
    assert in_memory.documents == on_disk.documents == 5
    assert in_memory.warnings == ()


def test_documents_without_pmids_are_searched():
    names = ["b.txt", "10", "9", "a.txt"]
    search = AbstractSearch.of_documents(document(name, "Newts sing in ponds.") for name in names)
    assert [hit.id for hit in search("newts").documents] == ["9", "10", "a.txt", "b.txt"]
    assert AbstractSearch.of_documents([])("newts").documents == ()


def test_several_files_share_their_definitions(tmp_path):
    files = []
    for number, part in enumerate((DOCUMENTS[:1], DOCUMENTS[1:])):
        files.append(tmp_path / f"{number}.jsonl")
        records = [
            {"pmid": d.id, "title": d.title, "abstract": d.text.split("\n", 1)[1]} for d in part
        ]
        files[-1].write_text("\n".join(map(json.dumps, records)))
    search = AbstractSearch(files, tmp_path / "i")
    assert search("Is RNS old?") == AbstractSearch.of_documents(DOCUMENTS)("Is RNS old?")


@pytest.mark.parametrize("word", "doesn’t doesn't hasn't couldn't mustn't don't".split())
def test_a_contraction_is_no_term(word):
    assert terms(f"Why {word} newts sing?") == terms("Why newts sing?")
    assert SearchQuery.of(f"Why {word} newts sing?") == SearchQuery.of("Why newts sing?")


def test_words_of_a_query_in_a_text():
    search = SearchResult(
        weights=(("haemorrhage", 3.0), ("rns", 2.0), ("il-6", 5.0)),
        alternatives=(Alternative(("rns",), ("restless", "newt"), 0.4),),
    )
    query = QueryWords(search)
    assert query.held("Hemorrhages in a restless newt") == {"haemorrhage": 1.0, "rns": 0.4}
    assert query.held("RNS of the restless newt; IL6") == {"rns": 1.0, "il-6": 1.0}
    assert query.held("a restless toad") == {}
    found = query.matches(
        [terms("Hemorrhages in a restless newt"), [], terms("RNS of the restless newt; IL6")]
    )
    assert found.tolist() == [[1.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    many = tuple(f"word{n}" for n in range(20))
    sets = QueryWords(
        SearchResult(
            weights=tuple((w, 1.0) for w in many), alternatives=(Alternative(many, ("x",), 0.5),)
        )
    )
    assert list(sets.held("x")) == list(many)  # whatever the process's hashes
    assert query.share("Hemorrhage of the restless newt") == 0.5
    assert query.share("Hemorrhage of the restless newt", power=2.0) == pytest.approx(13 / 38)
    assert QueryWords(SearchResult()).share("newts") == 0.0


def test_alternatives_are_kept_in_the_provenance(tmp_path):
    search = with_documents(
        Topic("q", "Is RNS old?"), AbstractSearch.of_documents(DOCUMENTS)
    ).search
    assert search.alternatives
    (tmp_path / "run.jsonl").write_bytes(summary_line(Summary("q", (), "", search=search)))
    (summary,) = read_provenance(tmp_path / "run.jsonl")
    assert summary.search == search
