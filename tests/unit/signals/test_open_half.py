"""A half while its spans are still to be made."""

from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.signals.closing import Gone
from kvtrace.signals.ids import derived
from kvtrace.signals.open_half import MOST_RECORDS, OpenHalf, begin
from tests.unit import samples
from tests.unit.story import Story


def half_with(story: Story, role: Role = Role.CONSUMER) -> OpenHalf:
    half = begin(("E", role, "r1-bbbbbbbb"), seen=3)
    for moment in story.moments:
        assert isinstance(moment.news, Record)
        half.add(moment.news, moment.at)
    return half


def test_a_record_is_taken_in_once() -> None:
    story = Story().at(1, samples.registration_sent())
    half = half_with(story)
    record = story.moments[0].news
    assert isinstance(record, Record)
    assert half.add(record, 99)
    assert list(half.records.values()) == [(record, story.moments[0].at)]


def test_it_is_open_when_something_was_told_that_can_begin_a_half() -> None:
    assert not half_with(Story().at(1, samples.registration_sent())).opened
    assert half_with(Story().at(1, samples.registration_queued())).opened


def test_its_trace_is_derived_until_the_admission_names_another() -> None:
    assert half_with(Story().at(1, samples.registration_queued())).context[0] == (
        derived("r1").trace_id
    )
    trace = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
    half = half_with(Story().at(1, samples.request_admitted(trace=trace)))
    assert half.context[0].hex() == "a" * 32


def test_a_producer_learns_its_consumer_s_id_by_the_match() -> None:
    half = half_with(Story().at(1, samples.match_made()), Role.PRODUCER)
    assert half.consumers == {samples.D_REQUEST}


def test_there_is_room_for_so_many_records() -> None:
    story = Story()
    for number in range(MOST_RECORDS + 1):
        story.at(1, samples.registration_sent(ordinal=number))
    half = half_with(story)
    record = story.moments[-1].news
    assert isinstance(record, Record)
    assert not half.add(record, 1)
    assert len(half.records) == MOST_RECORDS


def test_it_is_ripe_when_a_phase_can_be_whole_or_the_half_over() -> None:
    assert not half_with(Story().at(1, *samples.CONSUMER_FIRST[:-1])).ripe
    assert half_with(Story().at(1, samples.registration_sent())).ripe
    assert not half_with(Story().at(1, *samples.PRODUCER_FIRST), Role.PRODUCER).ripe
    assert half_with(Story().at(1, samples.request_resumed())).ripe


def test_it_is_ripe_when_a_process_is_gone() -> None:
    half = half_with(Story().at(1, samples.registration_queued()))
    half.lose(Gone("D0/0", False, 1 << 40))
    assert half.ripe
    assert half.touched == 1 << 40
