"""The form of a recording."""

import json

import msgspec
import pytest
from hypothesis import given, settings

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.moments import Ended, Lost, Moment, Watched
from kvtrace.recording import SPEAKERS, Envelope, Header, Reader, Scribe, header_line, header_of
from kvtrace.wire import KINDS
from tests.unit.moments import SECOND, START, event_of, moment, record, streams

HEADER = Header(kvtrace=1, version="0.1.0", started_at=1, monotonic=START, clock="boot")


def written(*moments: Moment) -> list[bytes]:
    scribe = Scribe(HEADER)
    return b"".join(scribe.lines(one) for one in moments).splitlines(keepends=True)


def read(lines: list[bytes]) -> list[Moment]:
    reader, found = Reader(HEADER), []
    for line in lines:
        one = reader.moment(line)
        assert reader.event(line) in (None, one)
        found.append(one)
    return [one for one in found if one is not None]


def test_the_header_comes_back() -> None:
    assert header_of(header_line(HEADER)) == HEADER


def test_what_is_no_header_is_refused() -> None:
    for line in (b"", b"[]", b"{}x", b"\xff", b'{"kvtrace":"1"}', b"[" * 10_000):
        with pytest.raises(WireError):
            header_of(line)


@settings(deadline=None)
@given(streams())
def test_everything_that_arrives_comes_back_when_it_arrived(stream: list[Moment]) -> None:
    kept = [one for one in stream if one.news is not None]
    assert [one for one in read(written(*stream)) if one.news is not None] == kept


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_event_comes_back(kind: str) -> None:
    @settings(max_examples=10, deadline=None)
    @given(event_of(KINDS[kind]))
    def comes_back(event: object) -> None:
        one = moment(1, record(event))  # type: ignore[arg-type]
        assert read(written(one)) == [one]

    comes_back()


def test_no_event_has_an_attribute_that_the_envelope_needs() -> None:
    taken = set(Envelope.__struct_fields__)
    assert not {kind for kind, cls in KINDS.items() if taken & set(cls.__struct_fields__)}


def test_silence_is_kept_once_a_second() -> None:
    silent = [moment(tenth / 10) for tenth in range(1, 31)]
    assert read(written(*silent)) == [moment(1), moment(2), moment(3)]


def test_silence_just_after_an_event_is_not_kept() -> None:
    assert len(read(written(moment(1, record()), moment(1.5), moment(2)))) == 2


def test_a_speaker_is_introduced_once() -> None:
    lines = written(moment(1, record()), moment(2, record(seq=2)), moment(3, record(rank=1)))
    kinds = [json.loads(line)[1] for line in lines]
    assert kinds == ["speaker", "blocks.ready", "blocks.ready", "speaker", "blocks.ready"]


def test_any_number_of_speakers_takes_bounded_room() -> None:
    scribe, reader = Scribe(HEADER), Reader(HEADER)
    told = [moment(1, record(process=f"{number:032x}")) for number in range(SPEAKERS + 9)]
    told.append(told[0])
    lines = b"".join(scribe.lines(one) for one in told).splitlines()
    assert [one for line in lines if (one := reader.moment(line)) is not None] == told
    assert len(scribe._speakers) == 10


def test_a_line_says_when_what_and_the_attributes_by_name() -> None:
    line = written(moment(2, record(seq=7, at=START + SECOND)))[-1]
    assert json.loads(line) == [
        2 * SECOND,
        "blocks.ready",
        {
            "by": 1,
            "seq": 7,
            "at": START + SECOND,
            "wall": 1_767_225_601 * SECOND,
            "request": "r1",
            "blocks": 4,
        },
    ]


def test_what_ended_and_what_was_lost_are_lines_too() -> None:
    lines = written(
        moment(0, Lost(overwritten=3)),
        moment(0, Ended(process="a", goodbye=False)),
        moment(0, Watched(process="a", state="frozen")),
    )
    assert lines == [
        b'[0,"lost",{"overwritten":3}]\n',
        b'[0,"ended",{"process":"a","goodbye":false}]\n',
        b'[0,"watched",{"process":"a","state":"frozen"}]\n',
    ]


def test_a_kind_that_a_newer_kvtrace_wrote_is_known_to_be_one() -> None:
    written(moment(0, record()))
    reader = Reader(HEADER)
    reader.moment(b'[0,"speaker",{"by":1,"process":"a"}]')
    for name in ("blocks.teleported", "weather"):
        line = b'[0,"%s",{"by":1,"seq":1,"at":1,"wall":1}]' % name.encode()
        with pytest.raises(UnknownKindError):
            reader.moment(line)


