"""The agent as a real process, between black boxes and an endpoint that goes and comes."""

import re
import signal
import socket
import time
from collections import Counter
from pathlib import Path

import grpc
import pytest

from kvtrace.black_box import Layout
from tests.integration.agents import Engines, agent, engine_process, until
from tests.integration.sink import LOGS, TRACES, Kept, Refusal, grpc_sink, http_sink, partly
from tests.unit.samples import PRODUCER_FIRST

BOUNDED = 12.0
"""Seconds in which an agent that waits two for its endpoint has ended, on a busy machine too."""

pytestmark = pytest.mark.timeout(120)


def keys(kept: Kept) -> Counter[tuple[str, int]]:
    """How often each event came as a log record."""
    return Counter(
        (whose["kvtrace.process"], own["kvtrace.seq"])
        for whose, own, _ in kept.logs
        if "kvtrace.seq" in own
    )


def span_ids(kept: Kept) -> Counter[bytes]:
    return Counter(span.span_id for _, _, span in kept.spans)


def roots(kept: Kept) -> int:
    return sum(span.name == "kvtrace.transfer" for _, _, span in kept.spans)


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_what_engines_say_arrives_and_the_agent_ends_with_them(
    tmp_path: Path, protocol: str
) -> None:
    kept = Kept()
    engines = Engines(tmp_path)
    with grpc_sink(kept) if protocol == "grpc" else http_sink(kept) as port:
        environ = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
        }
        with agent(tmp_path, **environ) as started:
            engines.transfer("a")
            kept.wait(lambda: len(keys(kept)) == engines.events)
            kept.wait(lambda: roots(kept) == 2)
            engines.close()
            _, said = started.communicate(timeout=30)
    assert started.returncode == 0
    assert set(keys(kept).values()) == {1}
    assert len(keys(kept)) == engines.events
    assert set(span_ids(kept).values()) == {1}
    assert len(kept.named("kvtrace.ended")) == 2
    assert all(own["kvtrace.goodbye"] for _, own, _ in kept.named("kvtrace.ended"))
    assert "logs arrive at" in said
    assert "traces arrive at" in said


def test_an_agent_killed_at_any_moment_sends_no_span_twice_and_misses_no_event(
    tmp_path: Path,
) -> None:
    kept = Kept()
    engines = Engines(tmp_path)
    said = []
    with grpc_sink(kept) as port:
        where = ("--endpoint", f"http://127.0.0.1:{port}")
        for life in range(4):
            with agent(tmp_path, *where) as killed:
                for number in range(40):
                    engines.transfer(f"{life}-{number}")
                kept.wait(lambda life=life: len(keys(kept)) > 100 + life * 40 * 23)
                killed.kill()
                said.append(killed.communicate(timeout=30)[1])
        with agent(tmp_path, *where) as last:
            engines.close()
            said.append(last.communicate(timeout=30)[1])
    assert len(keys(kept)) == engines.events
    assert set(span_ids(kept).values()) == {1}
    doubtful = sum(map(int, re.findall(r"(\d+) spans? may not have arrived", "".join(said))))
    assert len(kept.spans) + doubtful >= 6 * 4 * 40


def test_a_second_agent_and_one_without_an_endpoint_do_not_start(tmp_path: Path) -> None:
    with agent(tmp_path, "--endpoint", "http://127.0.0.1:9") as first:
        until(lambda: (tmp_path / "agent.lock").exists())
        with agent(tmp_path, "--endpoint", "http://127.0.0.1:9") as second:
            _, said = second.communicate(timeout=30)
        assert (second.returncode, "another agent" in said) == (2, True)
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=30)
        assert first.returncode == 0
    for environ in ({}, {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "h:1"}):
        with agent(tmp_path, **environ) as third:
            _, said = third.communicate(timeout=30)
        assert third.returncode == 2
        assert len(said.splitlines()) == 1


def test_an_endpoint_that_is_down_for_a_while_gets_it_all_later(tmp_path: Path) -> None:
    kept = Kept()
    engines = Engines(tmp_path)
    with grpc_sink(kept) as port:
        pass
    with agent(tmp_path, "--endpoint", f"http://127.0.0.1:{port}") as started:
        for number in range(20):
            engines.transfer(str(number))
        assert started.stderr is not None
        assert "sends to" in started.stderr.readline()
        said = started.stderr.readline()
        assert "cannot be sent" in said
        assert "UNAVAILABLE" in said
        with grpc_sink(kept, port):
            kept.wait(lambda: len(keys(kept)) == engines.events and roots(kept) == 40)
            started.send_signal(signal.SIGINT)
            _, rest = started.communicate(timeout=30)
    assert started.returncode == 0
    assert set(span_ids(kept).values()) == {1}
    assert len(rest.splitlines()) <= 4
    engines.close()


