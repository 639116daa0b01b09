"""What each path, method, type and packing is answered."""

import gzip
import json
import zlib

import pytest
from google.rpc.status_pb2 import Status

from kvtrace.sources.otlp.access import Access
from kvtrace.sources.otlp.counts import Counts
from kvtrace.sources.otlp.http_routes import JSON, PROTOBUF, Answer, Asked, Routes
from kvtrace.sources.otlp.inbox import Inbox
from kvtrace.sources.otlp.intake import Intake
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.refusal import Reason
from tests.unit.sources.otlp.requests import logs, record

RAW: bytes = logs(record()).SerializeToString()


class Standing:
    """What knows how it stands."""

    def __init__(self) -> None:
        self.is_ready = True

    def health(self) -> dict[str, object]:
        return {"status": "ok"}


class Site:
    """The routes, and all that is behind them."""

    def __init__(self, access: Access = Access(), limits: Limits = Limits()) -> None:  # noqa: B008
        self.inbox = Inbox()
        self.counts = Counts()
        self.standing = Standing()
        intake = Intake(self.inbox, self.counts, limits)
        self.routes = Routes(intake, self.counts, self.standing, access, limits)

    async def ask(
        self, path: str, body: bytes = b"", method: str = "POST", **headers: str
    ) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        asked = Asked(method=method, path=path, headers=named)

        async def read(most: int) -> bytes:
            return body

        return await self.routes.answer(asked, read)

    async def send(self, body: bytes, **headers: str) -> Answer:
        return await self.ask("/v1/logs", body, **{"content_type": PROTOBUF, **headers})


async def test_protobuf_is_taken_in_and_answered_as_protobuf() -> None:
    site = Site()
    answer = await site.send(RAW)
    assert (answer.status, answer.kind, answer.body) == (200, PROTOBUF, b"")
    assert site.inbox.take() == [record()]


async def test_json_is_answered_as_json() -> None:
    answer = await Site().send(b"{}", content_type="application/json; charset=utf-8")
    assert (answer.status, answer.kind, answer.body) == (200, JSON, b"{}")


@pytest.mark.parametrize(
    ("packing", "packed"),
    [("gzip", gzip.compress(RAW)), ("deflate", zlib.compress(RAW)), ("identity", RAW)],
    ids=("gzip", "deflate", "identity"),
)
async def test_a_packed_body_is_unpacked(packing: str, packed: bytes) -> None:
    site = Site()
    assert (await site.send(packed, content_encoding=packing)).status == 200
    assert site.inbox.take() == [record()]


async def test_a_body_that_unpacks_to_too_much_is_refused_before_it_has() -> None:
    bomb = gzip.compress(b"\0" * (20 << 20))
    answer = await Site().send(bomb, content_encoding="gzip")
    assert (answer.status, Status.FromString(answer.body).code) == (413, 8)


@pytest.mark.parametrize(
    "body",
    [b"nonsense", gzip.compress(RAW)[:-4], gzip.compress(RAW) + b"x"],
    ids=("nonsense", "cut", "trailed"),
)
async def test_a_body_that_is_not_packed_as_it_says_is_malformed(body: bytes) -> None:
    assert (await Site().send(body, content_encoding="gzip")).status == 400


async def test_a_body_that_says_it_is_too_long_is_refused_before_it_comes() -> None:
    site = Site()

    async def read(most: int) -> bytes:
        raise AssertionError("it was read")

    for length in (str(17 << 20), "9" * 20):
        headers = {"content-type": PROTOBUF, "content-length": length}
        asked = Asked(method="POST", path="/v1/logs", headers=headers)
        assert (await site.routes.answer(asked, read)).status == 413
    assert (await site.send(RAW, content_length=str(len(RAW)))).status == 200


async def test_a_body_that_tells_its_length_in_two_ways_is_refused() -> None:
    both = {"content_length": "5", "transfer_encoding": "chunked"}
    assert (await Site().send(RAW, **both)).status == 400


async def test_wrong_path_method_type_and_packing_have_their_statuses() -> None:
    site = Site()
    assert (await site.ask("/v1/nothing")).status == 404
    assert (await site.ask("/v1/logs", method="GET")).status == 405
    assert (await site.ask("/healthz", method="POST")).status == 405
    assert (await site.send(b"", content_type="text/plain")).status == 415
    assert (await site.send(b"", content_encoding="br")).status == 415
    assert (await site.send(b"\xff")).status == 400
    assert (await site.send(b"{", content_type=JSON)).status == 400
    assert site.counts.refused[Reason.TYPE] == 2


async def test_who_has_no_token_is_told_how_to_show_one() -> None:
    site = Site(Access(token="right"))
    answer = await site.send(RAW, authorization="Bearer wrong")
    assert answer.status == 401
    assert ("www-authenticate", "Bearer") in answer.headers
    assert (await site.send(RAW, authorization="Bearer right")).status == 200


async def test_when_full_a_client_is_told_when_to_come_again() -> None:
    site = Site()
    site.inbox.put([], 1 << 30)
    answer = await site.send(RAW)
    assert (answer.status, ("retry-after", "1") in answer.headers) == (429, True)


async def test_health_and_readiness_are_told_without_a_token() -> None:
    site = Site(Access(token="right"))
    answer = await site.ask("/healthz", method="GET")
    assert (answer.status, json.loads(answer.body)) == (200, {"status": "ok"})
    assert (await site.ask("/readyz", method="GET")).status == 200
    site.standing.is_ready = False
    assert (await site.ask("/readyz", method="GET")).status == 503
    assert (await site.ask("/healthz", method="GET")).status == 200
