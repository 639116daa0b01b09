"""The two legs of one request: what the router sends to the producer and to the consumer."""

import re
import secrets
import uuid
from collections.abc import Mapping
from typing import Any

import msgspec

Body = dict[str, Any]
"""An OpenAI completion request: its fields are the client's business."""

_TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """What the router must know of an engine."""

    engine_id: str
    url: str
    side_host: str
    side_port: int
    tp: int


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What both legs of a request have in common."""

    request_id: str
    traceparent: str

    @property
    def trace_id(self) -> str:
        """The trace both legs belong to."""
        return self.traceparent.split("-")[1]

    @property
    def headers(self) -> dict[str, str]:
        """As it travels."""
        return {"X-Request-Id": self.request_id, "traceparent": self.traceparent}


def identify(headers: Mapping[str, str]) -> Identity:
    """Take the client's request id and trace context, and make what it does not give."""
    given = headers.get("traceparent", "")
    return Identity(
        request_id=headers.get("X-Request-Id") or str(uuid.uuid4()),
        traceparent=given if _TRACEPARENT.fullmatch(given) else _new_traceparent(),
    )


def producer_leg(body: Body) -> Body:
    """Ask for the prefill alone, whose blocks then wait for the consumer."""
    return {
        **{key: value for key, value in body.items() if key not in {"stream", "stream_options"}},
        "max_tokens": 1,
        "kv_transfer_params": {
            "do_remote_decode": True,
            "do_remote_prefill": False,
            "remote_engine_id": None,
            "remote_block_ids": None,
            "remote_host": None,
            "remote_port": None,
        },
    }


def consumer_leg(body: Body, identity: Identity, producer: Peer) -> Body:
    """Ask for the answer, and say which producer will write the blocks."""
    return {
        **body,
        "kv_transfer_params": {
            "do_remote_decode": False,
            "do_remote_prefill": True,
            "remote_engine_id": producer.engine_id,
            "remote_request_id": identity.request_id,
            "remote_block_ids": [],
            "remote_host": producer.side_host,
            "remote_port": producer.side_port,
            "tp_size": producer.tp,
        },
    }


def prompt_length(body: Body) -> int | None:
    """Count a prompt's tokens, where it is a list of token ids."""
    prompt = body.get("prompt")
    return len(prompt) if isinstance(prompt, list) else None


def _new_traceparent() -> str:
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


def tokens_in(answer: bytes) -> int | None:
    """Count the tokens an engine answered with, from its usage or from its stream's events."""
    if answer.startswith(b"data:"):
        return answer.count(b"\ndata: {") + answer.startswith(b"data: {")
    try:
        return int(msgspec.json.decode(answer)["usage"]["completion_tokens"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return None
