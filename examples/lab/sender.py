"""Sends one leg of a request to an engine, and tells of it."""

from collections.abc import Mapping

import aiohttp

from kvtrace.events import LegAnswered, LegSent
from lab.knobs import PARAMS
from lab.legs import Body, Peer
from lab.routed import Leg, now
from lab.voice import Voice

Answer = tuple[aiohttp.ClientResponse, bytes]
"""A response whose body has begun, and its first bytes."""


class LegFailedError(Exception):
    """An engine refused its leg, or could not be talked to."""


class Sender:
    """Speaks to the engines on the router's behalf."""

    def __init__(
        self, session: aiohttp.ClientSession, peers: Mapping[str, Peer], voice: Voice
    ) -> None:
        self.peers = peers
        """Where a leg can be sent to when it is told so, by engine id."""
        self._session = session
        self._voice = voice

    async def send(self, leg: Leg, peer: Peer, body: Body, headers: Mapping[str, str]) -> Answer:
        """Send a leg, and wait until its answer's body begins."""
        leg.sent = now()
        url = f"{peer.url}/v1/completions"
        told = body.get(PARAMS, {}).get("remote_engine_id") or ""
        self._voice.say(
            LegSent(request=leg.request_id, role_sent=leg.role, url=peer.url, engine=told)
        )
        try:
            answer = await self._session.post(url, json=body, headers=headers)
            first = await answer.content.readany()
        except aiohttp.ClientError as error:
            leg.error = str(error)
            self.ended(leg)
            raise LegFailedError(f"Engine {peer.engine_id} cannot be reached: {error}") from error
        leg.first_byte, leg.status = now(), answer.status
        return answer, first

    def ended(self, leg: Leg) -> None:
        """Keep when the leg ended, and tell how."""
        leg.answered = now()
        self._voice.say(
            LegAnswered(
                request=leg.request_id,
                role_sent=leg.role,
                status=leg.status or 0,
                error=leg.error or "",
            )
        )
