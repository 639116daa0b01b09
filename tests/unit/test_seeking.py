from datetime import UTC

import pytest

from kvtrace.seeking import (
    By,
    Named,
    Position,
    Share,
    Span,
    Target,
    TimeOfDay,
    found,
    target,
)
from tests.unit.moments import SECOND, WALL

HOUR = 3_600 * SECOND
SPAN = Span(started_at=WALL + 23 * HOUR, length=2 * HOUR, here=HOUR, zone=UTC)
"""From 23:00 to 01:00 of the next day."""


def nowhere(text: str) -> int | None:
    return 7 if text == "cmpl-1" else None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1m30s", Position(90 * SECOND)),
        ("0s", Position(0)),
        ("250ms", Position(SECOND // 4)),
        ("+5s", By(5 * SECOND)),
        ("-1h", By(-HOUR)),
        ("50%", Share(0.5)),
        ("12:03", TimeOfDay(12 * HOUR + 180 * SECOND)),
        ("12:03:41.5Z", TimeOfDay(12 * HOUR + 221 * SECOND + SECOND // 2, utc=True)),
        ("cmpl-1", Named("cmpl-1")),
    ],
)
def test_a_place_is_meant_as_one_writes_it(text: str, meant: Target) -> None:
    assert target(text) == meant


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("90s", 90 * SECOND),
        ("+30m", HOUR + HOUR // 2),
        ("+9h", 2 * HOUR),
        ("-9h", 0),
        ("25%", HOUR // 2),
        ("23:10", HOUR // 6),
        ("00:30:00", HOUR + HOUR // 2),
        ("00:30Z", HOUR + HOUR // 2),
        ("cmpl-1", 7),
    ],
)
def test_a_place_is_found_in_what_the_recording_covers(text: str, position: int) -> None:
    assert found(target(text), SPAN, nowhere) == position


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3h", "the recording is only 2h 00m long"),
        ("120%", "a share is 0% to 100%"),
        ("12:00", "it is not in the recording, which goes from 23:00:00 to 01:00:00"),
        ("25:00", "a time of day is 00:00:00 to 23:59:59"),
        ("cmpl-2", "no transfer has 'cmpl-2' in its id"),
        ("", "no transfer has '' in its id"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(text: str, said: str) -> None:
    assert found(target(text), SPAN, nowhere) == said


def test_without_a_length_there_is_no_share_but_any_time() -> None:
    span = Span(started_at=0, length=None)
    assert "not known" in str(found(Share(0.5), span, nowhere))
    assert "not known" in str(found(TimeOfDay(0), span, nowhere))
    assert found(By(SECOND), span, nowhere) == SECOND
    assert found(Position(9 * HOUR), span, nowhere) == 9 * HOUR
