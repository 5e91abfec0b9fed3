"""A room over the demo's abstracts, and a client of it."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from ilpsum import resources
from ilpsum.answers.searching import AbstractSearch
from ilpsum.pages.room import Session, application

HOSTS = frozenset({"testserver"})


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return Session(
        AbstractSearch([resources.demo() / "abstracts.xml"], tmp_path_factory.mktemp("index"))
    )


@pytest.fixture
def client(room: Session) -> Iterator[TestClient]:
    with TestClient(application(room, hosts=HOSTS), raise_server_exceptions=False) as client:
        yield client
