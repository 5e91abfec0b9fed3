"""The classifier of rhetorical roles."""

from dataclasses import replace

import numpy as np
import pytest

from experiments import train_roles
from ilpsum.errors import ModelError
from ilpsum.files import persistence
from ilpsum.learning import stored
from ilpsum.papers.headings import part_of
from ilpsum.pipeline.coherence.statements import (
    KIND,
    PROTOCOL,
    ROLES,
    RoleModel,
    role_features,
    roles_in,
    shipped,
)
from ilpsum.records import Document, Section, Sentence
from tests.measures import within


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


def test_role_features():
    assert role_features("METHODS: However, 12 newts sang 12 songs.", 0.5) == (
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
    assert role_features("", 1.0) == ("^ ", "@ 4")


def test_probabilities_are_the_softmax_of_the_weights():
    names = ("newts", "newts sing", "@ 0")
    weights = np.arange(15, dtype=float).reshape(5, 3) / 10
    model = RoleModel(names, weights, np.array([0.3, 0.2, 0.1, 0.0, -0.1]))
    scores = np.array([model.offsets + weights.sum(axis=1), model.offsets])
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert model(["Newts sing.", "Toads hum."], [0.0, 0.9]) == pytest.approx(expected)
    assert model([], []).shape == (0, len(ROLES))


@pytest.mark.parametrize(
    ("text", "position", "role"),
    [
        ("Newt rot is the most common disease of newts worldwide.", 0.0, "background"),
        ("Patients were randomly assigned to receive placebo or 50 mg of the drug.", 0.3, "method"),
        (
            "Survival was significantly higher in the treated group than in controls (p < 0.001).",
            0.7,
            "result",
        ),
        ("These findings suggest that the drug may be a promising treatment.", 0.98, "conclusion"),
    ],
)
def test_the_shipped_model(text, position, role):
    probabilities = shipped()([text], [position])[0]
    assert ROLES[int(probabilities.argmax())] == role


def test_a_model_is_saved_and_read_back(tmp_path):
    model = RoleModel(("newts", "@ 0"), np.array([[0.5, -0.25]] * 5), np.zeros(5))
    train_roles.save(model, tmp_path / "m.npz")
    again = stored.read(RoleModel, tmp_path / "m.npz", KIND, PROTOCOL)
    assert again.names == model.names
    assert again(["Newts."], [0.0]) == pytest.approx(model(["Newts."], [0.0]))


def test_a_model_with_arrays_of_wrong_shape_is_refused(tmp_path):
    model = RoleModel(("newts", "@ 0"), np.zeros((5, 2)), np.zeros(5))
    description, arrays = stored.flatten(replace(model, topics=None, name=""))
    for name, wrong, what in (
        ("weights", np.zeros((5, 1)), "expected a weight for each role and feature"),
        ("offsets", np.zeros(4), "arrays differ in their shapes"),
    ):
        persistence.save(tmp_path / "m.npz", KIND, PROTOCOL, description, arrays | {name: wrong})
        with pytest.raises(ModelError, match=what):
            stored.read(RoleModel, tmp_path / "m.npz", KIND, PROTOCOL)
    (tmp_path / "m.npz").write_bytes(b"nothing")
    with pytest.raises(ModelError):
        stored.read(RoleModel, tmp_path / "m.npz", KIND, PROTOCOL)


def test_time_grows_with_the_number_of_sections():
    line, count = "Newts sing at night. ", 10_000
    starts = range(0, count * len(line), len(line))
    document = Document(
        "d",
        line * count,
        tuple(
            Section(f"PART {i}", "abstract", start, start + 20) for i, start in enumerate(starts)
        ),
    )
    sentences = [Sentence("Newts sing at night.", "d", start, start + 20, 4) for start in starts]
    assert len(roles_in(document, sentences)) == count
    # In the square of the sections: 5 and more.
    assert within(2, lambda: roles_in(document, sentences))


def test_roles_of_real_abstracts(real_data):
    """On abstracts that the shipped model has not seen, it separates most methods from results."""
    from ilpsum.literature import intake
    from ilpsum.papers.layout import sentences
    from ilpsum.pipeline.coherence.statements import LabelledSections, positions_in

    right = {"method": [], "result": []}
    for document in intake.documents(real_data / "bioasq" / "abstracts.jsonl.gz"):
        if isinstance(document, Document) and document.id.endswith(("20", "70")):
            labelled = LabelledSections(document)
            for s in sentences(document):
                role = part_of(labelled.label(s.start))
                if role in right:
                    roles = shipped()([s.text], positions_in(document, [s]))[0]
                    right[role].append(ROLES[int(roles.argmax())] in ("aim", "method"))
    assert len(right["method"]) > 30
    assert np.mean(right["method"]) > 0.7
    assert np.mean(right["result"]) < 0.1
