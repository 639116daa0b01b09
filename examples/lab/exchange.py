"""One request on its way through the router: two legs out, one answer back."""

import asyncio
from typing import NoReturn

import aiohttp
from aiohttp import web

from lab.knobs import Knobs, LegKnobs
from lab.legs import (
    Body,
    Identity,
    Peer,
    consumer_leg,
    producer_leg,
    prompt_length,
    tokens_in,
)
from lab.routed import Leg, Outcome, Routed
from lab.sender import Answer, LegFailedError, Sender


class Exchange:
    """Sends both legs at once, and ends both when either end of the request is gone."""

    def __init__(self, sender: Sender, identity: Identity, body: Body, knobs: Knobs) -> None:
        self._sender = sender
        self._identity = identity
        self._body = body
        self._knobs = knobs
        self._outcome: Outcome = "client gone"
        self._producer = Leg(role="P", request_id=identity.request_id)
        self._consumer = Leg(role="D", request_id=identity.request_id)

    @property
    def seen(self) -> Routed:
        """The record of it."""
        return Routed(
            request_id=self._identity.request_id,
            trace_id=self._identity.trace_id,
            prompt_tokens=prompt_length(self._body),
            max_tokens=self._body.get("max_tokens"),
            outcome=self._outcome,
            producer=self._producer,
            consumer=self._consumer,
        )

    async def run(self, request: web.Request, producer: Peer, consumer: Peer) -> web.StreamResponse:
        """Send both legs; return the consumer's answer, or say which engine failed."""
        self._producer.engine_id = producer.engine_id
        self._consumer.engine_id = consumer.engine_id
        prefill = asyncio.create_task(self._prefill(producer))
        decode = asyncio.create_task(self._decode(producer, consumer))
        try:
            response = await self._pass_on(await _answer(prefill, decode), request)
            self._outcome = "consumer failed" if self._consumer.failed else "answered"
            return response
        except LegFailedError as failure:
            self._outcome = "producer failed" if self._producer.failed else "consumer failed"
            return _bad_gateway(failure)
        except ConnectionError:
            return web.Response()
        finally:
            await _end(prefill, decode)

    async def _prefill(self, producer: Peer) -> None:
        body = producer_leg(self._body)
        answer, first = await self._turned(self._producer, producer, body, self._knobs.producer)
        body = first + await answer.read()
        self._producer.tokens = tokens_in(body)
        if self._producer.failed:
            self._producer.error = body.decode(errors="replace")[:500]
        self._sender.ended(self._producer)
        if self._producer.failed:
            raise LegFailedError(
                f"Producer {producer.engine_id} answered {answer.status}: {self._producer.error}"
            )

    async def _decode(self, producer: Peer, consumer: Peer) -> Answer:
        body = consumer_leg(self._body, self._identity, producer)
        return await self._turned(self._consumer, consumer, body, self._knobs.consumer)

    async def _turned(self, leg: Leg, peer: Peer, body: Body, knobs: LegKnobs) -> Answer:
        """Send a leg as its knobs say; one that is dropped or aborted is never answered."""
        await asyncio.sleep(knobs.delay)
        if knobs.drop:
            await _forever()
        peer = self._sender.peers.get(knobs.to, peer)
        headers = knobs.named(self._identity.headers)
        try:
            async with asyncio.timeout(knobs.abort_after or None):
                return await self._sender.send(leg, peer, knobs.turned(body), headers)
        except TimeoutError:
            leg.error = "aborted"
            self._sender.ended(leg)
            return await _forever()

    async def _pass_on(self, answer: Answer, request: web.Request) -> web.StreamResponse:
        """Hand the consumer's answer on as it comes."""
        source, first = answer
        response = web.StreamResponse(status=source.status)
        response.content_type = source.content_type
        await response.prepare(request)
        body = first
        await response.write(first)
        try:
            async for chunk in source.content.iter_any():
                body += chunk
                await response.write(chunk)
        except aiohttp.ClientError as error:
            self._consumer.error = str(error)
        self._consumer.tokens = tokens_in(body)
        self._sender.ended(self._consumer)
        await response.write_eof()
        return response


async def _answer(prefill: asyncio.Task[None], decode: asyncio.Task[Answer]) -> Answer:
    """Wait for the consumer, but no longer once the producer has failed."""
    await asyncio.wait({prefill, decode}, return_when=asyncio.FIRST_COMPLETED)
    if not decode.done():
        await prefill
    return await decode


async def _end(prefill: asyncio.Task[None], decode: asyncio.Task[Answer]) -> None:
    """Cancel what still runs, and close the consumer's connection."""
    for task in (prefill, decode):
        task.cancel()
    await asyncio.gather(prefill, decode, return_exceptions=True)
    if not decode.cancelled() and decode.exception() is None:
        decode.result()[0].close()


async def _forever() -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")


def _bad_gateway(failure: LegFailedError) -> web.Response:
    error = {"message": str(failure), "type": "BadGateway", "code": 502}
    return web.json_response({"error": error}, status=502)
