import time
from types import SimpleNamespace as Thing
from typing import Any

from kvtrace_connector import worker as hooks
from kvtrace_connector.hooks import subclass

from tests.connector import host
from tests.connector.pair import Pair, scripted


def met() -> Pair:
    """A pair after its first transfer, with a fresh tape."""
    pair = Pair()
    pair.push()
    pair.tape.said.clear()
    return pair


def test_a_lease_is_granted_with_what_is_left_of_it() -> None:
    pair = Pair()
    pair.prefill()
    pair.producer.step()
    assert 29 < pair.tape.only("lease.granted").lease / 1e9 < 30


def test_a_lease_that_ran_out_is_told_before_the_blocks_are_released() -> None:
    pair = Pair()
    request = pair.prefill()
    pair.producer.step()
    pair.producer.worker._reqs_to_send[request.request_id] = time.perf_counter() - 1
    pair.producer.step()
    assert pair.tape.only("lease.expired").writes == 0
    assert pair.tape.kinds("P")[-3:] == ["lease.expired", "send.reported", "blocks.released"]


def test_a_lease_that_ran_out_counts_the_writes_in_flight() -> None:
    pair = met()
    pair.producer.agent.state = "PROC"
    pair.admit()
    pair.consumer.step()
    request = pair.prefill()
    pair.producer.step()
    pair.producer.worker._reqs_to_send[request.request_id] = time.perf_counter() - 1
    pair.producer.step()
    assert pair.tape.only("lease.expired").writes == 1


def test_older_releases_reap_leases_among_the_results() -> None:
    class Older:
        def __init__(self) -> None:
            self._reqs_to_send = {"expired": 1.0, "written": time.perf_counter() + 9}

        def get_finished(self) -> tuple[set[str], set[str]]:
            return {"expired", "written"}, set()

    pair = Pair()
    older = subclass(Older, {"get_finished": hooks.results_told}, lambda made: None)()
    older._kvtrace = pair.producer.worker._kvtrace
    older.get_finished()
    assert pair.tape.only("lease.expired").request == "expired"
    assert len(pair.tape.events("send.reported")) == 2


def test_a_heartbeat_tells_how_many_leases_it_found() -> None:
    pair = Pair()
    request = pair.prefill()
    pair.producer.step()
    pair.producer.worker._handle_heartbeat(f"router-1,{request.request_id}")
    renewed = pair.tape.only("lease.renewed")
    assert (renewed.matched, renewed.unmatched, renewed.example) == (1, 1, "router-1")


def beat(pair: Pair) -> Any:
    metadata = pair.consumer.scheduler.build_connector_meta(None)
    metadata.heartbeat_by_engine = {"P": Thing(req_ids={"router-1", "router-2"})}
    pair.consumer.worker.start_load_kv(metadata)
    return pair.tape.only("heartbeat.sent")


def test_heartbeats_of_one_interval_are_one_event() -> None:
    sent = beat(met())
    assert (sent.producer, sent.requests, sent.failed) == ("P", 2, 0)


def test_each_notification_that_is_counted_is_told() -> None:
    pair = met()
    request = pair.admit()
    pair.consumer.worker.start_load_kv(pair.consumer.scheduler.build_connector_meta(None))
    worker = pair.consumer.worker
    worker._recving_metadata[request.request_id] = Thing(pp_size=2)
    worker._kvtrace.landed[request.request_id] = 1
    counts = worker.consumer_notification_counts_by_req
    scripted(worker, "_get_new_notifs", lambda _: counts.update({request.request_id: 1}))()
    counted = pair.tape.only("completion.counted")
    assert (counted.count, counted.needed) == (1, 2)


def test_a_notification_of_a_request_that_is_gone_is_not_waited_for() -> None:
    pair = met()
    half = pair.consumer.worker._kvtrace
    half.landed["gone"] = 1
    pair.consumer.worker._get_new_notifs()
    assert not half.landed


def test_a_failure_is_told_by_its_name() -> None:
    pair = Pair()
    pair.consumer.worker._log_failure(
        "push_handshake_failed", "r", error=TimeoutError(), dst_engine_id="P"
    )
    logged = pair.tape.only("failure.logged")
    assert (logged.failure, logged.error_type, logged.peer) == (
        "push_handshake_failed",
        "TimeoutError",
        "P",
    )


def test_ranks_that_take_no_part_say_nothing() -> None:
    pair = Pair()
    pair.producer.worker.pcp_rank = 1
    pair.prefill()
    pair.producer.worker.start_load_kv(pair.producer.scheduler.build_connector_meta(None))
    assert not pair.tape.events("blocks.queued", "lease.granted")


def test_blocks_are_counted_over_all_groups() -> None:
    pair = Pair()
    request = host.request("cmpl-1-aaaaaaaa")
    pair.producer.scheduler.request_finished(request, ([1, 2], [3]))
    pair.producer.step()
    assert pair.tape.only("blocks.queued").blocks == 3
