"""The second look against loops over sentences."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from features.context import Context
from features.stacking import COLUMNS, stacked

WORDS = "newts sing ponds zinc moss toads hum dusk".split()
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
documents = st.lists(
    st.lists(st.tuples(sentences, st.integers(-2, 9)), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)


def naive(context, values):
    """Yield the columns of each sentence, one by one."""
    n, document, plus = len(values), context.document.tolist(), [max(v, 0.0) for v in values]
    # Of a sentence with itself, only the stems that others have count.
    cosines = context.vectors @ context.vectors.T
    ordered = sorted(range(n), key=lambda i: (-values[i], i))
    own = {d: [i for i in range(n) if document[i] == d] for d in document}
    by_best = sorted(own, key=lambda d: (-max(values[i] for i in own[d]), d))
    for i in range(n):
        rows, total = own[document[i]], sum(plus) or 1.0
        at = {
            k: values[i + k] if 0 <= i + k < n and document[i + k] == document[i] else 0.0
            for k in (-2, -1, 1, 2)
        }
        inside = sorted(rows, key=lambda k: (-values[k], k))
        best, others = inside[0], [values[k] for k in inside if k != i]
        rest = max(others, default=0.0) if i == best else values[best]
        far = [(cosines[i, k] if document[k] != document[i] else 0.0) for k in range(n)]
        nearest = int(np.argmax(far))
        alike = sorted((k for k in range(n) if k != i), key=lambda k: (-cosines[i, k], k))[:5]
        agreement = sum(c * w for c, w in zip(far, plus, strict=True))
        yield (
            values[i], at[-1], at[1], at[-2], at[2],
            values[best], np.mean([values[k] for k in rows]), sum(plus[k] for k in rows), values[rows[0]],
            by_best.index(document[i]), inside.index(i), inside.index(i) / len(rows), ordered.index(i),
            values[i] - values[best], values[i] - rest,
            agreement, agreement / total, max(c * w for c, w in zip(far, plus, strict=True)),
            plus[nearest], far[nearest], np.mean([plus[k] for k in alike]) if alike else 0.0,
            np.mean([cosines[i, k] for k in ordered[:5]]), cosines[i, ordered[0]], cosines[i, best],
            values[ordered[0]], plus[ordered[min(10, n) - 1]], sum(plus),
        )  # fmt: skip


@settings(deadline=None)
@given(documents)
def test_it_is_what_loops_find(documents):
    texts = [text for sentences in documents for text, _ in sentences]
    # Distinct predictions: the order of equal ones is that of the sentences, which other cosines
    # may reverse.
    values = np.array([v / 10 for s in documents for _, v in s]) + np.arange(len(texts)) / 1000
    owner = np.repeat(np.arange(len(documents)), [len(s) for s in documents])
    context = replace(Context.of_texts("newts", texts), document=owner)
    found, expected = stacked(context, values), np.array(list(naive(context, values.tolist())))
    # Equal cosines may differ in the last bit, and then another sentence is the nearest.
    ties = [COLUMNS.index(f"predicted-{name}") for name in ("nearest-own", "five-nearest")]
    kept = [k for k in range(len(COLUMNS)) if k not in ties]
    np.testing.assert_allclose(found[:, kept], expected[:, kept], atol=1e-9)
    assert found.shape == (len(texts), len(COLUMNS))
    assert np.isfinite(found).all()


def test_the_nearest_sentence_is_of_another_document():
    texts = ["newts sing", "newts sing", "newts sing ponds", "toads hum"]
    context = replace(Context.of_texts("newts", texts), document=np.array([0, 0, 1, 1]))
    found = dict(zip(COLUMNS, stacked(context, np.array([0.4, 0.3, 0.2, 0.1])).T, strict=True))
    assert found["predicted-nearest-own"].tolist() == [0.2, 0.2, 0.4, 0.4]
    assert found["predicted-five-nearest"][0] == np.mean([0.3, 0.2, 0.1])
    assert stacked(
        replace(context, sentences=(), document=np.zeros(0, int)), np.zeros(0)
    ).shape == (
        0,
        len(COLUMNS),
    )