def test_an_attribute_that_a_newer_kvtrace_wrote_is_passed_over() -> None:
    reader = Reader(HEADER)
    reader.moment(b'[0,"speaker",{"by":1,"process":"a","mood":"good"}]')
    found = reader.moment(b'[0,"blocks.ready",{"by":1,"seq":1,"at":1,"wall":1,"mood":2}]')
    assert found is not None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{}",
        b'[0,"silence"]',
        b'[-1,"silence",{}]',
        b'[1e300,"silence",{}]',
        b'[99999999999999999999999,"silence",{}]',
        b'[0,"blocks.ready",{"by":9,"seq":1,"at":1,"wall":1}]',
        b'[0,"blocks.ready",{"by":1}]',
        b'[0,"lost",{"overwritten":"many"}]',
        b'[0,"ended",{}]',
        b'[0,"speaker",{"by":1}]',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_damaged_line_is_said_to_be_one(line: bytes) -> None:
    with pytest.raises(WireError):
        Reader(HEADER).moment(line)


@pytest.mark.parametrize("instant", [0, 16_725_225_600 * SECOND, (1 << 64) - 1])
def test_a_clock_that_is_wrong_comes_back_as_it_was(instant: int) -> None:
    header = msgspec.structs.replace(HEADER, started_at=instant)
    assert header_of(header_line(header)) == header
    wrong = msgspec.structs.replace(record(), at=instant, wall=instant)
    assert read(written(moment(1, wrong))) == [moment(1, wrong)]


@pytest.mark.parametrize("seq", [1 << 62, (1 << 63) - 1, (1 << 64) - 1])
def test_however_far_a_sender_counts_its_events_come_back(seq: int) -> None:
    told = moment(1, record(seq=seq))
    assert read(written(told)) == [told]


def test_an_instant_that_no_clock_can_tell_is_refused() -> None:
    lines = written(moment(1, msgspec.structs.replace(record(), wall=1234567)))
    with pytest.raises(WireError, match="no clock is that late"):
        read([line.replace(b"1234567,", b"18446744073709551616,") for line in lines])
    with pytest.raises(WireError, match="no clock is that late"):
        header_of(b'{"kvtrace":1,"started_at":18446744073709551616}')


def test_a_file_that_introduces_speakers_without_end_takes_bounded_room() -> None:
    reader = Reader(Header(kvtrace=1, monotonic=START))
    for number in range(SPEAKERS + 50):
        reader.moment(b'[0,"speaker",{"by":%d,"process":"a"}]' % number)
    assert len(reader.speakers) == SPEAKERS
    assert min(reader.speakers) == 50
    with pytest.raises(WireError, match="speaker 49 was not introduced"):
        reader.moment(b'[0,"blocks.ready",{"by":49,"seq":1,"at":1,"wall":1}]')


def test_whatever_a_writer_forgets_its_reader_knows_whom_it_introduced_last() -> None:
    scribe, reader = Scribe(HEADER), Reader(HEADER)
    for turn in range(2):
        for number in range(SPEAKERS + 9):
            news = record(process=f"{number % (SPEAKERS + 5)}", seq=turn + 1)
            lines = scribe.lines(Moment(START, news)).splitlines()
            *_, read = [reader.moment(line) for line in lines]
            assert read is not None
            assert read.news == news


@pytest.mark.parametrize(
    "change",
    [
        (b"[2000000000,", b"[ 2000000000,"),
        (b"[2000000000,", b"[02000000000,"),
        (b"[2000000000,", b"[2e9,"),
        (b"[2000000000,", b"[99999999999999999999,"),
        (b"[2000000000,", b"(2000000000,"),
        (b'"by":1', b'"by":2'),
        (b'"by":1', b'"by":-1'),
        (b'"blocks":4', b'"blocks":4.0'),
        (b'"blocks":4', b'"blocks":"4"'),
        (b'"blocks":4', b'"blocks":4,"blocks":5'),
        (b'"blocks":4', b'"blocks":"4","blocks":5'),
        (b'"blocks":4', b'"blocks":null'),
        (b'"seq":7', b'"seq":18446744073709551616'),
        (b'"seq":7,', b""),
        (b"}]\n", b"}]"),
        (b"}]\n", b"}] \n"),
        (b"}]\n", b"},1]\n"),
        (b"}]\n", b"}}\n"),
        (b"{", b" {"),
    ],
)
def test_a_line_unlike_those_that_are_written_is_read_as_any_json(
    change: tuple[bytes, bytes],
) -> None:
    *speaker, line = written(moment(2, record(seq=7, at=START + SECOND)))
    altered = line.replace(*change, 1)
    assert altered != line

    reader = Reader(HEADER)
    for one in speaker:
        reader.moment(one)
    found = reader.event(altered)
    try:
        read = reader.moment(altered)
    except WireError:
        read = None
    assert found in (None, read)


def test_a_line_as_it_is_written_is_read_the_quick_way() -> None:
    told = moment(2, record(seq=7, at=START + SECOND))
    reader = Reader(HEADER)
    introduced, line = written(told)
    assert (reader.event(introduced), reader.event(line)) == (None, None)
    reader.moment(introduced)
    assert reader.event(line) == told
