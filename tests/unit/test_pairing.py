"""Which halves belong together."""

from kvtrace.lifecycle import advance
from kvtrace.moments import Record
from kvtrace.pairing import arrange, is_half, named, parts, whose
from kvtrace.transfer import Transfer
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    handshake_started,
    heartbeat_sent,
    match_made,
    registration_noticed,
    request_admitted,
)
from tests.unit.story import Story


def transfer(*events: object) -> Transfer:
    return Story().at(0, *events).row.transfer  # type: ignore[arg-type]


def test_a_transfer_is_made_of_one_side_for_each_id() -> None:
    whole = transfer(*CONSUMER_FIRST, registration_noticed(), *PRODUCER_FIRST)
    mine, theirs = parts(whole)
    assert mine.key == ("P0", "P", "r1-aaaaaaaa")
    assert theirs.key == ("D0", "D", "r1-bbbbbbbb")
    assert theirs.heard is not None
    assert not is_half(whole)


def test_a_registration_alone_is_the_consumers_side() -> None:
    (side,) = parts(transfer(registration_noticed()))
    assert side.key == ("D0", "D", "r1-bbbbbbbb")
    assert side.half is None


def test_joining_and_parting_keep_every_event() -> None:
    whole = transfer(*CONSUMER_FIRST, registration_noticed(), *PRODUCER_FIRST)
    (again,) = arrange((whole,))
    assert again == whole


def test_a_record_without_a_request_is_nobodys() -> None:
    for event in (heartbeat_sent(), handshake_started(request="")):
        (moment,) = Story().at(0, event).moments
        assert isinstance(moment.news, Record)
        assert whose(moment.news) is None


def test_a_second_match_with_another_consumer_does_not_undo_the_first() -> None:
    story = Story().at(0, *PRODUCER_FIRST, match_made())
    story.at(1, request_admitted(), request_admitted(request="r1-cccccccc"))
    story.at(2, match_made(remote_request="r1-cccccccc"), rank=1)
    rows = story.snapshot.rows
    joined = [row.transfer for row in rows if row.transfer.joined == "match"]
    assert len(rows) == 2
    assert joined[0].consumer is not None
    assert joined[0].consumer.request == "r1-bbbbbbbb"
    assert len(named(joined[0])) == 2


def test_the_name_that_was_there_first_is_kept() -> None:
    late = Transfer(id="late", producer=transfer(*PRODUCER_FIRST).producer)
    early = Transfer(id="early", consumer=transfer(*CONSUMER_FIRST).consumer)
    (joined,) = arrange((early, late))
    assert joined.id == "early"


def test_a_side_that_is_parted_gets_a_name_of_its_own() -> None:
    whole = transfer(*CONSUMER_FIRST, *PRODUCER_FIRST)
    other = Story().at(0, request_admitted(request="r1-cccccccc")).row.transfer
    (moment,) = Story().at(1, match_made(remote_request="r1-cccccccc")).moments
    assert isinstance(moment.news, Record)
    assert whole.producer is not None
    grown = Transfer(
        id="r1", producer=advance(whole.producer, moment.news, 0), consumer=whole.consumer
    )
    made = arrange((grown, Transfer(id="other", consumer=other.consumer)))
    assert {t.id for t in made} == {"r1", "D0/r1-bbbbbbbb"}
