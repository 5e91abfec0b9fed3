"""The records that pass between rooms: small, frozen, typed, without behaviour.

Offsets are Unicode code points into a document's text, end exclusive.
"""

from ilpsum.records.publications import ANY_BUT_RETRACTED as ANY_BUT_RETRACTED
from ilpsum.records.publications import IMPLIED as IMPLIED
from ilpsum.records.publications import KINDS as KINDS
from ilpsum.records.publications import UNPUBLISHED as UNPUBLISHED
from ilpsum.records.publications import Author as Author
from ilpsum.records.publications import Publication as Publication
from ilpsum.records.publications import SourceFilter as SourceFilter
from ilpsum.records.publications import StudyKind as StudyKind
from ilpsum.records.searches import Alternative as Alternative
from ilpsum.records.searches import Correction as Correction
from ilpsum.records.searches import FoundDocument as FoundDocument
from ilpsum.records.searches import NearestSentence as NearestSentence
from ilpsum.records.searches import Outcome as Outcome
from ilpsum.records.searches import SearchResult as SearchResult
from ilpsum.records.settings import InputSettings as InputSettings
from ilpsum.records.settings import ObjectiveSettings as ObjectiveSettings
from ilpsum.records.settings import RunSettings as RunSettings
from ilpsum.records.settings import SolverSettings as SolverSettings
from ilpsum.records.settings import SystemSettings as SystemSettings
from ilpsum.records.settings import TextSettings as TextSettings
from ilpsum.records.summaries import CitedAbstract as CitedAbstract
from ilpsum.records.summaries import Cut as Cut
from ilpsum.records.summaries import FeatureValue as FeatureValue
from ilpsum.records.summaries import Program as Program
from ilpsum.records.summaries import Response as Response
from ilpsum.records.summaries import Rules as Rules
from ilpsum.records.summaries import Sentence as Sentence
from ilpsum.records.summaries import Summary as Summary
from ilpsum.records.summaries import Support as Support
from ilpsum.records.topics import ANSWERS as ANSWERS
from ilpsum.records.topics import GENERAL as GENERAL
from ilpsum.records.topics import Annotation as Annotation
from ilpsum.records.topics import BrokenTopic as BrokenTopic
from ilpsum.records.topics import Citance as Citance
from ilpsum.records.topics import Document as Document
from ilpsum.records.topics import Facet as Facet
from ilpsum.records.topics import Incoming as Incoming
from ilpsum.records.topics import PendingTopic as PendingTopic
from ilpsum.records.topics import Role as Role
from ilpsum.records.topics import Section as Section
from ilpsum.records.topics import Span as Span
from ilpsum.records.topics import Topic as Topic
