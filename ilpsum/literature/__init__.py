"""PubMed and Europe PMC: the only package that uses the network, and only if a service is named."""

from ilpsum.literature.client import ServiceError
from ilpsum.literature.finding import SERVICES, Finding, Wanted, find, save
from ilpsum.literature.services import Cache, Restriction

__all__ = ["SERVICES", "Cache", "Finding", "Restriction", "ServiceError", "Wanted", "find", "save"]
