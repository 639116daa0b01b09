"""Serves the app to browsers: each one gets a process of its own, which ends with it.

Whoever reaches the port sees what kvtrace sees. A page from elsewhere must not: a browser says
where a page comes from and which host it asked for, and both are looked at.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

ENDING = 2.0
"""Seconds that browsers and their processes get to end in."""

POLICY = "default-src 'self' 'unsafe-inline' data:; connect-src 'self' ws: wss:"
"""Nothing is fetched from anywhere else, so that a page opens at once where there is no network."""

LOOPBACK_NAMES = ("localhost", "localhost.localdomain")

TERMINAL = "TERM=xterm-256color COLORTERM=truecolor LC_ALL=C.UTF-8"
"""What a browser's terminal can draw."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class AppServer(Server):
    """Serves one command on a socket that listens already."""

    def __init__(self, command: str, listening: socket.socket, *, title: str) -> None:
        host, port = listening.getsockname()[:2]
        super().__init__(command, host, port, title=title)
        self._listening = listening
        self._open: set[asyncio.Task[Any]] = set()

    def serve(self, debug: bool = False) -> None:
        """Serves until Ctrl-C or SIGTERM."""
        web.run_app(
            self._make_app(),
            sock=self._listening,
            print=lambda *said: None,
            access_log=None,
            shutdown_timeout=ENDING,
        )

    async def on_startup(self, app: web.Application) -> None:
        """Looks at every request, and says nothing."""
        # What the server itself runs in says nothing of a browser's terminal.
        self.command = f"exec env {TERMINAL} {self.command}"

    async def on_shutdown(self, app: web.Application) -> None:
        """Ends what browsers still look at, and waits for their processes."""
        for task in self._open:
            task.cancel()
        await asyncio.wait(self._open, timeout=ENDING) if self._open else None

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guard)
        return app

    async def handle_index(self, request: web.Request) -> Any:
        """The page; it asks the host that it was itself asked for at."""
        self.public_url = f"{request.scheme}://{request.host}"
        return await super().handle_index(request)

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """One browser, for as long as it looks."""
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        return await super().handle_websocket(request)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if not may_ask(self.host, request.host, origin):
            raise web.HTTPForbidden(text="kvtrace answers only pages of its own")
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = POLICY
            response.headers["X-Frame-Options"] = "DENY"
        return response


def may_ask(bound: str, host: str, origin: str | None) -> bool:
    """Whether a request to that host, by a page from that origin, is one of our own page's.

    On loopback the host must be a name of loopback, else a page whose name leads here could ask.
    """
    if origin is not None and urlsplit(origin).netloc != host:
        return False
    return not is_loopback(bound) or is_loopback(urlsplit(f"//{host}").hostname or "")


def is_loopback(host: str) -> bool:
    """Whether only this host reaches that address."""
    if host.lower() in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
