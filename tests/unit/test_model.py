"""The nouns: what they say of themselves."""

from kvtrace.model import Phase, Place, Role


def test_the_peer_of_a_producer_is_a_consumer_and_the_other_way_round() -> None:
    assert Role.PRODUCER.peer is Role.CONSUMER
    assert Role.CONSUMER.peer is Role.PRODUCER


def test_each_phase_has_a_letter_of_its_own() -> None:
    assert [phase.letter for phase in Phase] == ["R", "B", "W", "C"]


def test_a_place_without_a_rank_is_the_scheduler() -> None:
    assert Place("P0", Role.PRODUCER).is_scheduler
    assert not Place("P0", Role.PRODUCER, 0).is_scheduler
