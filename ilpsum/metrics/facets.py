"""Score of discourse facets against annotations (TAC 2014, Task 1b)."""

from collections.abc import Collection, Sequence


def facet_score(answer: str, annotators: Sequence[Collection[str]]) -> float:
    """Return the weighted accuracy of one citance: the share of its annotators who name the answered facet.

    The mean over all citances is the score of Cohan et al. (2014). A missing answer scores 0, as does a citance without
    annotations. Each annotator names one facet, or several in CL-SciSumm; an empty answer is none.
    """
    return sum(answer in facets for facets in annotators) / max(len(annotators), 1)
