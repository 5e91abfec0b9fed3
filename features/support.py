"""Support of a sentence by a paper's citances or by the sentences of all documents.

Cosines are between tf-idf vectors with weights (1 + log tf) * log(1 + N / df) of content stems, where N and df count
candidates and citances; passages with the same words in the same proportions have cosine 1 (Salton and Buckley 1988;
as a measure of centrality, Erkan and Radev 2004).
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.text import Passage


def citance_support(context: Context) -> Floats:
    """Return (n, 3): mean and largest cosine with the citances, and the share of citances with a cosine above 0.1.

    A citance that is a candidate does not support itself. Without citances all values are 0.
    """
    if not context.citances or not len(context):
        return np.zeros((len(context), 3))
    vectors = unit_vectors([*context.sentences, *context.citances])
    n = len(context)
    cosines = vectors[:n] @ vectors[n:].T
    itself = cosines > 1.0 - 1e-9
    others = np.maximum((~itself).sum(axis=1), 1)
    cosines[itself] = 0.0
    return np.column_stack([cosines.sum(axis=1) / others, cosines.max(axis=1), (cosines > 0.1).sum(axis=1) / others])


def centrality(context: Context) -> Floats:
    """Return (n,) the mean cosine of each sentence with the other candidates; 0 for a single candidate."""
    n = len(context)
    if n < 2:
        return np.zeros(n)
    vectors = unit_vectors(context.sentences)
    total: Floats = vectors @ vectors.sum(axis=0)
    own: Floats = np.square(vectors).sum(axis=1)
    return (total - own) / (n - 1)


def document_support(context: Context) -> Floats:
    """Return (n,) the share of other documents with a stem bigram, averaged over each sentence's distinct bigrams.

    0 for a sentence without bigrams and for a single document.
    """
    others = len(context.documents) - 1
    if others < 1:
        return np.zeros(len(context))
    held = Counter(chain.from_iterable(set(document.stem_bigrams) for document in context.documents))
    # A bigram across a line end may be missing from the document, which is split differently.
    shared = ((sum([held.get(b, 1) - 1 for b in s]), len(s)) for s in (set(s.stem_bigrams) for s in context.sentences))
    return np.array([number / (size * others) if size else 0.0 for number, size in shared])


def unit_vectors(passages: Sequence[Passage]) -> Floats:
    """Return (passages, stems) unit-length tf-idf vectors; zero for a passage without content words."""
    counts = [passage.stem_counts for passage in passages]
    vocabulary = {stem: j for j, stem in enumerate(dict.fromkeys(chain.from_iterable(counts)))}
    matrix = np.zeros((len(passages), len(vocabulary)))
    rows = np.repeat(np.arange(len(counts)), [len(count) for count in counts])
    columns = [vocabulary[stem] for count in counts for stem in count]
    matrix[rows, columns] = 1.0 + np.log([times for count in counts for times in count.values()])
    matrix *= np.log1p(len(passages) / np.maximum((matrix > 0).sum(axis=0), 1))
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    np.divide(matrix, lengths, out=matrix, where=lengths > 0)
    return matrix
