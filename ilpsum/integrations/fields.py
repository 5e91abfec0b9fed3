"""Fields shared by adapters that are pydantic models."""

from pydantic import BaseModel, ConfigDict

from ilpsum.answers.steps import Summarizer
from ilpsum.integrations import SEPARATOR
from ilpsum.learning.judging.judge import Judge
from ilpsum.passages.costs import Count
from ilpsum.passages.scoring import Concepts, Relevance, Reranker
from ilpsum.passages.selecting import Predicate


class PassageFields(BaseModel):
    """The arguments of `ilpsum.passages.select`; the budget applies to the contents joined by
    `separator`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: float = 300
    count: Count | None = None
    separator: str = SEPARATOR
    relevance: Relevance | Reranker | Judge | None = None
    concepts: Concepts | None = None
    lambda_: float | None = None
    keep: Predicate | None = None
    bar: Predicate | None = None
    per_source: int | None = None
    system: str | Summarizer = "concepts"