def test_what_the_ring_lost_meanwhile_is_told(tmp_path: Path) -> None:
    kept = Kept()
    engines = Engines(tmp_path, Layout(ring_slots=2_000))
    with grpc_sink(kept) as port:
        pass
    with agent(tmp_path, "--endpoint", f"http://127.0.0.1:{port}") as started:
        engines.transfer("first")
        assert started.stderr is not None
        assert "sends to" in started.stderr.readline()
        started.stderr.readline()
        for number in range(1_600):
            engines.transfer(f"then {number}")
        with grpc_sink(kept, port):
            kept.wait(lambda: all_accounted_for(kept, engines), 20)
    engines.close()


def all_accounted_for(kept: Kept, engines: Engines) -> bool:
    lost = sum(own.get("kvtrace.overwritten", 0) for _, own, _ in kept.named("kvtrace.lost"))
    return lost > 0 and len(keys(kept)) + lost == engines.events


def test_what_is_refused_or_taken_in_part_is_counted_and_the_rest_arrives(tmp_path: Path) -> None:
    kept = Kept()
    kept.answers[LOGS] = [Refusal(grpc.StatusCode.UNAUTHENTICATED, "no token")]
    kept.answers[TRACES] = [partly(TRACES, 1, "one too old")]
    engines = Engines(tmp_path)
    engines.transfer("refused")
    refused = engines.events
    with (
        grpc_sink(kept) as port,
        agent(tmp_path, "--endpoint", f"http://127.0.0.1:{port}") as started,
    ):
        assert started.stderr is not None
        assert "sends to" in started.stderr.readline()
        said = [started.stderr.readline() for _ in range(2)]
        engines.transfer("taken")
        kept.wait(lambda: len(keys(kept)) == engines.events - refused)
        kept.wait(lambda: len(kept.named("kvtrace.lost")) == 1)
    assert any("refuses the logs (UNAUTHENTICATED: no token)" in one for one in said)
    assert any("only part of the traces (one too old): 1 lost" in one for one in said)
    assert kept.named("kvtrace.lost")[0][1]["kvtrace.refused"] >= refused
    engines.close()


def test_a_batch_too_large_is_sent_in_parts(tmp_path: Path) -> None:
    kept = Kept()
    too_large = Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "larger than max")
    kept.answers[LOGS] = [too_large, too_large]
    engines = Engines(tmp_path)
    for number in range(30):
        engines.transfer(str(number))
    with grpc_sink(kept) as port, agent(tmp_path, "--endpoint", f"http://127.0.0.1:{port}"):
        kept.wait(lambda: len(keys(kept)) == engines.events)
    engines.close()


def test_told_to_stop_it_sends_what_it_has_and_ends_soon(tmp_path: Path) -> None:
    kept = Kept()
    engines = Engines(tmp_path)
    with grpc_sink(kept) as port:
        with agent(tmp_path, "--endpoint", f"http://127.0.0.1:{port}") as started:
            engines.transfer("a")
            kept.wait(lambda: len(keys(kept)) == engines.events)
            engines.transfer("b")
            started.send_signal(signal.SIGTERM)
            started.communicate(timeout=10)
        assert started.returncode == 0
    engines.close()


