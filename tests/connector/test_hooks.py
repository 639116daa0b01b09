import gc
import inspect
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace as Thing
from typing import Any

from kvtrace_connector.fuse import Bracket, Fuse, Outcome
from kvtrace_connector.hooks import subclass


class Host:
    """What is said of it stays said."""

    def __init__(self, config: Any, *, kv_cache_config: Any = None) -> None:
        self.config = config

    def work(self, one: int, two: int = 2) -> Any:
        return (one, two)

    @staticmethod
    def listen(port: int) -> int:
        return port


class Anything:
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args, kwargs


def both_sides(half: Any, host: Any, *args: Any, **kwargs: Any) -> Bracket:
    half.seen.append(("before", args))
    yield (outcome := Outcome())
    half.seen.append(("after", outcome.result))


def attach(host: Any) -> None:
    host._kvtrace = Thing(fuse=Fuse(lambda words: None), seen=[])


Traced = subclass(Host, {"work": both_sides, "listen": both_sides, "gone": both_sides}, attach)


def test_a_hook_looks_on_both_sides_of_a_call() -> None:
    host = Traced(None)
    assert host.work(1, two=5) == (1, 5)
    assert host._kvtrace.seen == [("before", (1,)), ("after", (1, 5))]


def test_methods_that_the_host_does_not_have_are_passed_over() -> None:
    assert not hasattr(Traced, "gone")


def test_the_constructor_looks_as_the_hosts_own() -> None:
    assert inspect.signature(Traced.__init__) == inspect.signature(Host.__init__)
    assert Traced.__name__ == "Host"


def test_without_what_we_know_of_it_a_host_is_plain() -> None:
    host = Traced(None)
    host._kvtrace = None
    assert host.work(1) == (1, 2)
    assert host.listen(3) == 3


def test_what_is_no_plain_function_still_decides_what_it_makes_of_its_object() -> None:
    class Other(Host): ...

    Other.work = Anything()  # type: ignore[method-assign,assignment]
    host = subclass(Other, {"work": both_sides}, attach)(None)
    assert host.work(1, two=3) == ((1,), {"two": 3})


def test_a_static_method_is_watched_through_an_object_and_plain_through_the_class() -> None:
    host = Traced(None)
    assert host.listen(3) == Traced.listen(4) - 1
    assert host._kvtrace.seen == [("before", (3,)), ("after", 3)]


def test_a_static_method_at_work_does_not_keep_its_object() -> None:
    host = Traced(None)
    listen, gone = host.listen, weakref.ref(host)
    del host
    gc.collect()
    assert gone() is None
    assert listen(1) == 1


def test_arguments_and_results_are_not_kept() -> None:
    class Payload: ...

    host, payload = subclass(Host, {"work": lambda *_: None}, attach)(None), Payload()
    gone = weakref.ref(payload)
    host.work(payload)
    del payload
    assert gone() is None


def test_building_is_surrounded_and_let_go_also_where_it_fails() -> None:
    seen: list[str] = []

    @contextmanager
    def building() -> Iterator[None]:
        seen.append("in")
        try:
            yield
        finally:
            seen.append("out")

    class Failing:
        def __init__(self) -> None:
            raise ValueError

    try:
        subclass(Failing, {}, lambda host: seen.append("attached"), building)()
    except ValueError:
        seen.append("raised")
    assert seen == ["in", "out", "raised"]
