"""The traced connector with vLLM's own classes and real NIXL agents, without engines."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace as Thing
from typing import Any

import pytest

from kvtrace.moments import Record
from kvtrace.sources.black_box import BlackBoxReader
from kvtrace.wire import kind

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    pytest.importorskip("vllm", reason="vLLM is not installed here")
    directory = tmp_path_factory.mktemp("boxes")
    before = dict(os.environ)
    os.environ.update(KVTRACE_DIR=str(directory), VLLM_CPU_KVCACHE_SPACE="1")
    yield directory
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def pair(boxes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from kvtrace_connector.connector import NixlPushConnector

    from tests.connector.vllm_pair import Pair

    made = Pair(NixlPushConnector, tmp_path_factory.mktemp("model"))
    yield made
    made.shutdown()


def told(boxes: Path) -> list[Record]:
    (path,) = boxes.glob("*.kvbox")
    return [news for news in BlackBoxReader(path).poll() if isinstance(news, Record)]


def kinds(records: list[Record], engine: str, request: str) -> list[str]:
    return sorted(
        kind(one.event)
        for one in records
        if one.engine == engine
        and request in (one.event.request, getattr(one.event, "remote_request", ""))
        and not kind(one.event).startswith("handshake")
    )


def test_both_halves_in_one_process_push_the_kv_and_tell_of_it(pair: Any, boxes: Path) -> None:
    first = next(iter(pair.producer.memory))
    pair.producer.memory[first][1:5] = 3
    pair.push(0)
    assert bool((pair.consumer.memory[first][1:5] == 3).all())
    pair.push(1)
    records = told(boxes)
    assert kinds(records, "D", "cmpl-r1-bbbbbbbb") == sorted(
        [
            *("request.admitted", "load.decided", "registration.staged"),
            *("registration.shipped", "registration.queued", "registration.sent"),
            *("notification.noticed", "completion.counted", "receive.reported"),
            *("receive.finished", "request.resumed", "request.finished"),
        ]
    )
    missed = {"match.missed"}
    assert set(kinds(records, "P", "cmpl-r1-aaaaaaaa")) - missed == {
        *("prefill.admitted", "blocks.ready", "blocks.shipped", "blocks.queued"),
        *("lease.granted", "match.made", "write.posted", "write.started"),
        *("write.finished", "send.reported", "blocks.released"),
    }


def test_each_write_tells_its_bytes(pair: Any, boxes: Path) -> None:
    pair.push(2, blocks=8)
    finished = [one.event for one in told(boxes) if kind(one.event) == "write.finished"]
    blocks, heads, tokens, head = 8, 4, 32, 32
    assert finished[-1].size == blocks * heads * tokens * 2 * head * 2 * len(pair.producer.memory)


def test_handshakes_tell_the_peers_clock(pair: Any, boxes: Path) -> None:
    done = [one.event for one in told(boxes) if kind(one.event) == "handshake.finished"]
    assert {event.side for event in done} == {"D", "P"}
    for event in done:
        # One process has one clock, so that what is told is the error, and we bound it.
        assert abs(event.clock_offset) <= event.round_trip / 2


def test_nothing_of_ours_failed(pair: Any, boxes: Path) -> None:
    names = {kind(one.event) for one in told(boxes)}
    assert not names & {"tracing.stopped", "writer.failed", "failure.logged"}


def test_the_agent_in_use_is_the_hosts_behind_our_proxy(pair: Any) -> None:
    worker = pair.producer.worker.connector_worker
    assert type(worker.nixl_wrapper).__name__ == "NixlProxy"
    assert worker.nixl_wrapper.name == worker.nixl_wrapper._agent.name


def test_vllm_builds_its_own_halves_again_afterwards(pair: Any) -> None:
    from vllm.distributed.kv_transfer.kv_connector.v1.nixl import connector, push_worker

    assert connector.NixlPushConnectorWorker is push_worker.NixlPushConnectorWorker


def test_a_child_of_a_multi_connector_is_traced(pair: Any, boxes: Path, tmp_path: Path) -> None:
    from vllm.distributed.kv_transfer.kv_connector.v1 import KVConnectorRole
    from vllm.distributed.kv_transfer.kv_connector.v1.multi_connector import MultiConnector

    from tests.connector.vllm_pair import cache, request, settings

    config = settings("M", "kv_consumer", tmp_path)
    child = {
        "kv_connector": "NixlPushConnector",
        "kv_connector_module_path": "kvtrace_connector.connector",
        "kv_role": "kv_consumer",
        "kv_buffer_device": "cpu",
    }
    config.kv_transfer_config.kv_connector = "MultiConnector"
    config.kv_transfer_config.kv_connector_extra_config = {"connectors": [child]}
    multi = MultiConnector(config, KVConnectorRole.SCHEDULER, cache()[0])
    waiting = request("cmpl-m-bbbbbbbb", pair._remote(9), 128)
    multi.on_new_request(waiting)
    multi.get_num_new_matched_tokens(waiting, 0)
    blocks = Thing(
        get_unhashed_block_ids_all_groups=lambda: ([1],), new_empty=lambda: None, blocks=()
    )
    multi.update_state_after_alloc(waiting, blocks, 128)
    multi.build_connector_meta(Thing())
    multi.request_finished_all_groups(waiting, ([1],))
    multi.shutdown()
    assert "registration.shipped" in kinds(told(boxes), "M", "cmpl-m-bbbbbbbb")
