from tests.connector import host
from tests.connector.pair import Pair

CONSUMER = [
    "request.admitted",
    "load.decided",
    "registration.staged",
    "registration.shipped",
    "registration.queued",
    "registration.sent",
    "notification.noticed",
    "completion.counted",
    "receive.reported",
    "receive.finished",
    "request.resumed",
    "request.finished",
]
PRODUCER = [
    "prefill.admitted",
    "blocks.ready",
    "blocks.shipped",
    "blocks.queued",
    "lease.granted",
    "registration.noticed",
    "match.made",
    "write.posted",
    "write.started",
    "write.finished",
    "send.reported",
    "blocks.released",
]


def test_a_push_is_told_by_twelve_events_of_the_consumer() -> None:
    pair = Pair()
    pair.push()
    told = [kind for kind in pair.tape.kinds("D") if not kind.startswith("handshake")]
    assert told == CONSUMER


def test_a_push_is_told_by_twelve_events_of_the_producer() -> None:
    pair = Pair()
    pair.push()
    told = [kind for kind in pair.tape.kinds("P") if not kind.startswith("handshake")]
    assert sorted(told) == sorted(PRODUCER)


def test_peers_that_know_each_other_shake_hands_no_more() -> None:
    pair = Pair()
    pair.push()
    before = len(pair.tape.said)
    pair.push()
    assert not any("Handshake" in type(event).__name__ for _, event in pair.tape.said[before:])


def test_halves_of_one_process_speak_under_their_own_names() -> None:
    pair = Pair()
    assert sorted((engine, rank) for engine, _, rank in pair.tape.origins) == [
        ("D", -1),
        ("D", 0),
        ("P", -1),
        ("P", 0),
    ]


def test_a_host_keeps_its_name() -> None:
    assert type(Pair().producer.worker).__name__ == "Worker"


def test_nothing_of_a_finished_transfer_is_remembered() -> None:
    pair = Pair()
    pair.push()
    ours, theirs = pair.producer.worker._kvtrace, pair.consumer.worker._kvtrace
    for kept in (ours.queued, ours.noticed, ours.starts, ours.writes):
        assert not kept
    for kept in (theirs.registered, theirs.landed, theirs.failed):
        assert not kept
    scheduler = pair.producer.scheduler._kvtrace
    for kept in (scheduler.prefills, scheduler.ready):
        assert not kept
    assert not pair.consumer.scheduler._kvtrace.waits


def test_ids_of_any_length_are_told_whole() -> None:
    pair, stem = Pair(), "cmpl-" + "7" * 5000
    ours, theirs = f"{stem}-aaaaaaaa", f"{stem}-bbbbbbbb"
    pair.push(theirs, ours)
    pair.producer.worker._log_failure("transfer_failed", req_id=ours)
    names = [
        getattr(event, name, "")
        for _, event in pair.tape.said
        for name in ("request", "remote_request")
    ]
    assert len(pair.tape.events("match.made", "write.started", "registration.noticed")) == 3
    assert set(names) - {"", "router-1"} == {ours, theirs}


def test_ids_that_a_router_gives_are_told_whole() -> None:
    pair, router = Pair(), "r" * 5000
    request = host.request("cmpl-1-bbbbbbbb", "E" * 5000)
    request.kv_transfer_params["remote_request_id"] = router
    pair.consumer.scheduler.on_new_request(request)
    admitted = pair.tape.only("request.admitted")
    assert (admitted.remote_request, admitted.producer) == (router, "E" * 5000)
