"""The steps that a question adds to the pipeline; `ilpsum.answers.steps` provides them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from features.arrays import Floats
from features.context import Context
from ilpsum.records import SearchResult, Sentence, Topic


@dataclass(frozen=True)
class QuestionSteps:
    """Functions that the pipeline calls for a question.

    Attributes:
        weigh: (query, (n,) relevance, context, share in [0,1]) to the relevance to this query.
        open: (query, (n,) relevance, context) to each candidate's probability of opening the answer; None if unknown.
        decide: (topic, n candidates, context, whether a model predicted their relevance) to the topic with the outcome
            of its search.
        doubt: (search, context, n candidates, chosen) to a line on what the answer lacks, or an empty string.
    """

    weigh: Callable[[str, Floats, Context, float], Floats]
    open: Callable[[str, Floats, Context], Sequence[float | None]]
    decide: Callable[[Topic, Sequence[Sentence], Context, bool], Topic]
    doubt: Callable[[SearchResult, Context, Sequence[Sentence], Sequence[int]], str]
