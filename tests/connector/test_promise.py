"""The promise to the host, for every method that we override, found by looking."""

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace as Thing
from typing import Any

import pytest
from kvtrace_connector.fuse import Bracket, Hook
from kvtrace_connector.half import Push, Sending, Write
from kvtrace_connector.hooks import subclass
from kvtrace_connector.nixl_proxy import NixlProxy
from kvtrace_connector.probe import Recorder
from kvtrace_connector.tracing import traced_connector, traced_scheduler, traced_worker

from kvtrace.events import Event
from tests.connector import host, host_worker
from tests.connector.pair import Tape, everything, output


class Broken(Tape):
    """A box that can no longer be written."""

    def record(self, event: Event, origin: int) -> None:
        raise OSError("no space left on device")


def refused() -> Tape:
    raise PermissionError("read-only file system")


REGISTRATION = {"request_id": "cmpl-1-bbbbbbbb", "decode_engine_id": "D", "remote_engine_id": "P"}
META = Thing(
    push_registrations={"cmpl-1-bbbbbbbb": REGISTRATION},
    push_finished_blocks={"cmpl-1-aaaaaaaa": host.BLOCKS},
    reqs_to_send={"cmpl-1-aaaaaaaa": 1.0},
    heartbeat_by_engine={"P": Thing(req_ids={"router-1"})},
)
SPEC = Thing(remote_rank=0, local_block_ids=host.BLOCKS, remote_block_ids=host.BLOCKS)
HANDLE = host_worker.Handle()

Call = tuple[tuple[Any, ...], dict[str, Any]]


def call(*args: Any, **kwargs: Any) -> Call:
    return args, kwargs


CALLS: dict[str, Call] = {
    "on_new_request": call(host.request("cmpl-1-bbbbbbbb", "P")),
    "get_num_new_matched_tokens": call(host.request("cmpl-1-bbbbbbbb", "P"), 0),
    "update_state_after_alloc": call(host.request("cmpl-1-bbbbbbbb", "P"), host.BLOCKS, 40),
    "build_connector_meta": call(None),
    "request_finished": call(host.request("cmpl-1-aaaaaaaa"), host.BLOCKS),
    "update_connector_output": call(output(finished_recving={"a"}, finished_sending={"b"})),
    "_nixl_handshake_listener": call({}, None, None, "10.0.0.1", 5600),
    "start_load_kv": call(META),
    "register_kv_caches": call({}),
    "get_transfer_results": call(),
    "_reap_expired_send_leases": call(set()),
    "_handle_heartbeat": call("router-1"),
    "_send_heartbeats": call(META),
    "_get_new_notifs": call(),
    "_log_failure": call("transfer_failed", req_id="a", error=ValueError("x"), remote_rank=1),
    "_send_registration_to_p": call("cmpl-1-bbbbbbbb", REGISTRATION),
    "_do_send_reg_notif": call("cmpl-1-bbbbbbbb", REGISTRATION),
    "_handle_push_reg_notif": call(b"PUSH_REG:\x81\xaarequest_id\xa1a"),
    "_pop_matching_registration": call("cmpl-1-aaaaaaaa"),
    "_pop_matching_finished_blocks": call("cmpl-1-bbbbbbbb"),
    "_do_start_push_kv": call("cmpl-1-aaaaaaaa", host.BLOCKS, REGISTRATION),
    "_xfer_blocks": call(read_spec=SPEC, dst_engine_id="D", request_id="a", remote_request_id="b"),
    "_ensure_handshake": call("D", "10.0.0.2", 5700, 1, notif_agents_only=True),
    "_nixl_handshake": call("10.0.0.2", 5700, 1, "D", 1, True),
    "add_remote_agent": call(b"metadata"),
    "bind_connector_metadata": call(META),
    "clear_connector_metadata": call(),
    "shutdown": call(),
    "send_notif": call("agent-D", notif_msg=b"PUSH_REG:"),
    "get_new_notifs": call(),
    "make_prepped_xfer": call("WRITE", 1, [1], 2, [1], notif_msg=b"a:1"),
    "transfer": call(HANDLE),
    "check_xfer_state": call(HANDLE),
    "get_xfer_telemetry": call(HANDLE),
    "release_xfer_handle": call(HANDLE),
}
"""A call for each override; a new one without a call here fails its test."""

ANSWERS: dict[str, Any] = {
    "build_connector_meta": META,
    "get_transfer_results": Thing(
        finished_sending={"a"}, finished_recving={"b"}, failed_recving={"b"}
    ),
    "get_num_new_matched_tokens": (40, True),
    "request_finished": (True, None),
    "_pop_matching_registration": REGISTRATION,
    "_pop_matching_finished_blocks": ("cmpl-1-aaaaaaaa", host.BLOCKS),
    "_nixl_handshake": ({(0, 0): "agent-D"}, 0.5),
    "get_new_notifs": {"agent-P": [b"cmpl-1-bbbbbbbb:1", b"PUSH_REG:", b"HB:x"]},
    "check_xfer_state": "ERR",
}


class Scripted:
    """A host's method: it notes how it was called, and answers or raises as told."""

    def __init__(self, answer: Any, error: BaseException | None) -> None:
        self.answer, self.error = answer, error
        self.calls: list[Call] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls.append((args, kwargs))
        if self.error is not None:
            raise self.error
        return self.answer


