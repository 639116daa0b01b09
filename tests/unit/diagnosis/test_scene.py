"""What a rule can ask about everything but the transfer in hand."""

from kvtrace.events import HandshakeFailed
from kvtrace.model import Role
from tests.unit.diagnosis.test_case import scene_of
from tests.unit.samples import blocks_ready, handshake_failed, process_started
from tests.unit.story import SECOND, P, Story


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
