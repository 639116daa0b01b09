from typing import Any

import pytest

from kvtrace.events import RegistrationNoticed
from tests.connector import host
from tests.connector.pair import Pair


def failing(*_: Any, **__: Any) -> Any:
    raise ConnectionError("link down")


def breaking(*_: Any, **__: Any) -> Any:
    raise RuntimeError("bad state")


def test_a_match_holds_both_ids_and_who_was_first() -> None:
    pair = Pair()
    pair.push()
    match = pair.tape.only("match.made")
    assert (match.request, match.remote_request) == ("cmpl-1-aaaaaaaa", "cmpl-1-bbbbbbbb")
    assert (match.exact, match.candidates, match.first) == (False, 1, "registration")
    assert match.consumer == "D"
    assert match.waited > 0


def test_blocks_that_wait_for_their_registration_were_first() -> None:
    pair = Pair()
    pair.prefill()
    pair.producer.step()
    pair.admit()
    pair.consumer.step()
    pair.producer.step()
    match = pair.tape.only("match.made")
    assert (match.first, match.consumer) == ("blocks", "D")


def test_others_under_the_same_base_id_are_counted() -> None:
    pair = Pair()
    for suffix in ("aaaaaaaa", "aaaaaaab", "aaaaaaac"):
        pair.prefill(f"cmpl-1-{suffix}")
    pair.producer.step()
    pair.admit()
    pair.consumer.step()
    pair.producer.step()
    assert pair.tape.only("match.made").candidates == 3


def test_a_miss_is_news_only_where_something_was_there_to_be_missed() -> None:
    pair = Pair()
    pair.prefill("cmpl-1-aaaaaaaa")
    pair.producer.step()
    assert not pair.tape.events("match.missed")
    pair.admit("cmpl-2-bbbbbbbb")
    pair.consumer.step()
    pair.producer.step()
    missed = pair.tape.only("match.missed")
    assert (missed.remote_request, missed.looked_for, missed.candidates) == (
        "cmpl-2-bbbbbbbb",
        "blocks",
        1,
    )


def test_a_registration_tells_who_wants_the_blocks_and_who_sent_it() -> None:
    pair = Pair()
    pair.admit()
    pair.consumer.step()
    pair.producer.step()
    noticed: RegistrationNoticed = pair.tape.only("registration.noticed")
    assert (noticed.request, noticed.consumer, noticed.peer) == ("", "D", "agent-D")
    assert (noticed.host, noticed.port, noticed.blocks) == ("10.0.0.2", 5700, 3)


@pytest.mark.parametrize(
    ("told", "why"), [(b"\x81", "truncated"), (b"\x81\xa1x" + b"\x91" * 100_000, "recursion")]
)
def test_what_is_no_registration_is_left_to_the_host(told: bytes, why: str) -> None:
    pair = Pair()
    with pytest.raises(Exception, match=why):
        pair.producer.worker._handle_push_reg_notif(b"PUSH_REG:" + told)
    assert not pair.tape.events("registration.noticed")
    assert not pair.recorder.fuse.blown


def test_a_first_write_is_deferred_behind_its_handshake_where_one_is_begun() -> None:
    pair = Pair()
    pair.push()
    started = pair.tape.only("write.started")
    assert (started.outcome, started.ordinal) == ("deferred", 0)
    pair.push()
    assert pair.tape.events("write.started")[-1].outcome == "submitted"


def test_a_write_that_posts_nothing_is_empty() -> None:
    pair = Pair()
    pair.producer.worker._remote_agents["D"] = {}
    registration = {"request_id": "b", "decode_engine_id": "D", "decode_host": "h"}
    pair.producer.worker._do_start_push_kv("a", host.BLOCKS, registration)
    assert pair.tape.only("write.started").outcome == "empty"


def test_a_swallowed_error_is_told_once_where_it_came_from() -> None:
    pair = Pair()
    pair.push()
    pair.tape.said.clear()
    pair.prefill()
    pair.producer.step()
    pair.admit()
    pair.consumer.step()
    vars(pair.producer.worker)["_xfer_blocks"] = breaking
    with pytest.raises(RuntimeError):
        pair.producer.step()
    failed = pair.tape.only("writer.failed")
    assert (failed.seam, failed.request, failed.error) == (
        "start write",
        "cmpl-1-aaaaaaaa",
        "bad state",
    )
    assert pair.tape.only("write.started").outcome == "raised"


def test_a_registration_that_cannot_be_sent_is_told_with_its_rank() -> None:
    pair = Pair()
    pair.push()
    pair.consumer.agent.send_notif = failing
    pair.admit()
    pair.consumer.step()
    failed = pair.tape.only("registration.send_failed")
    assert (failed.producer, failed.peer_rank, failed.error) == ("P", 0, "link down")


def test_a_registration_to_nobody_is_told() -> None:
    pair = Pair()
    pair.consumer.worker._remote_agents["P"] = {}
    pair.admit()
    pair.consumer.step()
    assert pair.tape.only("registration.send_failed").peer_rank == -1