class Connector:
    """A stand-in for the connector that holds the halves."""

    def __init__(self, half: Any) -> None:
        self.connector_worker, self.connector_scheduler = half, None

    def bind_connector_metadata(self, metadata: Any) -> None: ...
    def clear_connector_metadata(self) -> None: ...
    def start_load_kv(self, forward_context: Any) -> None: ...
    def shutdown(self) -> None: ...


def build(place: str, recorder: Recorder, scripted: dict[str, Any]) -> Any:
    """A traced object, fresh from its host's `__init__`, whose host is partly scripted."""
    settings = host.config("D", "kv_both")
    if place == "scheduler":
        stock = type("Scheduler", (host.Scheduler,), scripted)
        return traced_scheduler(stock, recorder, everything)(settings, "D")
    agent = host_worker.Agent("agent-D", {})
    stock = type("Worker", (host_worker.Worker,), scripted if place == "worker" else {})
    rank = traced_worker(stock, recorder, everything)(settings, "D", agent)
    if place == "worker":
        return rank
    if place == "proxy":
        vars(agent).update(scripted)
        return rank.nixl_wrapper
    stock = type("Connector", (Connector,), scripted)
    return traced_connector(stock, recorder, everything, nullcontext)(rank)


def overrides(place: str) -> list[str]:
    """What we put around a host's object, found by looking."""
    made = NixlProxy if place == "proxy" else type(build(place, Recorder(Tape), {}))
    return [
        name
        for name, member in vars(made).items()
        if hasattr(member, "__get__") and not name.startswith("__")
    ]


def called(place: str, name: str, method: Scripted, box: Callable[[], Any]) -> Any:
    """What the host gets when it calls the method in the midst of a transfer."""
    scripted = {name: staticmethod(method) if name == STATIC else method}
    traced = build(place, Recorder(box), scripted)
    ready(place, traced)
    args, kwargs = CALLS[name]
    return getattr(traced, name)(*args, **kwargs)


def ready(place: str, traced: Any) -> None:
    """Put a host's object into the midst of a transfer, so that hooks have much to say."""
    half = getattr(traced, "_kvtrace", None)
    if half is None or place == "scheduler":
        return
    half.here.sending, half.here.push = Sending("a", "P"), Push("a")
    half.here.write = Write("a", "D", 0, "b", 3, 3)
    half.here.beats = {}
    half.writes[id(HANDLE)] = half.here.write
    half.landed["cmpl-1-bbbbbbbb"] = 1


STATIC = "_nixl_handshake_listener"
"""The one static method among them."""

PLACES = ("scheduler", "worker", "proxy", "connector")
EVERY = [(place, name) for place in PLACES for name in overrides(place)]
BOXES = {"fine": Tape, "broken": Broken, "refused": refused}


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize(("place", "name"), EVERY)
def test_the_host_gets_its_own_result_object(place: str, name: str, box: str) -> None:
    method = Scripted(ANSWERS.get(name, object()), None)
    assert called(place, name, method, BOXES[box]) is method.answer
    assert_called_once_with(method, CALLS[name])


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), StopIteration(3)])
@pytest.mark.parametrize(("place", "name"), EVERY)
def test_the_host_gets_its_own_exception_object(
    place: str, name: str, error: BaseException, box: str
) -> None:
    method = Scripted(None, error)
    with pytest.raises(type(error)) as raised:
        called(place, name, method, BOXES[box])
    assert raised.value is error
    assert_called_once_with(method, CALLS[name])


@pytest.mark.parametrize(("place", "name"), EVERY)
def test_no_hook_breaks_on_what_it_is_given(place: str, name: str) -> None:
    recorder = Recorder(Tape)
    method = Scripted(ANSWERS.get(name, object()), None)
    traced = build(place, recorder, {name: staticmethod(method) if name == STATIC else method})
    ready(place, traced)
    args, kwargs = CALLS[name]
    getattr(traced, name)(*args, **kwargs)
    assert not recorder.fuse.blown


def assert_called_once_with(method: Scripted, given: Call) -> None:
    ((args, kwargs),) = method.calls
    assert all(one is other for one, other in zip(args, given[0], strict=True))
    assert kwargs.keys() == given[1].keys()
    assert all(kwargs[key] is given[1][key] for key in kwargs)


def breaks_before(*_: Any, **__: Any) -> None:
    raise LookupError("ours")


def breaks_after(*_: Any, **__: Any) -> Bracket:
    yield None
    raise LookupError("ours")


def goes_on(*_: Any, **__: Any) -> Bracket:
    yield None
    yield None


@pytest.mark.parametrize("hook", [breaks_before, breaks_after, goes_on])
@pytest.mark.parametrize("error", [None, ValueError("no")])
def test_a_broken_hook_is_not_felt(hook: Hook, error: Exception | None) -> None:
    method = Scripted(object(), error)
    stock = type("Host", (), {"work": method, "_kvtrace": None})
    traced = subclass(stock, {"work": hook}, lambda made: None)()
    traced._kvtrace = Thing(fuse=Recorder(Tape).fuse)
    argument = object()
    if error is None:
        assert traced.work(argument, name=argument) is method.answer
    else:
        with pytest.raises(ValueError, match="no") as raised:
            traced.work(argument, name=argument)
        assert raised.value is error
    assert_called_once_with(method, call(argument, name=argument))
