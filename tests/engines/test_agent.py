"""The agent that real engines launch: what it sends, what it survives, and how it ends."""

import os
import random
import signal
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

import psutil
import pytest
from lab.client import Ask, complete
from lab.model import VOCABULARY
from lab.pair import Pair

from kvtrace.moments import Record
from kvtrace.sources.run_directory import read_once
from tests.integration.sink import Kept, grpc_sink

MARKER = "aardvark-in-a-header"
TOKENS = [random.Random(20261202).randrange(128, VOCABULARY) for _ in range(200)]


class Scene:
    """A pair of engines that send to an endpoint of the test's own."""

    def __init__(self, pair: Pair, kept: Kept) -> None:
        self.pair = pair
        self.kept = kept

    @property
    def agents(self) -> list[int]:
        """The pids of the agents of this pair's black boxes."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                words = process.cmdline()
                if "--launched" in words and str(self.pair.run_dir) in words:
                    found.append(process.pid)
        return found

    @property
    def sent(self) -> Counter[tuple[str, int]]:
        """How often each event came as a log record."""
        return Counter(
            (whose["kvtrace.process"], own["kvtrace.seq"])
            for whose, own, _ in self.kept.logs
            if "kvtrace.seq" in own
        )

    @property
    def told(self) -> set[tuple[str, int]]:
        """All events that the engines' black boxes hold."""
        moments = read_once(self.pair.run_dir)
        records = (it.news for it in moments if isinstance(it.news, Record))
        return {(record.process, record.seq) for record in records}

    def spans(self, name: str, request: str = "") -> list[object]:
        """The spans of that name, and of that request."""
        return [
            span
            for _, own, span in self.kept.spans
            if span.name == name and request in str(own.get("kvtrace.join", ""))
        ]


@pytest.fixture(scope="module")
def scene(pairs) -> Iterator[Scene]:  # type: ignore[no-untyped-def]
    kept = Kept()
    with grpc_sink(kept) as port:
        where = f"http://127.0.0.1:{port}"
        environ = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": where,
            "OTEL_EXPORTER_OTLP_TRACES_INSECURE": "true",
        }
        with pairs(env=environ, flags=("--otlp-traces-endpoint", where)) as pair:
            yield Scene(pair, kept)


def until(met: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.1)


def ask(scene: Scene, **headers: str) -> str:
    request = f"agent-{uuid.uuid4()}"
    asked = Ask(prompt=TOKENS, max_tokens=4, request_id=request, headers=headers)
    assert complete(scene.pair.url, asked).answered
    return request


def test_events_and_spans_of_real_requests_arrive(scene: Scene) -> None:
    requests = [ask(scene) for _ in range(3)]
    for request in requests:
        until(lambda request=request: len(scene.spans("kvtrace.transfer", request)) == 2)
    until(lambda: scene.told <= scene.sent.keys())
    for name in ("registration", "readiness", "write", "completion"):
        assert scene.spans(f"kvtrace.{name}", requests[-1])


def test_there_is_one_agent_and_no_engine_is_its_ancestor(scene: Scene) -> None:
    (agent,) = scene.agents
    process = psutil.Process(agent)
    engines = {pid for engine in scene.pair.engines for pid in engine.pids.values()}
    assert engines.isdisjoint(ancestor.pid for ancestor in process.parents())
    assert os.getsid(agent) not in {os.getsid(pid) for pid in engines}
    assert len(process.cpu_affinity()) == os.cpu_count()
    assert process.nice() == 10


def test_no_prompt_token_or_header_leaves(scene: Scene) -> None:
    request = ask(scene, **{"X-Marker": MARKER})
    until(lambda: len(scene.spans("kvtrace.transfer", request)) == 2)
    until(lambda: scene.told <= scene.sent.keys())
    everything = b"".join(body for _, body in scene.kept.bodies)
    assert MARKER.encode() not in everything
    for start in range(0, len(TOKENS) - 4, 4):
        some = TOKENS[start : start + 4]
        for joint in (", ", ",", " "):
            assert joint.join(map(str, some)).encode() not in everything
        assert bytes_of(some) not in everything


def bytes_of(tokens: list[int]) -> bytes:
    """As protobuf packs numbers of two bytes."""
    return b"".join(bytes((token & 127 | 128, token >> 7)) for token in tokens)


def test_vllms_own_spans_and_ours_share_the_trace_that_the_router_began(scene: Scene) -> None:
    request = ask(scene)
    until(lambda: len(scene.spans("kvtrace.transfer", request)) == 2)
    trace = bytes.fromhex(scene.pair.router_log.find(request).trace_id)

    def of_trace(ours: bool) -> list[str]:
        every = (span for _, _, span in scene.kept.spans if span.trace_id == trace)
        return [span.name for span in every if span.name.startswith("kvtrace.") is ours]

    until(lambda: of_trace(ours=False))
    assert of_trace(ours=True).count("kvtrace.transfer") == 2


def test_a_killed_agent_is_replaced_and_sends_no_span_twice_and_misses_no_event(
    scene: Scene,
) -> None:
    (before,) = scene.agents
    requests = [ask(scene) for _ in range(3)]
    os.kill(before, signal.SIGKILL)
    requests += [ask(scene) for _ in range(3)]
    until(lambda: scene.agents and scene.agents != [before], 20)
    requests += [ask(scene) for _ in range(3)]
    until(lambda: len(scene.spans("kvtrace.transfer", requests[-1])) == 2)
    until(lambda: scene.told <= scene.sent.keys())
    ours = [span for _, _, span in scene.kept.spans if span.name.startswith("kvtrace.")]
    assert set(Counter(span.span_id for span in ours).values()) == {1}


def test_a_frozen_engine_is_told_frozen(scene: Scene) -> None:
    core = scene.pair.consumer.pids["core"]

    def states() -> list[str]:
        watched = scene.kept.named("kvtrace.watched")
        return [own["kvtrace.state"] for whose, own, _ in watched if whose["process.pid"] == core]

    scene.pair.consumer.signal(signal.SIGSTOP)
    try:
        until(lambda: states()[-1:] == ["frozen"], 20)
    finally:
        scene.pair.consumer.signal(signal.SIGCONT)
    until(lambda: states()[-1:] == ["running"], 20)


def test_engines_that_end_are_told_ended_and_their_agent_is_gone(scene: Scene) -> None:
    processes = {process for process, _ in scene.told}
    for engine in scene.pair.engines:
        engine.begin_stop()
    for engine in scene.pair.engines:
        engine.stop()
    until(lambda: not scene.agents)
    ended = {own["kvtrace.process"] for _, own, _ in scene.kept.named("kvtrace.ended")}
    assert ended == processes
    assert scene.told <= scene.sent.keys()
