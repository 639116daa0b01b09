"""The push router: an HTTP server in front of one producer and one consumer."""

import aiohttp
from aiohttp import web

from lab.errors import PortTakenError
from lab.exchange import Exchange
from lab.knobs import HEADER, read
from lab.launch import HOST
from lab.legs import Peer, identify
from lab.routed import RouterLog
from lab.sender import Sender
from lab.voice import Voice

PATIENCE = aiohttp.ClientTimeout(total=None, sock_connect=5)
"""An engine may take its time to answer, but not to accept."""


class Router:
    """Sends both legs of each request at once, and the consumer's answer back."""

    def __init__(
        self, producer: Peer, consumer: Peer, log: RouterLog, others: tuple[Peer, ...] = ()
    ) -> None:
        self.others = {one.engine_id: one for one in (producer, consumer, *others)}
        """Where a leg can be sent to when it is told so."""
        self.producer = producer
        self.consumer = consumer
        self.log = log
        self.voice = Voice()
        """What it tells kvtrace, for those who listen."""
        self.in_flight = 0
        self._session: aiohttp.ClientSession | None = None
        self._runner: web.AppRunner | None = None

    async def start(self, port: int) -> None:
        """Listen on a port of the loopback interface.

        Raises:
            PortTakenError: if somebody else does.
        """
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/completions", self._complete)
        app.router.add_get("/health", self._health)
        # An engine may close a connection that rests, just when it is used again.
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        self._session = aiohttp.ClientSession(connector=connector, timeout=PATIENCE)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, access_log=None, shutdown_timeout=1
        )
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, HOST, port).start()
        except OSError as error:
            raise PortTakenError(f"Port {port} is taken, and the router needs it.") from error

    async def stop(self) -> None:
        """Stop listening, and let go of what is in flight."""
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    async def _health(self, request: web.Request) -> web.Response:
        return web.Response()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        assert self._session is not None, "requests come only after the start"
        try:
            body, knobs = await request.json(), read(request.headers.get(HEADER))
        except ValueError as error:
            return web.json_response({"error": {"message": f"Not understood: {error}"}}, status=400)
        sender = Sender(self._session, self.others, self.voice)
        exchange = Exchange(sender, identify(request.headers), body, knobs)
        self.in_flight += 1
        try:
            return await exchange.run(request, self.producer, self.consumer)
        finally:
            self.in_flight -= 1
            self.log.add(exchange.seen)
