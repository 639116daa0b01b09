import time

from kvtrace_connector.samples import WINDOW

from tests.connector import host
from tests.connector.pair import Pair, output


def test_a_request_without_a_remote_field_is_admitted_without_heartbeat() -> None:
    pair = Pair()
    request = host.request("cmpl-1-bbbbbbbb", "P")
    del request.kv_transfer_params["tp_size"]
    pair.consumer.scheduler.on_new_request(request)
    admitted = pair.tape.only("request.admitted")
    assert (admitted.heartbeat, admitted.missing) == (False, ("tp_size",))


def test_a_port_that_came_as_text_is_a_number() -> None:
    pair = Pair()
    request = host.request("cmpl-1-bbbbbbbb", "P")
    request.kv_transfer_params["remote_port"] = "5600"
    pair.consumer.scheduler.on_new_request(request)
    assert pair.tape.only("request.admitted").port == 5600


def test_the_trace_of_the_request_is_told() -> None:
    pair = Pair()
    pair.admit()
    assert pair.tape.only("request.admitted").trace == "00-1-2-01"


def test_an_undecided_request_is_not_told_of_at_every_step() -> None:
    pair = Pair()
    request = host.request("cmpl-1-bbbbbbbb", "P")
    pair.consumer.scheduler.on_new_request(request)
    for _ in range(5):
        pair.consumer.scheduler.get_num_new_matched_tokens(request, 0)
    pair.consumer.scheduler.get_num_new_matched_tokens(request, 16)
    decided = pair.tape.events("load.decided")
    assert [(event.tokens, event.computed) for event in decided] == [(40, 0), (24, 16)]


def test_a_full_hit_is_skipped_once() -> None:
    pair = Pair()
    request = host.request("cmpl-1-bbbbbbbb", "P")
    scheduler = pair.consumer.scheduler
    scheduler.on_new_request(request)
    scheduler.update_state_after_alloc(request, host.BLOCKS, 0)
    scheduler.update_state_after_alloc(request, host.BLOCKS, 0)
    assert pair.tape.only("registration.skipped").reason == "full hit"


def test_only_the_first_restart_resumes_a_parked_request() -> None:
    pair = Pair()
    request = pair.admit()
    pair.consumer.scheduler.update_state_after_alloc(request, host.BLOCKS, 0)
    pair.consumer.scheduler.update_state_after_alloc(request, host.BLOCKS, 0)
    assert pair.tape.only("request.resumed").failed is False


def test_a_request_whose_kv_does_not_come_resumes_as_failed() -> None:
    pair = Pair()
    request = pair.admit()
    names = {request.request_id}
    pair.consumer.scheduler.update_connector_output(
        output(finished_recving=names, failed_recving=names)
    )
    pair.resume(request)
    assert pair.tape.only("receive.failed").request == request.request_id
    assert pair.tape.only("request.resumed").failed is True
    assert not pair.tape.events("receive.finished")


def test_a_request_that_ends_while_it_waits_was_parked() -> None:
    pair = Pair()
    request = pair.admit()
    pair.consumer.scheduler.request_finished(request, host.BLOCKS)
    assert pair.tape.only("request.finished").parked is True


def test_the_watchdog_is_told_of_once_and_only_for_what_it_dropped() -> None:
    pair = Pair()
    pair.admit("cmpl-1-bbbbbbbb")
    pair.admit("cmpl-2-bbbbbbbb")
    deadlines = pair.consumer.scheduler._push_registration_deadlines
    deadlines["cmpl-1-bbbbbbbb"] = time.perf_counter() - 1
    pair.consumer.scheduler.build_connector_meta(None)
    pair.consumer.scheduler.build_connector_meta(None)
    expired = pair.tape.only("registration.expired")
    assert (expired.request, expired.timeout) == ("cmpl-1-bbbbbbbb", 480_000_000_000)


def test_a_request_that_neither_sends_nor_receives_is_none_of_ours() -> None:
    pair = Pair()
    request = host.request("cmpl-1-bbbbbbbb", kv_transfer_params=None)
    pair.consumer.scheduler.on_new_request(request)
    assert pair.tape.kinds("D") == []


def test_blocks_that_are_not_held_are_told_as_such() -> None:
    pair = Pair()
    request = host.request("cmpl-1-aaaaaaaa", num_computed_tokens=3)
    pair.producer.scheduler.request_finished(request, host.BLOCKS)
    ready = pair.tape.only("blocks.ready")
    assert (ready.held, ready.blocks, ready.computed) == (True, 3, 3)


def test_tables_are_sampled_when_they_changed() -> None:
    pair = Pair()
    half = pair.consumer.scheduler._kvtrace
    for second in range(1, 4):
        half.now = lambda at=second * WINDOW: at
        pair.consumer.scheduler.build_connector_meta(None)
    assert len(pair.tape.events("tables.sampled")) == 1
