"""One line for each engine."""

from kvtrace.engine_lines import load
from kvtrace.snapshot import EngineLine
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    heartbeat_sent,
    process_started,
    receive_finished,
    request_resumed,
    step_sampled,
    tracing_stopped,
)
from tests.unit.story import SECOND, D, Engine, P, Story

P_AGAIN = Engine(name=P.name, role=P.role, restarts=1)
HOUR = 3600


def lines(story: Story) -> dict[str, EngineLine]:
    return {line.id: line for line in story.snapshot.engines}


def test_what_is_in_flight_is_counted_at_both_ends() -> None:
    story = Story().at(0, process_started(blocks=100), by=P).at(1, *CONSUMER_FIRST)
    producer, consumer = lines(story).values()
    assert (producer.in_flight, consumer.in_flight) == (1, 1)
    assert (producer.held_blocks, consumer.held_blocks) == (0, 7)
    assert (producer.blocks, consumer.blocks) == (100, 0)
    assert lines(story.at(2, *PRODUCER_FIRST))["P0"].held_blocks == 7


def test_only_stalled_transfers_are_waited_for() -> None:
    story = Story().at(1, *CONSUMER_FIRST, *PRODUCER_FIRST).at(2)
    assert lines(story)["P0"].waited_for == 0
    assert lines(story.at(9))["P0"].waited_for == 1
    assert lines(story)["D0"].waited_for == 0


def test_silence_counts_from_the_last_word() -> None:
    story = Story().at(1, heartbeat_sent()).at(3, *PRODUCER_FIRST).at(15)
    assert lines(story)["D0"].heard == 14 * SECOND
    assert lines(story)["P0"].heard == 12 * SECOND


def test_what_the_engine_told_of_itself_is_shown_as_text() -> None:
    started = process_started(model="tiny", port=5600, facts={"UCX_TLS": "tcp", "A": "b"})
    line = lines(Story().at(0, started, by=D))["D0"]
    assert dict(line.facts)["model"] == "tiny"
    assert dict(line.facts)["port"] == "5600"
    assert line.facts[-2:] == (("A", "b"), ("UCX_TLS", "tcp"))
    assert (line.roles, line.ranks, line.state) == ("D", 1, "alive")


def test_a_process_that_was_stopped_is_frozen_until_it_goes_on() -> None:
    story = Story().at(0, *PRODUCER_FIRST).watched(P)
    assert lines(story)["P0"].state == "alive"
    assert lines(story.at(5).watched(P, frozen=True))["P0"].state == "frozen"
    assert lines(story.at(10).watched(P))["P0"].state == "alive"


def test_a_watched_engine_of_which_nothing_is_told_any_more_is_unheard() -> None:
    story = Story().at(0, *PRODUCER_FIRST).watched(P)
    assert lines(story.at(15))["P0"].state == "alive"
    assert lines(story.at(16))["P0"].state == "unheard"
    assert lines(story.at(17, heartbeat_sent(), by=P))["P0"].state == "alive"
    assert lines(story.at(40))["P0"].state == "unheard"
    assert lines(story.dies(P))["P0"].state == "died"


def test_an_engine_of_this_host_that_nobody_watches_is_unheard_after_five_minutes() -> None:
    story = Story().at(0, *PRODUCER_FIRST)
    assert lines(story.at(300))["P0"].state == "alive"
    assert lines(story.at(301))["P0"].state == "unheard"
    assert lines(story.watched(P))["P0"].state == "alive"


def test_an_engine_elsewhere_whose_events_came_hours_late_is_unheard() -> None:
    there = Engine(name="P0", role=P.role, clock="elsewhere")
    story = Story().at(0, *PRODUCER_FIRST, by=there)
    assert lines(story.at(300))["P0"].state == "alive"
    assert lines(story.at(301))["P0"].state == "unheard"
    assert lines(story.at(3 * HOUR))["P0"].heard == 3 * HOUR * SECOND
    assert lines(story.at(3 * HOUR, heartbeat_sent(), by=there))["P0"].state == "alive"


def test_a_quiet_engine_that_is_watched_is_alive_until_its_end_is_seen() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(3 * HOUR).watched(P).at(3 * HOUR + 14)
    assert lines(story)["P0"].state == "alive"
    assert lines(story.dies(P))["P0"].state == "died"


def test_who_was_watched_before_it_was_heard_counts_as_watched() -> None:
    story = Story().at(0).watched(P, frozen=True).at(1, *PRODUCER_FIRST)
    assert lines(story)["P0"].state == "frozen"


def test_an_engine_that_died_and_began_anew_is_restarted_for_an_hour() -> None:
    story = Story().at(0, process_started(), by=P).dies(P, rank=0)
    assert lines(story)["P0"].state == "died"
    story.at(9, process_started(), by=P_AGAIN)
    assert lines(story)["P0"].state == "restarted"
    assert lines(story.at(8 + HOUR).watched(P_AGAIN, rank=0))["P0"].state == "restarted"
    assert lines(story.at(9 + HOUR))["P0"].state == "alive"


def test_an_engine_is_restarted_for_as_long_as_it_has_left_transfers_in_flight() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).dies(P).dies(P, rank=0)
    story.at(9, process_started(), by=P_AGAIN).at(9, process_started(), by=P_AGAIN, rank=-1)
    story.at(9 + HOUR).watched(P_AGAIN).watched(D)
    assert lines(story)["P0"].state == "restarted"
    assert lines(story)["D0"].state == "alive"
    assert story.row.gone
    story.at(10 + HOUR, receive_finished(), request_resumed())
    assert lines(story)["P0"].state == "alive"


def test_an_engine_that_said_goodbye_and_left_nothing_is_alive_again() -> None:
    story = Story().at(0, process_started(), by=P).dies(P, rank=0, goodbye=True)
    assert lines(story.at(9, process_started(), by=P_AGAIN))["P0"].state == "alive"


def test_other_news_of_a_restarted_engine_comes_first() -> None:
    story = Story().at(0, process_started(), by=P).dies(P, rank=0)
    story.at(9, process_started(), by=P_AGAIN)
    assert lines(story.at(10, tracing_stopped(), by=P_AGAIN))["P0"].state == "untraced"
    assert lines(story.dies(P_AGAIN, rank=0))["P0"].state == "died"


def test_an_engine_that_came_back_with_fewer_ranks_has_lost_none() -> None:
    story = Story().at(0, process_started(tp_size=2), by=P, rank=0)
    story.at(0, process_started(tp_size=2), by=P, rank=1).dies(P, rank=0).dies(P, rank=1)
    assert lines(story)["P0"].state == "died"
    line = lines(story.at(9, process_started(tp_size=1), by=P_AGAIN))["P0"]
    assert (line.state, line.ranks) == ("restarted", 1)


def test_a_rank_that_died_alone_is_missed() -> None:
    story = Story().at(0, process_started(tp_size=2), by=P, rank=0)
    story.at(0, step_sampled(), by=P, rank=1).dies(P, rank=1)
    assert lines(story)["P0"].state == "died"


def test_producers_come_before_consumers() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    assert [line.roles for line in story.snapshot.engines] == ["P", "D"]


def test_nothing_in_flight_is_no_load() -> None:
    assert not load([]).in_flight
