"""What the router can be told to do wrong with one request, leg by leg.

They come with the request, in the header `X-Lab-Knobs`, and never reach an engine:

    X-Lab-Knobs: {"producer": {"delay": 2}, "consumer": {"params": {"remote_port": 1}}}

Of a leg that is dropped or aborted the other is not told, as with a router that does not care:
when the client has enough of waiting and gives up, the router ends both.
"""

from typing import Any

import msgspec

HEADER = "X-Lab-Knobs"

Body = dict[str, Any]
PARAMS = "kv_transfer_params"


class LegKnobs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is done to one leg; nothing by default."""

    delay: float = 0.0
    """Seconds until it is sent."""
    drop: bool = False
    """It is never sent."""
    abort_after: float = 0.0
    """Seconds after which its connection is closed, if no answer has begun; 0 for never."""
    params: dict[str, Any] = {}
    """Put over its `kv_transfer_params`: `remote_engine_id`, `remote_host`, `remote_port`, …"""
    without: tuple[str, ...] = ()
    """Left out of its `kv_transfer_params`; the name of the whole leaves out all of them."""
    request_id: str = ""
    """Sent in the place of the request's own."""
    to: str = ""
    """The engine that it is sent to, by its id, in the place of the router's choice."""
    body: dict[str, Any] = {}
    """Put over what is asked: `prompt`, `max_tokens`, …"""
    cut: int = 0
    """Tokens left out at the prompt's end."""

    def turned(self, body: Body) -> Body:
        """The leg as it is sent."""
        body = {**body, **self.body}
        if self.cut:
            body["prompt"] = body["prompt"][: -self.cut]
        if PARAMS in self.without:
            return {name: value for name, value in body.items() if name != PARAMS}
        told = {**body.get(PARAMS, {}), **self.params}
        kept = {name: value for name, value in told.items() if name not in self.without}
        return {**body, PARAMS: kept}

    def named(self, headers: dict[str, str]) -> dict[str, str]:
        """The headers as they are sent."""
        return {**headers, "X-Request-Id": self.request_id} if self.request_id else headers


class Knobs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is done to both legs of one request."""

    producer: LegKnobs = LegKnobs()
    consumer: LegKnobs = LegKnobs()

    @property
    def headers(self) -> dict[str, str]:
        """As they travel to the router."""
        return {HEADER: msgspec.json.encode(self).decode()}


def read(text: str | None) -> Knobs:
    """The knobs of a request, by the value of its header.

    Raises:
        ValueError: if they cannot be understood.
    """
    return Knobs() if text is None else _decode(text)


_decode = msgspec.json.Decoder(Knobs).decode
