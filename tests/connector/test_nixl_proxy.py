from typing import Any

import pytest
from kvtrace_connector.half import Write
from kvtrace_connector.nixl_proxy import NixlProxy

from tests.connector import host_worker
from tests.connector.pair import Pair


def failing(*_: Any, **__: Any) -> Any:
    raise ConnectionError("link down")


def pushed(**agent: Any) -> Pair:
    """A second transfer of peers that know each other, with a producer's agent that is so."""
    pair = Pair()
    pair.push()
    pair.tape.said.clear()
    vars(pair.producer.agent).update(agent)
    pair.admit()
    pair.consumer.step()
    pair.prefill()
    pair.producer.step()
    return pair


def test_what_is_not_ours_goes_to_the_agent_behind() -> None:
    pair = Pair()
    agent = host_worker.Agent("a", {})
    agent.register_memory = object()  # type: ignore[attr-defined]
    proxy = NixlProxy(agent, pair.producer.worker._kvtrace)
    assert proxy.register_memory is agent.register_memory  # type: ignore[attr-defined]
    assert proxy.name == "a"


def test_a_write_tells_its_times_and_sizes() -> None:
    pair = pushed()
    posted, finished = pair.tape.only("write.posted"), pair.tape.only("write.finished")
    assert (posted.descriptors, posted.blocks, posted.consumer) == (3, 3, "D")
    assert posted.remote_request == "cmpl-1-bbbbbbbb"
    assert (finished.size, finished.descriptors, finished.polls) == (4096, 3, 1)
    assert (finished.post, finished.transfer) == (5000, 70000)


@pytest.mark.parametrize(
    ("method", "stage"), [("make_prepped_xfer", "prepare"), ("transfer", "post")]
)
def test_a_write_that_cannot_be_posted_tells_at_which_stage(method: str, stage: str) -> None:
    pair = pushed(**{method: failing})
    failed = pair.tape.only("write.failed")
    assert (failed.stage, failed.error, failed.consumer) == (stage, "link down", "D")
    assert pair.tape.only("write.started").outcome == "raised"


def test_a_write_that_ends_in_an_error_is_told_once_however_often_it_is_polled() -> None:
    pair = pushed(state="ERR")
    pair.producer.step()
    assert pair.tape.only("write.failed").stage == "transfer"


def test_a_write_whose_telemetry_cannot_be_had_is_told_as_that() -> None:
    pair = Pair()
    pair.push()
    pair.producer.agent.get_xfer_telemetry = failing
    pair.admit()
    pair.consumer.step()
    pair.prefill()
    with pytest.raises(ConnectionError):
        pair.producer.step()
    assert pair.tape.only("write.failed").stage == "telemetry"


def test_a_landed_write_without_telemetry_is_finished_when_it_is_released() -> None:
    pair = Pair()
    half = pair.producer.worker._kvtrace
    agent = pair.producer.agent
    handle = host_worker.Handle()
    agent.notes[handle] = ("", b"")
    half.writes[id(handle)] = Write("a", "D", 1, "b", 3, 3)
    pair.producer.worker.nixl_wrapper.check_xfer_state(handle)
    pair.producer.worker.nixl_wrapper.release_xfer_handle(handle)
    assert pair.tape.only("write.finished").peer_rank == 1
    assert not half.writes


def test_handles_are_not_kept_alive() -> None:
    pair = pushed(state="PROC")
    half = pair.producer.worker._kvtrace
    assert all(isinstance(key, int) for key in half.writes)


def test_a_notification_tells_the_rank_that_sent_it() -> None:
    pair = pushed()
    pair.consumer.step()
    noticed = pair.tape.only("notification.noticed")
    assert (noticed.peer, noticed.peer_rank, noticed.gap > 0) == ("agent-P", 0, True)


def test_messages_are_handed_on_as_they_came() -> None:
    pair = Pair()
    found = {"agent-P": [b"a:1", b"HB:x", b"?"]}
    pair.consumer.agent.get_new_notifs = lambda: found
    assert pair.consumer.worker.nixl_wrapper.get_new_notifs() is found
    assert pair.tape.only("notification.noticed").request == "a"
