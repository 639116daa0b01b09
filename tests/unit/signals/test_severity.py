"""How much each event matters."""

import pytest

from kvtrace.events import AnyEvent, kind
from kvtrace.moments import Ended, Lost, Watched
from kvtrace.signals.severity import DEBUG, ERROR, INFO, TEXT, WARN, severity, severity_of_other
from tests.unit import samples


@pytest.mark.parametrize("event", samples.SAMPLES, ids=kind)
def test_every_event_has_a_severity_with_a_name(event: AnyEvent) -> None:
    assert severity(event) in TEXT


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (samples.registration_sent(), INFO),
        (samples.step_sampled(), DEBUG),
        (samples.heartbeat_sent(), DEBUG),
        (samples.heartbeat_sent(failed=1), WARN),
        (samples.lease_expired(), WARN),
        (samples.request_finished(parked=True), WARN),
        (samples.write_failed(), ERROR),
        (samples.write_started(outcome="raised"), ERROR),
        (samples.write_started(outcome="deferred"), INFO),
        (samples.receive_reported(failed=True), ERROR),
        (samples.receive_reported(), INFO),
    ],
)
def test_what_fails_is_an_error_and_what_is_given_up_a_warning(
    event: AnyEvent, expected: int
) -> None:
    assert severity(event) == expected


def test_a_goodbye_is_no_cause_for_worry() -> None:
    assert severity_of_other(Ended(process="a", goodbye=True)) == INFO
    assert severity_of_other(Ended(process="a", goodbye=False)) == WARN
    assert severity_of_other(Watched(process="a", state="running")) == DEBUG
    assert severity_of_other(Watched(process="a", state="frozen")) == WARN
    assert severity_of_other(Lost(unknown=1)) == WARN
