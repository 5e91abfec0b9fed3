"""The stand-in for the services, as the tests of answers have it."""

from tests.ilpsum.answers.conftest import environment, standin, unhurried

__all__ = ["environment", "standin", "unhurried"]
