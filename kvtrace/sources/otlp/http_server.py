"""OTLP over HTTP, and /healthz: listens, and gives each connection its task.

Runs in the receiver's loop; a connection more than the limit is closed at once.
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
        self._open: set[asyncio.Task[None]] = set()

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
        if self._open:
            await asyncio.wait(self._open, timeout=grace)
        for task in self._open:
            task.cancel()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= self._limits.connections:
            writer.transport.abort()
            return
        connection = HttpConnection(reader, writer, self._routes, self._limits)
        task = asyncio.get_running_loop().create_task(connection.serve())
        self._open.add(task)
        task.add_done_callback(self._open.discard)
