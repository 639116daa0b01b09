"""The promise to the host, in whatever way a method is called and whatever it takes."""

from types import SimpleNamespace as Thing
from typing import Any

import pytest
from kvtrace_connector.fuse import After, Bracket, Hook
from kvtrace_connector.hooks import subclass
from kvtrace_connector.probe import Recorder

from tests.connector.pair import Tape
from tests.connector.test_promise import (
    Call,
    Scripted,
    breaks_after,
    breaks_before,
    call,
    goes_on,
)


class Signed:
    """A host whose methods take what vLLM's take: nothing, one argument, one and more, many."""

    def __init__(self, answer: Any, error: BaseException | None) -> None:
        self.scripted = Scripted(answer, error)

    def nothing(self) -> Any:
        return self.scripted()

    def one(self, first: Any) -> Any:
        return self.scripted(first)

    def maybe(self, first: Any = None) -> Any:
        return self.scripted(first)

    def one_and_more(self, first: Any, **more: Any) -> Any:
        return self.scripted(first, **more)

    def any_number(self, *args: Any, **more: Any) -> Any:
        return self.scripted(*args, **more)

    def many(self, first: Any, second: Any = 2) -> Any:
        return self.scripted(first, second)


def looks_before(half: Any, host: Any, *args: Any, **named: Any) -> None: ...


def looks_twice(half: Any, host: Any, *args: Any, **named: Any) -> Bracket:
    yield None


def breaks_after_it(*_: Any, **__: Any) -> None:
    raise LookupError("ours")


def gives_up(half: Any, host: Any, *args: Any, **named: Any) -> Bracket:
    if args is None:
        yield None


EACH_HOOK = (
    *(looks_before, looks_twice, gives_up, breaks_before, breaks_after, goes_on),
    *(After(looks_before), After(looks_before, looks_before)),
    *(After(breaks_after_it), After(breaks_after_it, breaks_after_it)),
)
GIVEN = object()
WAYS: list[tuple[str, Call]] = [
    ("nothing", call()),
    ("one", call(GIVEN)),
    ("one", call(first=GIVEN)),
    ("maybe", call()),
    ("maybe", call(GIVEN)),
    ("one_and_more", call(GIVEN)),
    ("one_and_more", call(GIVEN, more=GIVEN)),
    ("one_and_more", call(GIVEN, one=GIVEN)),
    ("one_and_more", call(GIVEN, half=GIVEN)),
    ("one_and_more", call(GIVEN, stock=GIVEN)),
    ("one_and_more", call(first=GIVEN)),
    ("any_number", call()),
    ("any_number", call(GIVEN, GIVEN, more=GIVEN)),
    ("many", call(GIVEN)),
    ("many", call(GIVEN, GIVEN)),
    ("many", call(second=GIVEN, first=GIVEN)),
    ("nothing", call(GIVEN)),
    ("one", call()),
    ("one", call(GIVEN, GIVEN)),
    ("one", call(second=GIVEN)),
    ("one_and_more", call(GIVEN, first=GIVEN)),
]
"""How a method is called; at the end, how it must not be."""


def outcome(host: Any, name: str, given: Call) -> tuple[Any, Any, list[Call]]:
    """What a call gives, what it raises, and how the host's own code was called."""
    args, kwargs = given
    try:
        return getattr(host, name)(*args, **kwargs), None, host.scripted.calls
    except (TypeError, ValueError, StopIteration) as error:
        return None, error if error is host.scripted.error else type(error), host.scripted.calls


@pytest.mark.parametrize("tracing", ["on", "blown", "not attached"])
@pytest.mark.parametrize("hook", EACH_HOOK)
@pytest.mark.parametrize("error", [None, ValueError("no"), StopIteration(3)])
@pytest.mark.parametrize(("name", "given"), WAYS)
def test_a_method_is_what_it_was_in_whatever_way_it_is_called(
    name: str, given: Call, error: Exception | None, hook: Hook | After, tracing: str
) -> None:
    answer = object()
    traced = subclass(Signed, {name: hook}, lambda made: None)(answer, error)
    if tracing != "not attached":
        traced._kvtrace = Thing(fuse=Recorder(Tape).fuse)
        traced._kvtrace.fuse.blown = tracing == "blown"
    assert outcome(traced, name, given) == outcome(Signed(answer, error), name, given)
