"""Connections beyond the limit."""

import asyncio

from kvtrace.sources.otlp.http_routes import Routes
from kvtrace.sources.otlp.http_server import HttpServer
from kvtrace.sources.otlp.limits import Limits
from tests.unit.sources.otlp.test_http_connection import Line


async def test_one_connection_more_than_allowed_is_closed_at_once(routes: Routes) -> None:
    server = HttpServer(routes, Limits(connections=1))
    first, second = Line(), Line()
    for line in (first, second):
        server._connected(asyncio.StreamReader(), line)  # type: ignore[arg-type]
    assert (first.closed, second.closed) == (False, True)
    for task in set(server._open):
        task.cancel()
    await asyncio.sleep(0)


async def test_stopping_what_never_listened_does_nothing(routes: Routes) -> None:
    await HttpServer(routes, Limits()).stop(0)
