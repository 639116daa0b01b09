"""What a client is told when it is turned away."""

import pytest

from kvtrace.sources.otlp.quiet import grpc
from kvtrace.sources.otlp.refusal import NotTakenError, Reason, RefusedError

CODES = {code.value[0]: code for code in grpc.StatusCode}


@pytest.mark.parametrize(
    ("reason", "code", "status"),
    [
        (Reason.MALFORMED, "INVALID_ARGUMENT", 400),
        (Reason.UNAUTHENTICATED, "UNAUTHENTICATED", 401),
        (Reason.NOT_FOUND, "UNIMPLEMENTED", 404),
        (Reason.TOO_LARGE, "RESOURCE_EXHAUSTED", 413),
        (Reason.FULL, "RESOURCE_EXHAUSTED", 429),
        (Reason.SLOW, "DEADLINE_EXCEEDED", 408),
        (Reason.BACKEND, "UNAVAILABLE", 503),
    ],
)
def test_each_reason_has_the_status_that_otlp_gives_it(
    reason: Reason, code: str, status: int
) -> None:
    refused = RefusedError(reason, "because")
    assert (CODES[refused.grpc].name, refused.http) == (code, status)


def test_reasons_that_are_told_alike_are_still_apart() -> None:
    assert len({reason.said for reason in Reason}) == len(list(Reason)) > 10


def test_what_a_backend_refuses_for_good_is_not_sent_again() -> None:
    assert (NotTakenError("down").again, NotTakenError("down").http) == (True, 503)
    bad = NotTakenError("bad", 3)
    assert (bad.again, bad.http, bad.grpc) == (False, 400, 3)
    assert not NotTakenError("too much", 8).again
    assert NotTakenError("busy", 8, again=True).again


def test_asking_for_what_there_is_not_loses_nothing() -> None:
    assert not Reason.NOT_FOUND.loses
    assert Reason.FULL.loses
