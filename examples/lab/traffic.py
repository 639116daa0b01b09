"""Sends requests of mixed prompt lengths through the router, at a modest rate."""

import asyncio
from collections.abc import Iterator

import aiohttp
import msgspec

from lab.client import Ask
from lab.plan import Planned

PATIENCE = aiohttp.ClientTimeout(total=300)


class Counts(msgspec.Struct, kw_only=True):
    """What became of the requests; it grows while they go on."""

    sent: int = 0
    answered: int = 0
    errors: int = 0

    @property
    def in_flight(self) -> int:
        """Requests that are neither answered nor failed."""
        return self.sent - self.answered - self.errors


class Traffic:
    """Open-loop traffic with bounded concurrency."""

    def __init__(self, url: str, plan: Iterator[Planned], concurrency: int) -> None:
        self.counts = Counts()
        self.last_error = ""
        self._url = url
        self._plan = plan
        self._slots = asyncio.Semaphore(concurrency)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, seconds: float, patience: float) -> None:
        """Send for a while, then wait, but not for ever, until what is in flight has ended."""
        async with aiohttp.ClientSession(timeout=PATIENCE) as session:
            try:
                async with asyncio.timeout(seconds):
                    await self._send_all(session)
            except TimeoutError:
                await self._finish(patience)
            finally:
                await self._finish(0)

    async def _send_all(self, session: aiohttp.ClientSession) -> None:
        for planned in self._plan:
            await asyncio.sleep(planned.after)
            await self._slots.acquire()
            task = asyncio.create_task(self._send(session, planned.ask))
            self._tasks.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._slots.release()

    async def _send(self, session: aiohttp.ClientSession, ask: Ask) -> None:
        self.counts.sent += 1
        headers = {"X-Request-Id": ask.request_id}
        try:
            async with session.post(
                f"{self._url}/v1/completions", json=ask.body, headers=headers
            ) as answer:
                text = await answer.text()
        except (aiohttp.ClientError, TimeoutError) as error:
            self._failed(repr(error))
            return
        if answer.ok:
            self.counts.answered += 1
        else:
            self._failed(text)

    def _failed(self, why: str) -> None:
        self.counts.errors += 1
        self.last_error = why[:500]

    async def _finish(self, patience: float) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=patience)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
