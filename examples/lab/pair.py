"""One producer, one consumer and the router in front of them, as a single thing to use."""

import os
import signal
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from lab import ports
from lab.client import Ask, Completion, complete, random_prompt
from lab.engine import Engine
from lab.faults import CONNECTOR, Faults
from lab.knobs import Knobs
from lab.launch import HOST, Launch
from lab.legs import Peer
from lab.loop import Loop
from lab.routed import RouterLog
from lab.router import Router
from lab.run import Run


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a pair shall be like; a port of 0 is a free one."""

    tp_producer: int = 1
    tp_consumer: int = 1
    traced: bool = True
    router_port: int = 0
    producer_port: int = 0
    consumer_port: int = 0
    extra: dict[str, object] = msgspec.field(default_factory=dict)
    """`kv_connector_extra_config` of both engines."""
    env: dict[str, str] = msgspec.field(default_factory=dict)
    """Of both engines."""
    flags: tuple[str, ...] = ()
    """More words for both `vllm serve`."""
    consumer_env: dict[str, str] = msgspec.field(default_factory=dict)
    """Of the consumer alone."""
    consumer_flags: tuple[str, ...] = ()
    """More words for the consumer's `vllm serve`."""
    second_producer: bool = False
    """Whether there is a `P2`, which the router sends nothing to by itself."""
    faulty: bool = False
    """Whether all engines' NIXL agents can be told to go wrong, by `Engine.faults`."""


class Pair:
    """Two engines, started together and stopped together; their router runs in our process."""

    def __init__(self, run: Run, wish: Wish, loop: Loop) -> None:
        self.run_dir = run.boxes
        """Where the black boxes are: what `kvtrace live --dir` takes."""
        self.router_log = RouterLog(run.directory / "router.jsonl")
        self.router_file = run.directory / "router.jsonl"
        self.producer, self.consumer, *self.others = (
            Engine(launch, run) for launch in launches(run, wish)
        )
        self._port = ports.choose(wish.router_port, "--router-port")
        self.loop = loop
        """Where the router runs; one may run more there."""
        others = tuple(peer(one) for one in self.others)
        self.router = Router(peer(self.producer), peer(self.consumer), self.router_log, others)

    @property
    def engines(self) -> list[Engine]:
        """The producer, then the consumer, then the second producer, if there is one."""
        return [self.producer, self.consumer, *self.others]

    def replace(self, old: Engine) -> Engine:
        """Start an engine in the place of one that was stopped; the caller waits for it."""
        again = Engine(old.launch, old.run)
        if old is self.producer:
            self.producer = again
        elif old is self.consumer:
            self.consumer = again
        else:
            self.others = [again if one is old else one for one in self.others]
        again.start()
        return again

    @property
    def url(self) -> str:
        """The router's."""
        return f"http://{HOST}:{self._port}"

    def start(self) -> None:
        """Start both engines and the router, and do not wait for the engines."""
        self.loop.run(self.router.start(self._port))
        for engine in self.engines:
            engine.start()

    def stop(self) -> None:
        """End all of it."""
        for engine in self.engines:
            engine.begin_stop()
        self.loop.run(self.router.stop())
        for engine in self.engines:
            engine.stop()

    def freeze(self) -> None:
        """Stop all processes of both engines where they are, so that others have the cores."""
        for engine in self.engines:
            engine.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let frozen engines go on."""
        for engine in self.engines:
            engine.signal(signal.SIGCONT)

    def complete(
        self, prompt: list[int] | int, max_tokens: int = 8, request_id: str | None = None
    ) -> Completion:
        """Send one request through the router and wait; a number asks for a random prompt."""
        tokens = random_prompt(prompt) if isinstance(prompt, int) else prompt
        named = request_id or str(uuid.uuid4())
        return complete(self.url, Ask(prompt=tokens, max_tokens=max_tokens, request_id=named))

    def attempt(self, request_id: str, knobs: Knobs, prompt: int, patience: float) -> Completion:
        """Send one request that shall go wrong, as a client that gives up after so many seconds."""
        ask = Ask(
            prompt=random_prompt(prompt),
            max_tokens=8,
            request_id=request_id,
            headers=knobs.headers,
        )
        try:
            return complete(self.url, ask, patience)
        except TimeoutError:
            return Completion(status=0, request_id=request_id, tokens=(), error="gave up")


def launches(run: Run, wish: Wish) -> tuple[Launch, ...]:
    """Say what to start for a wish: engine P, engine D, and P2 where it is wished for."""
    free = ports.free()
    boxes: Path | None = run.boxes if wish.traced else None
    producer = Launch(
        engine_id="P",
        role="kv_producer",
        port=ports.choose(wish.producer_port, "--producer-port"),
        side_port=next(free),
        tp=wish.tp_producer,
        cores=cores(wish.tp_producer, sorted(os.sched_getaffinity(0))),
        boxes=boxes,
        extra=wish.extra,
        env=environment(run, wish, "P"),
        flags=wish.flags,
        module_path=CONNECTOR if wish.faulty else None,
    )
    consumer = msgspec.structs.replace(
        producer,
        engine_id="D",
        role="kv_consumer",
        port=ports.choose(wish.consumer_port, "--consumer-port"),
        side_port=next(free),
        tp=wish.tp_consumer,
        cores=cores(wish.tp_consumer, sorted(os.sched_getaffinity(0), reverse=True)),
        env={**environment(run, wish, "D"), **wish.consumer_env},
        flags=(*wish.flags, *wish.consumer_flags),
    )
    if not wish.second_producer:
        return producer, consumer
    second = msgspec.structs.replace(
        producer,
        engine_id="P2",
        port=ports.choose(0, "a second producer"),
        side_port=next(free),
        env=environment(run, wish, "P2"),
    )
    return producer, consumer, second


def environment(run: Run, wish: Wish, engine_id: str) -> dict[str, str]:
    """Say what an engine's environment shall have of a wish."""
    faults = Faults(run.faults(engine_id)).environment if wish.faulty else {}
    return {**faults, **wish.env}


@contextmanager
def started(run: Run, wish: Wish) -> Iterator[Pair]:
    """Start a pair, and end it with the block; the caller waits for its engines."""
    with Loop() as loop:
        pair = Pair(run, wish, loop)
        try:
            pair.start()
            yield pair
        finally:
            pair.stop()


def cores(ranks: int, usable: list[int]) -> tuple[int, ...]:
    """Give each rank a core, from the front of the usable ones and around again."""
    return tuple(usable[rank % len(usable)] for rank in range(ranks))


def peer(engine: Engine) -> Peer:
    """Say of an engine what the router must know."""
    launch = engine.launch
    return Peer(
        engine_id=launch.engine_id,
        url=engine.url,
        side_host=HOST,
        side_port=launch.side_port,
        tp=launch.tp,
    )
