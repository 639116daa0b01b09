"""The vocabulary: every event has its name, its sample, and its place."""

import json
from pathlib import Path

from kvtrace.events import (
    AnyEvent,
    BlocksReady,
    LeaseExpired,
    ProcessStarted,
    RequestFinished,
    RequestResumed,
    closes,
    kind,
)
from kvtrace.model import Role
from kvtrace.wire import KINDS
from tests.unit import samples


def test_every_event_has_a_sample_and_a_builder() -> None:
    assert {kind(event) for event in samples.SAMPLES} == set(KINDS)
    for name in KINDS:
        assert kind(getattr(samples, name.replace(".", "_"))()) == name


def test_a_name_is_a_subject_and_what_became_of_it() -> None:
    for name in KINDS:
        subject, _, became = name.partition(".")
        assert subject.isalpha()
        assert became.replace("_", "").isalpha()


def test_names_are_not_shared() -> None:
    assert len(KINDS) == len(AnyEvent.__args__)


def test_only_what_a_scheduler_says_is_without_a_rank() -> None:
    scheduler = {name for name, cls in KINDS.items() if cls.scheduler}
    assert {"request.admitted", "blocks.ready", "listener.died"} <= scheduler
    assert not {"registration.sent", "write.posted", "process.started"} & scheduler


def test_each_side_has_events_that_open_and_events_that_close_a_half() -> None:
    for role in Role:
        mine = [event for event in samples.SAMPLES if event.role is role]
        assert any(event.opens for event in mine)
        assert any(closes(event) for event in mine)


def test_nothing_closes_a_half_that_is_still_waited_for() -> None:
    assert not closes(RequestFinished(parked=True))
    assert not closes(BlocksReady(held=True))
    assert not closes(LeaseExpired(writes=1))
    assert not closes(ProcessStarted())
    assert closes(RequestResumed())
    assert closes(RequestFinished())
    assert closes(BlocksReady(held=False))


def test_fields_are_only_added_at_the_end() -> None:
    """What version 0.1.0 wrote has to stay readable; this file is never changed but by adding."""
    kept = json.loads(Path(__file__).with_name("vocabulary_1.json").read_text())
    for name, fields in kept.items():
        assert KINDS[name].__struct_fields__[: len(fields)] == tuple(fields), name


def test_every_field_has_a_default() -> None:
    for cls in KINDS.values():
        assert cls() == cls()
