"""The records that pass between rooms: small, frozen, typed, without behaviour.

Offsets are Unicode code points into a document's text, end exclusive.
"""

from ilpsum.records.searches import Alternative, Correction, FoundDocument, NearestSentence, Outcome, SearchResult
from ilpsum.records.settings import (
    InputSettings,
    ObjectiveSettings,
    RunSettings,
    SolverSettings,
    SystemSettings,
    TextSettings,
)
from ilpsum.records.summaries import (
    CitedAbstract,
    Cut,
    FeatureValue,
    Program,
    Response,
    Rules,
    Sentence,
    Summary,
    Support,
)
from ilpsum.records.topics import (
    GENERAL,
    Annotation,
    BrokenTopic,
    Citance,
    Document,
    Facet,
    Incoming,
    PendingTopic,
    Role,
    Section,
    Span,
    Topic,
)

__all__ = [
    "GENERAL",
    "Alternative",
    "Annotation",
    "BrokenTopic",
    "Citance",
    "CitedAbstract",
    "Correction",
    "Cut",
    "Document",
    "Facet",
    "FeatureValue",
    "FoundDocument",
    "Incoming",
    "InputSettings",
    "NearestSentence",
    "ObjectiveSettings",
    "Outcome",
    "PendingTopic",
    "Program",
    "Response",
    "Role",
    "Rules",
    "RunSettings",
    "SearchResult",
    "Section",
    "Sentence",
    "SolverSettings",
    "Span",
    "Summary",
    "Support",
    "SystemSettings",
    "TextSettings",
    "Topic",
]