def test_told_to_stop_while_the_endpoint_is_down_it_ends_all_the_same(tmp_path: Path) -> None:
    engines = Engines(tmp_path)
    engines.transfer("a")
    with agent(tmp_path, "--endpoint", "http://127.0.0.1:9") as started:
        assert started.stderr is not None
        assert "sends to" in started.stderr.readline()
        started.stderr.readline()
        started.send_signal(signal.SIGTERM)
        _, said = started.communicate(timeout=10)
    assert started.returncode == 0
    assert "not sent in time" in said
    engines.close()


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_told_to_stop_while_the_endpoint_says_nothing_it_ends_within_seconds(
    tmp_path: Path, protocol: str
) -> None:
    engines = Engines(tmp_path)
    engines.transfer("a")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = ("--endpoint", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with agent(tmp_path, *where, OTEL_EXPORTER_OTLP_PROTOCOL=protocol) as started:
            connection, _ = silent.accept()
            connection.recv(1, socket.MSG_PEEK)
            began = time.monotonic()
            started.send_signal(signal.SIGTERM)
            _, said = started.communicate(timeout=30)
            took = time.monotonic() - began
        connection.close()
    assert started.returncode == 0
    assert re.search(r"2\d log records.* not sent in time: the next agent", said)
    assert took < BOUNDED
    engines.close()


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_once_at_an_endpoint_that_never_answers_it_ends_within_seconds_and_says_so(
    tmp_path: Path, protocol: str
) -> None:
    engines = Engines(tmp_path)
    engines.transfer("a")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = ("--once", "--endpoint", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with agent(tmp_path, *where, OTEL_EXPORTER_OTLP_PROTOCOL=protocol) as started:
            connection, _ = silent.accept()
            connection.recv(1, socket.MSG_PEEK)
            began = time.monotonic()
            _, said = started.communicate(timeout=30)
            took = time.monotonic() - began
        connection.close()
    assert started.returncode == 2
    assert "cannot be sent" in said
    assert "it does not answer" in said
    assert "see that something takes OTLP at" in said
    assert took < BOUNDED
    engines.close()


def test_a_process_that_is_stopped_is_told_frozen_and_one_that_is_killed_ended(
    tmp_path: Path,
) -> None:
    kept = Kept()

    def states() -> set[str]:
        return {own["kvtrace.state"] for _, own, _ in kept.named("kvtrace.watched")}

    with (
        engine_process(tmp_path) as engine,
        grpc_sink(kept) as port,
        agent(tmp_path, "--endpoint", f"http://127.0.0.1:{port}") as started,
    ):
        kept.wait(lambda: states() == {"running"})
        engine.send_signal(signal.SIGSTOP)
        kept.wait(lambda: states() == {"running", "frozen"})
        engine.send_signal(signal.SIGKILL)
        started.communicate(timeout=30)
    told = [own["kvtrace.goodbye"] for _, own, _ in kept.named("kvtrace.ended")]
    assert told == [False, False]


def test_a_wait_that_lasts_is_told_as_a_span_while_it_lasts(tmp_path: Path) -> None:
    kept = Kept()
    engines = Engines(tmp_path)
    engines.tell("stuck", *PRODUCER_FIRST)
    with grpc_sink(kept) as port, agent(tmp_path, "--endpoint", f"http://127.0.0.1:{port}"):
        kept.wait(lambda: any(span.name == "kvtrace.stall" for _, _, span in kept.spans), 30)
    engines.close()


def test_a_disk_that_is_full_for_the_cursor_is_one_warning(tmp_path: Path) -> None:
    kept = Kept()
    engines = Engines(tmp_path)
    (tmp_path / "agent.cursor.new").mkdir()
    with (
        grpc_sink(kept) as port,
        agent(tmp_path, "--endpoint", f"http://127.0.0.1:{port}") as started,
    ):
        for number in range(5):
            engines.transfer(str(number))
        kept.wait(lambda: len(keys(kept)) == engines.events and roots(kept) == 10)
        started.send_signal(signal.SIGTERM)
        _, said = started.communicate(timeout=10)
    assert said.count("cannot be written") == 1
    engines.close()


def test_once_sends_what_is_there_and_ends(tmp_path: Path) -> None:
    kept = Kept()
    engines = Engines(tmp_path)
    engines.transfer("a")
    with grpc_sink(kept) as port:
        with agent(tmp_path, "--once", "--endpoint", f"http://127.0.0.1:{port}") as started:
            started.communicate(timeout=30)
        assert started.returncode == 0
    assert len(keys(kept)) == engines.events
    assert roots(kept) == 2
    engines.close()


def test_where_its_directory_is_taken_away_it_ends(tmp_path: Path) -> None:
    boxes = tmp_path / "boxes"
    boxes.mkdir()
    with agent(boxes, "--endpoint", "http://127.0.0.1:9") as started:
        until(lambda: (boxes / "agent.lock").exists())
        (boxes / "agent.lock").unlink()
        _, said = started.communicate(timeout=30)
    assert started.returncode == 0
    assert "is gone" in said


def test_ids_leave_only_as_hashes_where_that_is_asked_for(tmp_path: Path) -> None:
    kept = Kept()
    engines = Engines(tmp_path)
    engines.transfer("secret-name")
    with grpc_sink(kept) as port:
        where = ("--endpoint", f"http://127.0.0.1:{port}")
        with agent(tmp_path, "--once", *where, KVTRACE_HASH_IDS="key") as started:
            started.communicate(timeout=30)
    assert len(keys(kept)) == engines.events
    assert roots(kept) == 2
    assert not any(b"secret-name" in body for _, body in kept.bodies)
    engines.close()
