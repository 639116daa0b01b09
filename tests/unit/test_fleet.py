"""The fleet: joining, parting, forgetting."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.events import AnyEvent
from kvtrace.fleet import Fleet
from kvtrace.lifecycle import MOST_MARKS
from kvtrace.model import Outcome, Phase
from kvtrace.moments import Lost, Moment, Record
from kvtrace.table import MOST_ALIKE
from kvtrace.transfer import Transfer
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    blocks_ready,
    blocks_released,
    failure_logged,
    handshake_started,
    heartbeat_sent,
    lease_expired,
    leg_sent,
    match_made,
    prefill_admitted,
    process_started,
    receive_failed,
    registration_noticed,
    request_admitted,
    request_finished,
    request_resumed,
    send_reported,
    write_posted,
)
from tests.unit.story import CLOCK, ROUTER, D, Engine, P, Story

OTHER_P = Engine(name="P1", role=P.role)


def fleet_of(moments: list[Moment], **limits: int) -> Fleet:
    fleet = Fleet(CLOCK, **limits)
    for moment in moments:
        fleet.take(moment)
    return fleet


def known(fleet: Fleet) -> list[Transfer]:
    return [*fleet.table.live.values(), *fleet.table.ended.values()]


def renamed(events: tuple[AnyEvent, ...], **names: str) -> list[AnyEvent]:
    """The events with other ids."""
    return [
        msgspec.structs.replace(
            event, **{name: ident for name, ident in names.items() if getattr(event, name, "")}
        )
        for event in events
    ]


def test_halves_whose_base_ids_are_alike_are_one_transfer() -> None:
    row = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).row
    assert row.id == "r1"
    assert row.transfer.joined == "base id"
    assert not row.ambiguous


def test_a_match_joins_for_good_and_whatever_the_ids() -> None:
    story = Story().at(0, request_admitted(request="x")).at(1, blocks_ready(request="y"))
    assert len(story.snapshot.rows) == 2
    row = story.at(2, match_made(request="y", remote_request="x")).row
    assert row.transfer.joined == "match"
    assert row.transfer.producer is not None
    assert row.transfer.consumer is not None
    assert row.transfer.producer.request == "y"


def test_a_match_before_the_consumer_is_heard_of_joins_it_when_it_is() -> None:
    story = Story().at(0, blocks_ready(request="y"))
    story.at(1, match_made(request="y", remote_request="x"))
    row = story.at(2, request_admitted(request="x")).row
    assert row.transfer.joined == "match"


def test_two_that_could_be_the_counterpart_are_rivals_until_the_match() -> None:
    story = Story().at(0, request_admitted(request="r1-11111111"))
    story.at(1, request_admitted(request="r1-22222222")).at(2, blocks_ready())
    rows = story.snapshot.rows
    assert len(rows) == 3
    assert all(row.ambiguous for row in rows)
    assert story.snapshot.losses.ambiguous == 3
    assert {row.id for row in rows} == {"r1-11111111", "r1-22222222", "r1-aaaaaaaa"}
    rows = story.at(3, match_made(remote_request="r1-22222222")).snapshot.rows
    assert len(rows) == 2
    assert not any(row.ambiguous for row in rows)
    joined = [row.transfer for row in rows if row.transfer.joined == "match"]
    assert joined[0].consumer is not None
    assert joined[0].consumer.request == "r1-22222222"


def test_a_guess_that_the_match_contradicts_is_undone() -> None:
    story = Story().at(0, request_admitted(request="r1-11111111")).at(1, *PRODUCER_FIRST)
    assert story.row.transfer.joined == "base id"
    story.at(2, request_admitted(request="r1-22222222"))
    rows = story.at(3, match_made(remote_request="r1-22222222")).snapshot.rows
    assert {row.transfer.joined for row in rows} == {"", "match"}


def test_a_consumer_sent_to_another_producer_is_no_counterpart() -> None:
    story = Story().at(0, request_admitted(producer="P0"))
    rows = story.at(1, blocks_ready(), by=OTHER_P).snapshot.rows
    assert {(row.link.producer, row.link.consumer) for row in rows} == {("P0", "D0"), ("P1", "")}


def test_a_registration_belongs_to_the_consumer_that_it_names() -> None:
    row = Story().at(0, *CONSUMER_FIRST).at(1, registration_noticed()).row
    assert row.transfer.joined == "registration"
    assert row.phase is Phase.READINESS
    assert row.transfer.producer is not None
    assert row.transfer.producer.request == "r1-bbbbbbbb"


def test_a_registration_goes_to_the_producers_half_once_the_match_names_it() -> None:
    story = Story().at(0, registration_noticed()).at(1, *PRODUCER_FIRST, match_made())
    producer = story.row.transfer.producer
    assert producer is not None
    assert producer.request == "r1-aaaaaaaa"
    assert {key[0] for key in producer.told} >= {"registration.noticed", "blocks.ready"}


def test_a_registration_left_over_in_unequal_tp_is_no_transfer() -> None:
    """The consumer is heard, and has no such request: it was over long before."""
    story = Story().at(0, heartbeat_sent(), by=D).at(1, registration_noticed())
    assert story.snapshot.rows == ()
    assert Story().at(1, registration_noticed()).row.phase is Phase.READINESS


def test_a_registration_after_the_end_changes_nothing() -> None:
    story = Story().at(0, *WHOLE).has_ended(Outcome.FINISHED)
    story.at(1, registration_noticed(peer="other"), rank=1).has_ended(Outcome.FINISHED)
    assert story.snapshot.totals.finished == 1


def test_what_ends_as_the_producer_sees_it_lives_on_when_the_consumer_is_heard_of() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *WRITING, send_reported()).has_ended(Outcome.FINISHED)
    story.at(1, *CONSUMER_FIRST)
    assert story.row.transfer.joined == "match"
    assert story.snapshot.totals.finished == 0
    story.at(2, *LANDING).has_ended(Outcome.FINISHED)
    assert story.snapshot.totals.finished == 1


def test_a_half_heard_of_after_its_counterpart_ended_still_finds_it() -> None:
    story = Story().at(0, *CONSUMER_FIRST, request_resumed()).has_ended(Outcome.FINISHED)
    story.at(1, *PRODUCER_FIRST).has_ended(Outcome.FINISHED)
    assert story.done.transfer.joined == "base id"


def test_a_request_that_comes_again_under_the_same_id_is_another_transfer() -> None:
    story = Story().at(0, *WHOLE)
    again = renamed(CONSUMER_FIRST, request="r1-cccccccc")
    row = story.at(5, *again).row
    assert row.id == "r1-cccccccc"
    assert row.transfer.producer is None
    assert story.snapshot.totals.finished == 1


def test_the_end_of_a_request_that_was_never_heard_of_is_not_a_transfer() -> None:
    story = Story().at(0, request_finished(), blocks_released(), send_reported())
    assert story.snapshot.rows == ()
    assert story.snapshot.totals.finished == 0
    story.at(1, prefill_admitted(), blocks_ready()).has_ended(Outcome.FINISHED)


def test_an_engines_own_events_are_no_transfers() -> None:
    story = Story().at(0, process_started(), by=P).at(1, heartbeat_sent(), failure_logged())
    story.at(2, handshake_started(request=""))
    assert story.snapshot.rows == ()
    assert story.snapshot.events == 4
    assert len(story.snapshot.handshakes) == 1


def test_a_lease_that_ran_out_leaves_the_consumer_waiting() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).at(40, lease_expired())
    assert story.row.stalled
    alone = Story().at(0, *PRODUCER_FIRST).at(40, lease_expired())
    alone.has_ended(Outcome.ABANDONED)


def test_what_is_taken_twice_counts_once() -> None:
    moments = Story().at(0, *WHOLE).moments
    fleet = fleet_of(moments + moments)
    assert fleet.events == len(WHOLE)
    assert fleet.repeats == len(WHOLE)
    assert fleet.outcomes[Outcome.FINISHED] == 1


def many(count: int, *events: AnyEvent) -> list[Moment]:
    story = Story()
    for number in range(count):
        story.at(number, *renamed(events, request=f"x{number}-aaaaaaaa"))
    return story.moments


def test_the_oldest_in_flight_are_forgotten_for_room_and_counted() -> None:
    fleet = fleet_of(many(10, prefill_admitted()), live_limit=4)
    assert list(fleet.table.live) == ["x6", "x7", "x8", "x9"]
    assert fleet.forgotten == 6


def test_the_oldest_that_ended_are_forgotten_but_stay_counted() -> None:
    fleet = fleet_of(many(10, prefill_admitted(), blocks_ready(held=False)), ended_limit=4)
    assert list(fleet.table.ended) == ["x6", "x7", "x8", "x9"]
    assert fleet.outcomes[Outcome.ABANDONED] == 10
    assert fleet.forgotten == 0


def test_nothing_is_left_of_what_is_forgotten() -> None:
    fleet = fleet_of(many(10, prefill_admitted()), live_limit=4)
    assert len(fleet.table._where) == len(fleet.table._alike) == len(fleet.table._keys) == 4


def test_a_loss_that_is_told_again_counts_once() -> None:
    told = [Lost(overwritten=3, teller="a", number=1), Lost(refused=2, teller="a", number=2)]
    fleet = fleet_of([Moment(0, lost) for lost in (*told, *told)])
    assert fleet.lost == Lost(overwritten=3, refused=2)
    assert fleet.repeats == 2


def test_losses_that_nobody_numbered_all_count() -> None:
    fleet = fleet_of([Moment(0, Lost(overwritten=3))] * 2)
    assert fleet.lost == Lost(overwritten=6)


def test_an_absurd_number_of_events_of_one_request_is_cut_off_and_counted() -> None:
    story = Story().at(0, *PRODUCER_FIRST)
    for rank in range(3_000):
        story.at(1, write_posted(), rank=rank)
    fleet = fleet_of(story.moments)
    (transfer,) = fleet.table.live.values()
    assert transfer.producer is not None
    assert len(transfer.producer.told) == MOST_MARKS
    assert fleet.forgotten == 3_000 + len(PRODUCER_FIRST) - MOST_MARKS


def test_of_an_absurd_number_of_requests_with_one_base_id_only_the_newest_are_compared() -> None:
    story = Story()
    for number in range(500):
        story.at(number, *renamed((prefill_admitted(),), request=f"r1-{number:08x}"))
    fleet = fleet_of(story.moments)
    assert len(fleet.table.live) == 500
    assert len(fleet.table.newest_alike("r1")) == MOST_ALIKE


def two_requests() -> list[Moment]:
    story = Story().at(0, *WHOLE[:-2])
    story.at(1, *renamed(CONSUMER_FIRST, request="r2-bbbbbbbb"))
    story.at(2, *renamed(PRODUCER_FIRST, request="r2-aaaaaaaa"))
    return story.moments


@given(st.permutations(two_requests()))
def test_any_order_gives_the_same_transfers(order: list[Moment]) -> None:
    def content(fleet: Fleet) -> set[tuple[object, ...]]:
        return {
            (
                t.producer and (t.producer.request, frozenset(t.producer.told)),
                t.consumer and (t.consumer.request, frozenset(t.consumer.told)),
                t.joined,
                t.rivals,
            )
            for t in known(fleet)
        }

    assert content(fleet_of(order)) == content(fleet_of(two_requests()))


@given(st.lists(st.sampled_from(two_requests()), max_size=60))
def test_whatever_arrives_is_found_again_under_its_ids(order: list[Moment]) -> None:
    fleet = fleet_of(order)
    for transfer in known(fleet):
        for half in (transfer.producer, transfer.consumer):
            assert half is None or half.told
    for key, name in fleet.table._where.items():
        assert name in fleet.table, key
    for names in fleet.table._alike.values():
        assert all(name in fleet.table for name in names)


def test_a_repeated_record_does_not_move_the_clock() -> None:
    (moment,) = Story().at(0, blocks_ready()).moments
    assert isinstance(moment.news, Record)
    fleet = fleet_of([moment, Moment(10**12, moment.news)])
    (transfer,) = known(fleet)
    assert transfer.producer is not None
    assert next(iter(transfer.producer.told.values())).mark.seen == 0


def test_a_match_that_is_the_first_we_hear_joins_as_well() -> None:
    story = Story().at(0, request_admitted(request="x"))
    row = story.at(1, match_made(request="y", remote_request="x")).row
    assert row.transfer.joined == "match"
    story = Story().at(1, match_made(request="y", remote_request="x"))
    row = story.at(2, request_admitted(request="x")).row
    assert row.transfer.joined == "match"


def test_a_failure_that_is_the_first_we_hear_ends_the_transfer() -> None:
    story = Story().at(0, receive_failed())
    assert story.snapshot.rows == ()
    assert story.snapshot.totals.failed == 0


def test_a_router_is_no_engine_and_its_legs_are_kept_apart() -> None:
    fleet = Fleet("")
    for moment in Story().at(1, leg_sent(request="r1"), by=ROUTER).moments:
        fleet.take(moment)
    assert not fleet.engines.ids
    assert not fleet.table.live
    assert len(fleet.legs.of(["r1"])) == 1
