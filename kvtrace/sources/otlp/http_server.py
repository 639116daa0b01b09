"""OTLP over HTTP, and /healthz: listens, and gives each connection its task.

Runs in the receiver's loop. Where there are as many connections as may be, a new one takes the
place of the one that is idle for longest; where none is idle, the new one is closed at once.
"""

import asyncio

from kvtrace.errors import ReceiverError
from kvtrace.sources.otlp.access import Access, context_of
from kvtrace.sources.otlp.address import Address
from kvtrace.sources.otlp.http_connection import HttpConnection
from kvtrace.sources.otlp.http_routes import Routes
from kvtrace.sources.otlp.limits import Limits


class HttpServer:
    """Listens from `start` to `stop`."""

    def __init__(self, routes: Routes, limits: Limits) -> None:
        self._routes = routes
        self._limits = limits
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], HttpConnection] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        """Of those that were cut, until they are gone."""

    async def start(self, at: Address, access: Access) -> int:
        """Listens there; gives the port. Raises ReceiverError where that cannot be."""
        context = context_of(access)
        try:
            self._server = await asyncio.start_server(
                self._connected,
                at.host,
                at.port,
                ssl=context,
                ssl_handshake_timeout=self._limits.handshake if context else None,
                limit=self._limits.headers,
            )
        except OSError as error:
            raise ReceiverError(f"{at} cannot be listened on ({error.strerror})") from error
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self, grace: float) -> None:
        """Takes no more, and gives what is under way so many seconds."""
        if self._server is None:
            return
        self._server.close()
        tasks = {*self._open, *self._leaving}
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for task in tasks:
            task.cancel()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= self._limits.connections and not self._made_room():
            writer.transport.abort()
            return
        connection = HttpConnection(reader, writer, self._routes, self._limits)
        task = asyncio.get_running_loop().create_task(connection.serve())
        self._open[task] = connection
        task.add_done_callback(self._gone)

    def _made_room(self) -> bool:
        """Cuts the connection that is idle for longest; whether there was one."""
        idle = [
            (since, task)
            for task, connection in self._open.items()
            if (since := connection.idle_since) is not None
        ]
        if not idle:
            return False
        _, longest = min(idle, key=lambda one: one[0])
        self._leaving.add(longest)
        self._open.pop(longest).cut()
        return True

    def _gone(self, task: asyncio.Task[None]) -> None:
        self._open.pop(task, None)
        self._leaving.discard(task)
