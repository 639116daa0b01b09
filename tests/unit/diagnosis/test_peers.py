"""Stories of what engines keep of their peers, and of peers that speculate otherwise."""

from kvtrace.causes import Cause
from kvtrace.model import Role
from tests.unit.samples import (
    WHOLE,
    blocks_ready,
    handshake_finished,
    load_decided,
    process_started,
    process_stopped,
    request_admitted,
    tables_sampled,
)
from tests.unit.story import D, Engine, P, Story


def consumers_come_and_go(gone: int, kept: int) -> Story:
    """So many were reached and ended; the producer still holds some of them."""
    story = Story().at(0, process_started(facts={"engine_ttl": "3600.0"}), by=P)
    for number in range(gone):
        one = Engine(name=f"d-{number}", role=Role.CONSUMER)
        story.at(number, process_started(), by=one)
        story.at(number, handshake_finished(request="", side="P", peer=one.name), by=P)
        story.at(number, process_stopped(), by=one).dies(one, 0, goodbye=True)
    return story.at(60, tables_sampled(sizes={"peers": kept}), by=P)


def test_many_peers_that_are_no_more_and_are_kept_are_named() -> None:
    story = consumers_come_and_go(6, 6)
    assert story.engine_causes == {Cause.DEAD_PEERS_KEPT}
    said = story.snapshot.engine_diagnoses[0]
    assert "keeps 6 peers, of which 6 are no more" in said.sentence
    assert "`engine_ttl` (now 3600 s)" in said.remedy


def test_one_that_is_left_of_a_restart_is_healthy() -> None:
    assert consumers_come_and_go(1, 2).engine_causes == set()


def test_peers_whose_handshakes_were_not_heard_are_not_said_to_be_dead() -> None:
    assert consumers_come_and_go(0, 6).engine_causes == set()
    assert consumers_come_and_go(2, 6).engine_causes == set()


def test_peers_that_were_given_up_are_not_named() -> None:
    assert consumers_come_and_go(6, 1).engine_causes == set()


def test_peers_that_live_are_not_named() -> None:
    story = Story().at(0, process_started(), by=P)
    for number in range(6):
        one = Engine(name=f"d-{number}", role=Role.CONSUMER)
        story.at(number, process_started(), by=one)
        story.at(number, handshake_finished(request="", side="P", peer=one.name), by=P)
    story.at(60, tables_sampled(sizes={"peers": 6}), by=P)
    assert story.engine_causes == set()


def test_peers_that_are_not_heard_are_not_said_to_be_dead() -> None:
    story = Story().at(0, process_started(), by=P)
    for number in range(6):
        story.at(number, handshake_finished(request="", side="P", peer=f"d-{number}"), by=P)
    story.at(60, tables_sampled(sizes={"peers": 6}), by=P)
    assert story.engine_causes == set()


def finished(p: str, d: str, wanted: int, computed: int) -> Story:
    """Two engines that tell how they speculate, and what each counted on."""
    story = Story().at(0, process_started(facts={"speculation": p} if p else {}), by=P)
    story.at(0, process_started(facts={"speculation": d} if d else {}), by=D)
    story.at(0, request_admitted(tokens=100), load_decided(tokens=wanted))
    return story.at(0, blocks_ready(computed=computed)).at(0.1, *WHOLE)


def test_engines_that_speculate_differently_and_count_differently_are_named() -> None:
    finished("mtp, 3 tokens", "none", 100, 98).is_blamed_on(
        Cause.SPECULATION_DIFFERS, "D0 counted on 100 tokens, P0 had computed 98"
    ).is_sure()


def test_engines_that_speculate_alike_are_not() -> None:
    finished("none", "none", 100, 98).is_not_blamed_on(Cause.SPECULATION_DIFFERS)


def test_engines_that_count_alike_are_not() -> None:
    finished("mtp, 3 tokens", "none", 100, 100).is_not_blamed_on(Cause.SPECULATION_DIFFERS)


def test_engines_that_do_not_tell_are_not() -> None:
    finished("mtp, 3 tokens", "", 100, 98).is_not_blamed_on(Cause.SPECULATION_DIFFERS)
