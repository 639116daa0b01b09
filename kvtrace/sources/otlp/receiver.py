"""Listens for OTLP in a thread of its own, and gives what arrived to whoever asks.

The thread runs one loop with both servers in it; it is woken by sockets and by `stop`. The inbox
and the counts are all that other threads look at.
"""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future

import msgspec

from kvtrace import __version__
from kvtrace.errors import ReceiverError
from kvtrace.moments import Moment
from kvtrace.sources.otlp.access import Access
from kvtrace.sources.otlp.address import Address, check_free
from kvtrace.sources.otlp.counts import Counts
from kvtrace.sources.otlp.http_routes import Routes
from kvtrace.sources.otlp.http_server import HttpServer
from kvtrace.sources.otlp.inbox import Inbox
from kvtrace.sources.otlp.intake import Intake
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.passing_on import Target, backend_of
from kvtrace.sources.otlp.passing_watch import WatchedBackend
from kvtrace.sources.otlp.rpc import RpcServer

GRACE = 2.0
"""Seconds for requests under way when it ends."""

HTTP_ELSE = "leave HTTP out with --http off, or name another port for it with --http"

POLL = 0.05
"""Seconds between two looks into the inbox, as between two at black boxes."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What to listen on, for whom, and where all of it goes on to."""

    grpc: Address | None
    http: Address | None
    access: Access = Access()
    target: Target | None = None
    limits: Limits = Limits()
    option: str = "--listen"
    """By which the command line was told where to listen for gRPC."""


class Receiver:
    """Receives from `start` to `stop`; neither may be called twice."""

    def __init__(
        self,
        setup: Setup,
        inbox: Inbox | None = None,
        tell: Callable[[str], object] = lambda said: None,
    ) -> None:
        """`tell` is told, from the receiver's thread, how passing on goes when that changes."""
        self.setup = setup
        self._tell = tell
        self.inbox = inbox or Inbox()
        self.counts = Counts()
        self.grpc = setup.grpc
        """Where it listens, with the port that it got."""

        self.http = setup.http
        self.more: dict[str, object] = {}
        """What else /healthz tells; replaced, never changed."""

        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None
        self._intake: Intake | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listens; raises ReceiverError where that cannot be."""
        grpc_else = f"name another port for gRPC with {self.setup.option}"
        for at, otherwise in ((self.setup.grpc, grpc_else), (self.setup.http, HTTP_ELSE)):
            if at is not None:
                check_free(at, otherwise)
        started: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(started,), name="kvtrace-receiver", daemon=True
        )
        self._thread.start()
        started.result()

    def stop(self) -> None:
        """Takes no more; what was acknowledged is in the inbox afterwards."""
        if self._loop is None or self._ending is None or self._thread is None:
            return
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ending.set)
            self._thread.join(2 * GRACE + 1)

    def moments(self, at: int) -> Iterator[Moment]:
        """All that arrived since this was last asked, with that time."""
        for news in self.inbox.take():
            yield Moment(at, news)
        over = self._thread is not None and not self._thread.is_alive()
        lost = self.counts.lost(at, last=over)
        if lost is not None:
            yield Moment(at, lost)

    def beside(
        self, moments: Iterable[Moment], now: Callable[[], int] = time.monotonic_ns
    ) -> Iterator[Moment]:
        """These moments, and between them what arrived here."""
        for moment in moments:
            if self._thread is not None and not self._thread.is_alive():
                raise ReceiverError("what listens for OTLP has died: start kvtrace again")
            yield moment
            if moment.news is None or self.inbox.waiting:
                yield from self.moments(now())

    def watch(
        self,
        stop: Callable[[], bool],
        *,
        now: Callable[[], int] = time.monotonic_ns,
    ) -> Iterator[Moment]:
        """What arrives, until told to stop; when nothing does, the time, twenty times a second."""
        return self.beside(self._silence(stop, now), now)

    def health(self) -> dict[str, object]:
        """How it stands, as /healthz tells."""
        return {
            "status": "ok" if self.is_ready else "not ready",
            "version": __version__,
            "grpc": str(self.grpc) if self.grpc else None,
            "http": str(self.http) if self.http else None,
            "waiting": self.inbox.waiting,
            **self.counts.as_json(),
            **self.more,
        }

    @property
    def is_ready(self) -> bool:
        """Whether a request that came now would be taken."""
        return self._intake is not None and self._intake.is_ready

    def _silence(self, stop: Callable[[], bool], now: Callable[[], int]) -> Iterator[Moment]:
        while not stop():
            yield Moment(now())
            self.inbox.wait(POLL)

    def _run(self, started: "Future[None]") -> None:
        try:
            asyncio.run(self._serve(started))
        except ReceiverError as error:
            started.set_exception(error)
        finally:
            bug = sys.exception()
            if bug is not None and not started.done():
                started.set_exception(bug)

    async def _serve(self, started: "Future[None]") -> None:
        setup = self.setup
        backend = backend_of(setup.target, setup.limits, guarded=bool(setup.access.token))
        if backend is not None and setup.target is not None:
            backend = WatchedBackend(backend, setup.target.url, self._tell)
        intake = Intake(self.inbox, self.counts, setup.limits, backend)
        rpc = RpcServer(intake, self.counts, setup.access, setup.limits)
        routes = Routes(intake, self.counts, self, setup.access, setup.limits)
        web = HttpServer(routes, setup.limits)
        self._loop, self._ending, self._intake = asyncio.get_running_loop(), asyncio.Event(), intake
        try:
            if setup.grpc is not None:
                self.grpc = Address(setup.grpc.host, await rpc.start(setup.grpc))
            if setup.http is not None:
                self.http = Address(setup.http.host, await web.start(setup.http, setup.access))
            started.set_result(None)
            await self._ending.wait()
        finally:
            intake.stop()
            await asyncio.gather(rpc.stop(GRACE), web.stop(GRACE))
            if backend is not None:
                await backend.close()
