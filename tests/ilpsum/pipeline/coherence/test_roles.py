"""The classifier of what a sentence does in its abstract."""

import numpy as np
import pytest

from ilpsum.errors import ModelError
from ilpsum.papers.labels import part_of
from ilpsum.pipeline.coherence.roles import ROLES, RoleModel, marks, shipped


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("BACKGROUND", "background"),
        ("Aims", "aim"),
        ("OBJECTIVES:", "aim"),
        ("METHODS", "method"),
        ("Main outcome measures", "method"),
        ("DESIGN, SETTING, AND PARTICIPANTS", "method"),
        ("Materials and Methods", "method"),
        ("RESULTS", "result"),
        ("Main findings", "result"),
        ("CONCLUSIONS", "conclusion"),
        ("Interpretation", "conclusion"),
        ("METHODS AND RESULTS", ""),
        ("BACKGROUND AND AIMS", ""),
        ("FUNDING", ""),
        ("", ""),
    ],
)
def test_roles_of_labels(label, role):
    assert part_of(label) == role


def test_marks():
    assert marks("METHODS: However, 12 newts sang 12 songs.", 0.5) == (
        "0",
        "newts",
        "sang",
        "songs",
        "0 newts",
        "newts sang",
        "sang 0",
        "0 songs",
        "^ 0 newts",
        "@ 2",
    )
    assert marks("", 1.0) == ("^ ", "@ 4")


def test_probabilities_are_the_softmax_of_the_weights():
    known = ("newts", "newts sing", "@ 0")
    weights = np.arange(15, dtype=float).reshape(5, 3) / 10
    model = RoleModel(known, weights, np.array([0.3, 0.2, 0.1, 0.0, -0.1]))
    scores = np.array([model.offsets + weights.sum(axis=1), model.offsets])
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert model(["Newts sing.", "Toads hum."], [0.0, 0.9]) == pytest.approx(expected)
    assert model([], []).shape == (0, len(ROLES))


@pytest.mark.parametrize(
    ("text", "place", "role"),
    [
        ("Newt rot is the most common disease of newts worldwide.", 0.0, "background"),
        ("Patients were randomly assigned to receive placebo or 50 mg of the drug.", 0.3, "method"),
        ("Survival was significantly higher in the treated group than in controls (p < 0.001).", 0.7, "result"),
        ("These findings suggest that the drug may be a promising treatment.", 0.98, "conclusion"),
    ],
)
def test_the_model_that_ships(text, place, role):
    told = shipped()([text], [place])[0]
    assert ROLES[int(told.argmax())] == role
    assert shipped().is_method([text], [place]) == [role == "method"]


def test_a_model_is_kept(tmp_path):
    model = RoleModel(("newts", "@ 0"), np.array([[0.5, -0.25]] * 5), np.zeros(5))
    model.save(tmp_path / "m.npz", {"seen": 1})
    again = RoleModel.load(tmp_path / "m.npz")
    assert again.known == model.known
    assert again(["Newts."], [0.0]) == pytest.approx(model(["Newts."], [0.0]))


def test_a_model_whose_arrays_do_not_fit_is_refused(tmp_path):
    RoleModel(("newts", "@ 0"), np.zeros((5, 1)), np.zeros(5)).save(tmp_path / "m.npz", {})
    with pytest.raises(ModelError, match="do not fit"):
        RoleModel.load(tmp_path / "m.npz")
    (tmp_path / "n.npz").write_bytes(b"nothing")
    with pytest.raises(ModelError):
        RoleModel.load(tmp_path / "n.npz")


def test_roles_of_real_abstracts(real_data):
    """On abstracts that the model that ships has not seen, most methods are told from results."""
    from ilpsum.corpora import pubmed
    from ilpsum.papers.layout import sentences
    from ilpsum.pipeline.coherence.statements import LabelledParts, place_in
    from ilpsum.records import Document

    right = {"method": [], "result": []}
    for document in pubmed.documents(real_data / "bioasq" / "abstracts.jsonl.gz"):
        if isinstance(document, Document) and document.id.endswith(("20", "70")):
            parts = LabelledParts(document)
            for s in sentences(document):
                role = part_of(parts.label(s.start))
                if role in right:
                    right[role] += shipped().is_method([s.text], [place_in(document, s.start)])
    assert len(right["method"]) > 30
    assert np.mean(right["method"]) > 0.7
    assert np.mean(right["result"]) < 0.1
