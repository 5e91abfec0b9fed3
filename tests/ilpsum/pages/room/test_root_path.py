"""The page under a path prefix: its form, its assets and its answers are there, too."""

import re

import pytest
from starlette.testclient import TestClient

from ilpsum.pages.room import application
from tests.ilpsum.pages.room.conftest import HOSTS


@pytest.mark.parametrize("prefix", ["/ilpsum/", "/"])
def test_a_prefix_may_stay_or_be_removed_by_the_proxy(room, prefix):
    app = application(room, hosts=HOSTS, root_path="/ilpsum")
    with TestClient(app, raise_server_exceptions=False) as client:
        page = client.get(prefix)
        assert page.status_code == 200
        addresses = re.findall(r'(?:href|src|action)="([^"#:]+)"', page.text)
        assert addresses
        assert not [address for address in addresses if address.startswith("/")]
        for address in addresses:
            assert client.get(f"{prefix}{address.removeprefix('./')}").status_code == 200
        assert client.get(f"{prefix}api/health").json()["status"] == "ok"


def test_without_its_last_slash_the_prefix_leads_to_the_page(room):
    app = application(room, hosts=HOSTS, root_path="/ilpsum")
    with TestClient(app) as client:
        assert client.get("/ilpsum").url.path == "/ilpsum/"
