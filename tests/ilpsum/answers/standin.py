"""A stand-in for PubMed's E-utilities and for Europe PMC's REST service, on the loopback interface.

It speaks both protocols as their documentation describes them (searches with fields and Booleans,
paging, errors), over the invented abstracts of the demo and any number of invented records more.
Tests script its faults and read its requests. To try ilpsum without a network:

    python -m tests.ilpsum.answers.standin
"""

import contextlib
import gzip
import json
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from ilpsum.pipeline.terms import terms
from tests.ilpsum.answers.invented import Record, demo_records, filler

_TOKEN = re.compile(
    r'[()]|\d{4}:\d{4}\[dp\]|[A-Z_]+:\[\d+ TO \d+\]|[A-Z_]+:"[^"]*"|[A-Z_]+:[^\s()"]+|"[^"]*"(?:\[\w+\])?|[^\s()"]+'
)


class Query:
    """A query of either service: Booleans from left to right, fields, phrases, ranges of years."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self.words: list[str] = []
        self._matches = self._any()
        if self._tokens:
            raise ValueError(f"unbalanced query at {self._tokens[0]}")

    def __call__(self, record: Record) -> bool:
        return self._matches(record)

    def relevance(self, record: Record) -> tuple[int, str]:
        held = terms(f"{record.title} {record.title} {record.abstract}")
        return -sum(held.count(word) for word in self.words), record.pmid

    def _any(self) -> Callable[[Record], bool]:
        matches = self._one()
        while self._tokens and self._tokens[0] != ")":
            operator = self._tokens.pop(0) if self._tokens[0] in ("AND", "OR", "NOT") else "AND"
            left, right = matches, self._one()
            matches = {
                "AND": lambda r, a=left, b=right: a(r) and b(r),
                "OR": lambda r, a=left, b=right: a(r) or b(r),
                "NOT": lambda r, a=left, b=right: a(r) and not b(r),
            }[operator]
        return matches

    def _one(self) -> Callable[[Record], bool]:
        if not self._tokens:
            raise ValueError("a query that ends in an operator")
        token = self._tokens.pop(0)
        if token == "(":
            matches = self._any()
            if not self._tokens or self._tokens.pop(0) != ")":
                raise ValueError("a bracket that is not closed")
            return matches
        return self._field(token)

    def _field(self, token: str) -> Callable[[Record], bool]:
        if match := re.fullmatch(r"(\d{4}):(\d{4})\[dp\]|PUB_YEAR:\[(\d+) TO (\d+)\]", token):
            first, last = (int(year) for year in match.groups() if year)
            return lambda r: first <= r.year <= last
        if match := re.fullmatch(r'"?([^"\[]*)"?\[(\w+)\]', token):
            value, tag = match[1].lower(), match[2]
            if tag in ("tiab", "ti", "tw"):
                return self._words(value)
            return {
                "pt": lambda r: (
                    value in map(str.lower, r.types)
                    or (value == "clinical trial" and "Randomized Controlled Trial" in r.types)
                ),
                "mh": lambda r: value in map(str.lower, r.headings),
                "la": lambda r: value == r.language,
                "doi": lambda r: value == r.doi.lower(),
            }[tag]
        if match := re.fullmatch(r'([A-Z_]+):"?([^"]*)"?', token):
            value = match[2]
            return {
                "PUB_TYPE": lambda r: value in map(str.lower, r.types),
                "KW": lambda r: value in r.headings,
                "LANG": lambda r: value == r.language,
                "SRC": lambda r: value == r.source,
                "EXT_ID": lambda r: value == r.pmid,
                "PMCID": lambda r: value == r.pmcid,
                "DOI": lambda r: value.lower() == r.doi.lower(),
            }[match[1]]
        if re.fullmatch(r"PMC\d+", token):
            return lambda r: token == r.pmcid
        return self._words(token.strip('"'))

    def _words(self, text: str) -> Callable[[Record], bool]:
        wanted = terms(text)
        self.words += wanted
        return lambda r: set(wanted) <= set(terms(f"{r.title} {r.abstract}"))


@dataclass
class Fault:
    """What happens to one request instead of its answer.

    Attributes:
        status, body, headers: of the answer; a body of None is the right one.
        only: part of the path of the requests that it waits for.
        slow: seconds before the answer.
        cut: bytes after which the connection ends.
        raw: changes the bytes of the right body.
    """

    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    only: str = ""
    slow: float = 0.0
    cut: int | None = None
    raw: Callable[[bytes], bytes] = bytes


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def fields(self) -> dict[str, str]:
        """The fields of its form, or of its address."""
        return dict(parse_qsl(self.body.decode() or urlsplit(self.target).query))


class Standin(ThreadingHTTPServer):
    """The server; use it as a context."""

    daemon_threads = True

    def __init__(self, number: int = 0, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.records = {record.pmid: record for record in (*demo_records(), *filler(number))}
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        # Once set, slow replies come at once: nobody sleeps beyond the test that asked.
        self.hurry = threading.Event()
        # Most requests in any second; None for no limit.
        self.limit: int | None = None
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> "Standin":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hurry.set()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that have left."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead ilpsum here."""
        return {
            "ILPSUM_EUTILS_URL": f"{self.address}/eutils",
            "ILPSUM_EUROPEPMC_URL": f"{self.address}/rest/",
        }

    def found(self, text: str, *, pubmed: bool) -> list[str]:
        """The ids of the records for a query, the most relevant first."""
        query = Query(text)
        records = (
            r for r in self.records.values() if (r.source == "MED" or not pubmed) and query(r)
        )
        return [record.pmid for record in sorted(records, key=query.relevance)]

    def answer(self, path: str, fields: dict[str, str]) -> tuple[int, str, bytes]:
        """The status, type and body of the answer to a request."""
        routes = {
            "/eutils/esearch.fcgi": self._esearch,
            "/eutils/efetch.fcgi": self._efetch,
            "/rest/search": self._search,
        }
        if path in routes:
            return routes[path](fields)
        return 404, "text/html", b"<!DOCTYPE html><html><body>Not found</body></html>"

    def _esearch(self, fields: dict[str, str]) -> tuple[int, str, bytes]:
        result: dict[str, Any]
        try:
            ids = self.found(fields["term"], pubmed=True)
        except (ValueError, KeyError) as error:
            result = {"ERROR": f"Search Backend failed: {error}"}
            return (
                200,
                "application/json",
                json.dumps({"header": {"type": "esearch"}, "esearchresult": result}).encode(),
            )
        page = ids[: min(int(fields.get("retmax", 20)), 10000)]
        result = {"count": str(len(ids)), "retmax": str(len(page)), "retstart": "0", "idlist": page}
        result |= {"translationset": [], "querytranslation": fields["term"]}
        if "unheardof" in fields["term"]:
            result |= {"errorlist": {"phrasesnotfound": ["unheardof"], "fieldsnotfound": []}}
        return (
            200,
            "application/json",
            json.dumps({"header": {"type": "esearch"}, "esearchresult": result}).encode(),
        )

    def _efetch(self, fields: dict[str, str]) -> tuple[int, str, bytes]:
        ids = fields["id"].split(",")
        kept = (self.records[pmid].xml() for pmid in ids if pmid in self.records)
        top = (
            '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC '
            '"-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>'
        )
        return 200, "text/xml", f"{top}{''.join(kept)}</PubmedArticleSet>".encode()

    def _search(self, fields: dict[str, str]) -> tuple[int, str, bytes]:
        try:
            ids = self.found(fields["query"], pubmed=False)
        except (ValueError, KeyError) as error:
            problem = {"errCode": 404, "errMsg": f"Invalid query: {error}"}
            return 200, "application/json", json.dumps(problem).encode()
        mark, size = fields["cursorMark"], int(fields["pageSize"])
        start = 0 if mark == "*" else int(mark.removeprefix("AoI"))
        page = ids[start : start + size]
        following = {"nextCursorMark": f"AoI{start + len(page)}"} if page else {}
        listed = {"result": [self.records[pmid].json() for pmid in page]}
        answer = {"version": "6.9", "hitCount": len(ids), **following, "resultList": listed}
        return 200, "application/json;charset=UTF-8", json.dumps(answer).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Standin

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, body: bytes) -> None:
        # A request to a proxy names the whole address.
        parts, now = urlsplit(self.path), time.monotonic()
        self.server.asked.append(
            Asked(self.command, self.path, dict(self.headers.items()), body, now)
        )
        fields = {
            name: values[0] for name, values in parse_qs(body.decode() or parts.query).items()
        }
        recent = sum(each.at > now - 1.0 for each in self.server.asked)
        if self.server.limit is not None and recent > self.server.limit:
            problem = {
                "error": "API rate limit exceeded",
                "api-key": "127.0.0.1",
                "count": str(recent),
                "limit": "3",
            }
            return self._send(
                429,
                {"Content-Type": "application/json", "Retry-After": "1"},
                json.dumps(problem).encode(),
            )
        fault = next((f for f in self.server.faults if f.only in self.path), None)
        if fault:
            self.server.faults.remove(fault)
        status, kind, right = self.server.answer(parts.path, fields)
        if not fault:
            return self._send(status, {"Content-Type": kind}, right)
        self.server.hurry.wait(fault.slow)
        data = fault.raw(right if fault.body is None else fault.body)
        self._send(fault.status, {"Content-Type": kind, **fault.headers}, data, fault.cut)
        return None

    def _send(
        self, status: int, headers: dict[str, str], data: bytes, cut: int | None = None
    ) -> None:
        if (
            "gzip" in self.headers.get("Accept-Encoding", "")
            and "Content-Encoding" not in headers
            and cut is None
        ):
            data, headers = gzip.compress(data, mtime=0), {**headers, "Content-Encoding": "gzip"}
        try:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[:cut])
        except ConnectionError:
            pass
        self.close_connection = cut is not None


if __name__ == "__main__":
    with Standin(number=500) as standin:
        for name, value in standin.environment.items():
            sys.stdout.write(f"export {name}={value}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
