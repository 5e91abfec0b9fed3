"""Random small problems with every option, and their optimum by brute force."""

from itertools import combinations

from hypothesis import strategies as st

from ilpsum.selection import Problem

TIE = 1e-10


def subsets(n):
    return (c for size in range(n + 1) for c in combinations(range(n), size))


def equal_sets(problem):
    """Return all allowed sets of the best value, of which there is one unless there are ties."""
    allowed = [(problem.value(c), c) for c in subsets(len(problem)) if problem.allows(c)]
    best = max((value for value, _ in allowed), default=0.0)
    return [c for value, c in allowed if value >= best - TIE]


def equal_at_every_lambda(problem, sets):
    """Return whether sets have the same value at lambda 0 and at 1, hence at every lambda."""
    for end in (0.0, 1.0):
        values = [problem.at(end).value(chosen) for chosen in sets]
        if max(values) - min(values) > TIE:
            return False
    return True


def brute_force(problem):
    """Return the best value over all subsets, and the set that the rule for ties picks."""
    ties = equal_sets(problem)
    if not ties:
        return None, None
    best = max(map(problem.value, ties))
    for end in (0.0, 1.0):
        at_end = problem.at(end)
        highest = max(at_end.value(c) for c in ties)
        ties = [c for c in ties if at_end.value(c) >= highest - TIE]
    return best, min(ties, key=lambda c: (sum(int(problem.words[i]) for i in c), c))


@st.composite
def problems(draw, largest=9, plain=False):
    n = draw(st.integers(0, largest))
    numbers = st.integers(0, 12)
    concepts = draw(st.lists(st.lists(numbers, max_size=6), min_size=n, max_size=n))
    words = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    # Few distinct values make ties, which are the hard part.
    relevance = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 0.37]), min_size=n, max_size=n))
    options = {"lambda_": draw(st.sampled_from([0.0, 0.1, 0.4, 0.5, 0.8, 1.0]))}
    if draw(st.booleans()):
        prices = draw(st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.3]), min_size=13, max_size=13))
        options["price"] = prices.__getitem__
    if not plain and n:
        options |= draw(further_options(n))
    return Problem.build(concepts, words, relevance, draw(st.integers(0, 25)), **options)


@st.composite
def further_options(draw, n):
    sentence = st.integers(0, n - 1)
    options = {
        "word_cost": draw(st.sampled_from([0.0, 0.02])),
        "include": tuple(draw(st.lists(sentence, max_size=1))),
        "exclude": tuple(draw(st.lists(sentence, max_size=2))),
        "groups": tuple(
            map(tuple, draw(st.lists(st.lists(sentence, min_size=2, max_size=3), max_size=1)))
        ),
        "requires": tuple(draw(st.lists(st.tuples(sentence, sentence), max_size=2))),
    }
    if draw(st.booleans()):
        options["second_lengths"] = draw(st.lists(st.integers(3, 40), min_size=n, max_size=n))
        options["second_limit"] = draw(st.integers(10, 120))
    if draw(st.booleans()):
        options["documents"] = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
        options["document_limit"] = draw(st.integers(0, 2))
    if draw(st.booleans()):
        options["sentence_limit"] = draw(st.integers(0, 4))
    return options
