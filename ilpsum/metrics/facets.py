"""Score of discourse facets against annotations (TAC 2014, Task 1b)."""

from collections.abc import Collection, Sequence


def facet_score(answer: str, annotators: Sequence[Collection[str]]) -> float:
    """Return the weighted accuracy of one citance: the share of its annotators who name the answered facet.

    The mean over all citances is the score of Cohan et al. (2014). A missing answer scores 0, as does a citance without
    annotations.

    Args:
        answer: a facet, or empty for no answer.
        annotators: the facets that each annotator names: one, or several in CL-SciSumm.
    """
    return sum(answer in facets for facets in annotators) / max(len(annotators), 1)
