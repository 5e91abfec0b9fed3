"""PubMed and Europe PMC: the only room that knows a network, which it uses only if a service is named."""

from ilpsum.literature.client import ServiceError
from ilpsum.literature.finding import SERVICES, Finding, Wanted, find, save
from ilpsum.literature.services import Cache, Restriction

__all__ = ["SERVICES", "Cache", "Finding", "Restriction", "ServiceError", "Wanted", "find", "save"]
