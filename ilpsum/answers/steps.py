"""The question steps of the pipeline, and the summarizer that has them."""

from pathlib import Path
from typing import Any

from ilpsum.answers.answering import decided, doubt
from ilpsum.answers.claims import for_claim
from ilpsum.answers.opening import answer_probabilities
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline import summarizer
from ilpsum.pipeline.question import QuestionSteps
from ilpsum.pipeline.system import System

STEPS = QuestionSteps(for_claim, answer_probabilities, decided, doubt)


class Summarizer(summarizer.Summarizer):
    """A summarizer that also answers questions from searched documents: it decides whether there is an answer."""

    def __init__(self, system: System, model: str | Path | SystemModel | None = None, **options: Any) -> None:
        super().__init__(system, model, **{"question": STEPS, **options})
