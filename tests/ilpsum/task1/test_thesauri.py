"""Thesauri: the longest match, and every file format; all terms are invented."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilpsum.errors import InputError
from ilpsum.task1.thesaurus import Concept, Thesaurus

XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://example.org/desc.dtd">
<DescriptorRecordSet LanguageCode="eng">
<DescriptorRecord DescriptorClass="1"><DescriptorUI>D900001</DescriptorUI>
<DescriptorName><String>Glimmer Fever</String></DescriptorName>
<TreeNumberList><TreeNumber>C91.100</TreeNumber></TreeNumberList>
<ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M1</ConceptUI><TermList>
<Term><TermUI>T1</TermUI><String>Glimmer Fever</String></Term>
<Term><TermUI>T2</TermUI><String>Fever, Glimmer</String></Term></TermList></Concept></ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass="1"><DescriptorUI>D900002</DescriptorUI>
<DescriptorName><String>Night Glimmer</String></DescriptorName>
<TreeNumberList><TreeNumber>C91.100.200</TreeNumber></TreeNumberList>
<ConceptList><Concept PreferredConceptYN="Y"><TermList><Term><String>Night Glimmer</String></Term></TermList></Concept>
</ConceptList></DescriptorRecord>
</DescriptorRecordSet>
"""
TABLE = (
    "ui\tname\tentry_terms_2031\ttree_numbers_2031\nD900001\tGlimmer Fever\tFever, Glimmer|Shine Disease\tC91.100\n"
    "D900002\tNight Glimmer\t\tC91.100.200\n"
)
TREES = "mesh_id\tmesh_name\tmesh_tree_number\nD900001\tGlimmer Fever\tC91.100\nD900003\tDay Glimmer\tC91.100.300\n"


def _naive(terms, tokens):
    found, i = [], 0
    while i < len(tokens):
        for j in range(len(tokens), i, -1):
            if " ".join(tokens[i:j]) in terms:
                found.append((i, j))
                i = j
                break
        else:
            i += 1
    return found


@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), max_size=8),
    st.lists(st.sampled_from("abcde"), max_size=15),
)
def test_the_longest_match_is_that_of_trying_every_length(terms, tokens):
    names = [" ".join(term) for term in terms]
    thesaurus = Thesaurus(Concept(str(i), name) for i, name in enumerate(names))
    assert [(start, end) for start, end, _ in thesaurus.find(tokens)] == _naive(set(names), tokens)


def test_one_term_may_name_several_concepts():
    thesaurus = Thesaurus([Concept("1", "cold"), Concept("2", "chill", ("chill", "cold"))])
    assert thesaurus.find(["a", "cold"]) == [(1, 2, ("1", "2"))]


@pytest.mark.parametrize(("name", "text"), [("desc.xml", XML), ("terms.tsv", TABLE)])
@pytest.mark.parametrize("packed", [False, True])
def test_every_form_of_mesh(tmp_path, name, text, packed):
    path = tmp_path / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    found = Thesaurus.read([path])
    ((_, _, concepts),) = found.find("the glimmer fever rose".split())
    concept = found[concepts[0]]
    assert concept.name == "Glimmer Fever"
    assert concept.id == "D900001"
    assert "Fever, Glimmer" in concept.terms
    assert "Night Glimmer" in found.expansion(concept.id)


def test_trees_and_terms_are_merged(tmp_path):
    (tmp_path / "a.tsv").write_text(TABLE)
    (tmp_path / "b.tsv").write_text(TREES)
    found = Thesaurus.read([tmp_path / "a.tsv", tmp_path / "b.tsv"])
    names = ["Glimmer Fever", "Fever, Glimmer", "Shine Disease", "Night Glimmer", "Day Glimmer"]
    assert found.expansion("D900001") == names


@pytest.mark.parametrize(
    "text",
    [
        "nothing of the kind\n",
        "<a><b></a>",
        '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        "ui\tname\nD1\tA\nno identifier\n",
    ],
)
def test_other_files_give_a_one_line_error(tmp_path, text):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(InputError, match="file") as raised:
        Thesaurus.read([path])
    assert "\n" not in str(raised.value)


def test_types_and_related_concepts_of_a_table(tmp_path):
    path = tmp_path / "umls.tsv"
    rows = "C1\tGlimmer fever\tShine disease\tT047\tC2|C9\nC2\tNight glimmer\nC3\tBrightness\t\tT081\tC2\n"
    path.write_text(f"ui\tname\tentry_terms\ttypes\trelated\n{rows}")
    found = Thesaurus.read([path])
    assert found["C1"] == Concept(
        "C1", "Glimmer fever", ("Glimmer fever", "Shine disease"), ("T047",), ("C2", "C9")
    )
    assert found.expansion("C1") == ["Glimmer fever", "Shine disease", "Night glimmer"]
    assert found.expansion("C3") == []


def test_mesh_of_2019(real_data):
    found = Thesaurus.read([real_data / "mesh/mesh2019_entry_terms.tsv.gz"])
    assert len([c for c in found if c.id.startswith("D")]) == 29_351
    ((_, _, concepts),) = found.find(["genitalia"])
    assert {found[c].name for c in concepts} == {"Genitalia"}
    assert "Genitalia, Female" in found.expansion(concepts[0])


@pytest.mark.parametrize(
    "change", [("?>", ' encoding="x"?>'), ("?>", ' encoding="utf-7"?>'), ("DescriptorUI>", "x>")]
)
def test_damaged_xml_is_one_line(tmp_path, change):
    path = tmp_path / "desc.xml"
    path.write_text(XML.replace(*change, 1))
    with pytest.raises(InputError, match=r"desc\.xml:(4:)? "):
        Thesaurus.read([path])
