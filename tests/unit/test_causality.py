"""Two hosts whose clocks differ, or drift: order and error."""

from collections.abc import Callable

import msgspec
import pytest

from kvtrace.causality import agreed
from kvtrace.clocks import Clocks
from kvtrace.model import Role
from kvtrace.snapshot import Snapshot
from kvtrace.timeline import Timeline, timeline
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WRITING,
)
from tests.unit.story import SECOND, Engine, Story

TRANSFERS = 120
STEP = 0.001


def told(number: int, events: tuple[object, ...]) -> list[object]:
    return [
        msgspec.structs.replace(
            event,
            **{
                name: getattr(event, name).replace("r1", f"n{number}")
                for name in ("request", "remote_request")
                if getattr(event, name, "")
            },
        )
        for event in events
    ]


def two_hosts(ahead: Callable[[float], float]) -> Snapshot:
    """A transfer a second; each message takes a millisecond, each step too."""
    story = Story()
    for number in range(TRANSFERS):
        at = float(number)
        for place, event in enumerate(
            told(number, CONSUMER_FIRST + PRODUCER_FIRST + WRITING + LANDING)
        ):
            now = at + place * STEP
            far = Engine(name="P0", role=Role.PRODUCER, clock="host-2", ahead=ahead(now))
            mine = event.role is Role.PRODUCER  # type: ignore[attr-defined]
            story.at(now, event, by=far if mine else None)  # type: ignore[arg-type]
    return story.at(TRANSFERS).snapshot


def timelines(snapshot: Snapshot) -> list[Timeline]:
    return [timeline(done.transfer, snapshot.clocks, snapshot.at) for done in snapshot.done]


SHIFTED = {
    "5 s behind": lambda at: -5.0,
    "40 ms ahead": lambda at: 0.04,
    "100 ppm fast": lambda at: -5.0 + 1e-4 * at,
    "200 ppm slow": lambda at: 0.04 - 2e-4 * at,
}


@pytest.mark.parametrize("how", SHIFTED)
def test_no_message_is_noticed_before_it_was_sent(how: str) -> None:
    found = timelines(two_hosts(SHIFTED[how]))
    assert len(found) == TRANSFERS
    for one in found:
        assert all(m.noticed is not None and m.sent <= m.noticed for m in one.messages)
        points = {point.kind: point.at for lane in one.lanes for point in lane.points}
        assert points["registration.sent"] <= points["registration.noticed"]
        assert points["write.posted"] <= points["notification.noticed"]


@pytest.mark.parametrize("how", ["5 s behind", "40 ms ahead"])
def test_the_error_that_is_stated_holds(how: str) -> None:
    snapshot = two_hosts(SHIFTED[how])
    offset = snapshot.clocks.offsets["host-2"]
    assert offset.error is not None
    assert abs(offset.ns + SHIFTED[how](0) * SECOND) <= offset.error < SECOND / 10


@pytest.mark.parametrize("how", ["100 ppm fast", "200 ppm slow"])
def test_a_clock_that_drifts_is_followed(how: str) -> None:
    snapshot = two_hosts(SHIFTED[how])
    offset = snapshot.clocks.offsets["host-2"]
    assert offset.error is not None
    assert abs(offset.ns + SHIFTED[how](TRANSFERS) * SECOND) < SECOND / 20


def test_clocks_that_agree_are_left_alone() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING, *LANDING)
    clocks = Clocks("host-1")
    assert agreed(story.done.transfer, clocks) is clocks
