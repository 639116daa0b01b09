"""ClickHouse's engine, from PyPI's chdb, behind the part of its HTTP that exporters speak.

As a program it serves on the port that it prints, with the tables of the Collector's `clickhouse`
exporter. ClickHouse's own server cannot be had from a package registry.
"""

import http.server
import importlib.util
import json
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).parents[2]
TURN = threading.Lock()
FACTS = "Map(LowCardinality(String), String)"
NAME = "LowCardinality(String)"

COMMON = f"Timestamp DateTime64(9), TraceId String, SpanId String, ServiceName {NAME}, " + (
    f"ResourceAttributes {FACTS}, ScopeName String, ScopeVersion String"
)
TABLES = {
    "otel_traces": f"""{COMMON}, ParentSpanId String, TraceState String, SpanName {NAME},
        SpanKind {NAME}, SpanAttributes {FACTS}, Duration UInt64, StatusCode {NAME},
        StatusMessage String,
        Events Nested (Timestamp DateTime64(9), Name {NAME}, Attributes {FACTS}),
        Links Nested (TraceId String, SpanId String, TraceState String, Attributes {FACTS})""",
    "otel_logs": f"""{COMMON}, TraceFlags UInt8, SeverityText {NAME}, SeverityNumber UInt8,
        Body String, ResourceSchemaUrl String, ScopeSchemaUrl String, ScopeAttributes {FACTS},
        LogAttributes {FACTS}""",
}
"""The columns, as the exporter makes them."""


def why_not() -> str:
    """Why it cannot run here; empty where it can."""
    missing = [name for name in ("chdb", "pyarrow") if importlib.util.find_spec(name) is None]
    return f"{missing[0]} is not installed: pip install chdb-core-lite" if missing else ""


@contextmanager
def clickhouse() -> Iterator[int]:
    """A database with empty tables; its port."""
    command = [sys.executable, __file__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


def rows(port: int, query: str) -> list[dict[str, Any]]:
    """What the query finds; raises HTTPError, with the database's words, where it is none."""
    asked = f"{query.rstrip().rstrip(';')} FORMAT JSONEachRow".encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/?database=otel", asked) as answer:
        return [json.loads(line) for line in answer]


class Database:
    """The tables, in a folder of their own."""

    def __init__(self) -> None:
        from chdb.session import Session

        self._session = Session()
        self.ask("CREATE DATABASE otel")
        self.ask("USE otel")
        for table, columns in TABLES.items():
            self.ask(
                f"CREATE TABLE {table} ({columns}) ENGINE = MergeTree "
                "PARTITION BY toDate(Timestamp) ORDER BY (ServiceName, Timestamp)"
            )

    def ask(self, query: str) -> bytes:
        """The answer's bytes."""
        return bytes(self._session.query(query).bytes())

    def insert(self, query: str, body: bytes) -> None:
        """Take in rows: `INSERT INTO table (columns) FORMAT name`, and the rows."""
        start, _, form = query.rpartition(" FORMAT ")
        table, _, listed = start.removeprefix("INSERT INTO ").rstrip(")").partition(" (")
        found = self.ask(
            f"SELECT name, type FROM system.columns WHERE database = 'otel' AND table = '{table}' "
            "FORMAT JSONEachRow"
        )
        types = {one["name"]: one["type"] for one in map(json.loads, found.splitlines())}
        shape = ", ".join(f"`{name}` {types[name]}" for name in listed.split(","))
        with tempfile.NamedTemporaryFile() as file:
            file.write(body)
            file.flush()
            self.ask(f"{start} SELECT * FROM file('{file.name}', {form}, '{shape}')")


class Handler(http.server.BaseHTTPRequestHandler):
    """Queries in the address or in the body; what is inserted in the body, in chunks."""

    protocol_version = "HTTP/1.1"
    database: Database

    def do_POST(self) -> None:
        """Ask, or insert."""
        body = self._body()
        query = parse_qs(urlsplit(self.path).query).get("query", [""])[0]
        status, said = 200, b""
        try:
            with TURN:
                if query.startswith("INSERT"):
                    self.database.insert(query, body)
                else:
                    said = self.database.ask(query or body.decode())
        except Exception as error:  # noqa: BLE001 - whatever the database says of it
            status, said = 500, str(error).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)


def main() -> None:
    """Serve until killed."""
    Handler.database = Database()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(server.server_port, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
