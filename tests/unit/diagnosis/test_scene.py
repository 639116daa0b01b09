"""What a rule can ask about everything but the transfer in hand."""

from kvtrace.events import BlocksReady, HandshakeFailed, LegAnswered
from kvtrace.model import Role
from tests.unit.diagnosis.test_case import scene_of
from tests.unit.samples import (
    PRODUCER_FIRST,
    WHOLE,
    blocks_ready,
    handshake_failed,
    leg_answered,
    process_started,
)
from tests.unit.story import ROUTER, SECOND, P, Story


def test_the_scene_tells_of_engines_and_their_notices() -> None:
    story = Story().at(0, process_started(engine="P0", kv_role="kv_producer"), by=P)
    story.at(1, handshake_failed(request="", side="P", peer="D0"), by=P).at(2, blocks_ready())
    scene = scene_of(story)
    settings = scene.settings("P0")
    assert settings is not None
    assert settings.lease == 30 * SECOND
    assert scene.settings("D0") is None
    assert scene.engine("") is None
    (failed,) = scene.notices("P0", HandshakeFailed)
    assert (failed.at, failed.event.peer) == (SECOND, "D0")
    assert [one.id for one in scene.alike("r1")] == ["r1"]
    assert len(scene.on("P0", Role.PRODUCER)) == 1
    assert not scene.on("P0", Role.CONSUMER)


def test_what_ended_is_found_by_engine_and_last_words_by_base_id() -> None:
    story = Story().at(0, *WHOLE).at(1, blocks_ready(request="r2-aaaaaaaa", held=False))
    scene = scene_of(story)
    assert [one.id for one in scene.ended_on("P0", Role.PRODUCER)] == ["r1"]
    assert not scene.ended_on("P1", Role.PRODUCER)
    (word,) = scene.last_words("r2", BlocksReady)
    assert (word.at, word.place.engine) == (SECOND, "P0")


def test_the_state_of_an_engine_and_a_routers_legs_can_be_asked_for() -> None:
    story = Story().at(0, *PRODUCER_FIRST).dies(P)
    story.at(1, leg_answered(request="r1", status=503), by=ROUTER)
    scene = scene_of(story)
    assert (scene.state("P0"), scene.state("P7")) == ("died", "")
    (leg,) = scene.legs(["cmpl-r1-0", "r1"], LegAnswered)
    assert leg.at == SECOND
