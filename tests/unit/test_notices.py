"""What engines told without naming a request."""

from kvtrace.events import HandshakeFailed, HeartbeatSent
from kvtrace.lifecycle import told
from kvtrace.model import Role
from kvtrace.moments import Lost
from kvtrace.notices import MOST_ENGINES, MOST_LOSSES, MOST_OF_A_KIND, Notices
from kvtrace.transfer import Told
from tests.unit.moments import record
from tests.unit.samples import blocks_ready, handshake_failed, heartbeat_sent


def failing(engine: str = "P0", seq: int = 1) -> Told:
    return told(record(handshake_failed(ordinal=seq), seq=seq, engine=engine), Role.PRODUCER, 0)


def test_the_last_of_each_kind_are_kept() -> None:
    notices = Notices()
    for seq in range(MOST_OF_A_KIND + 5):
        notices.hear(failing(seq=seq))
    kept = notices.of("P0", HandshakeFailed)
    assert [one.seq for one in kept] == list(range(5, MOST_OF_A_KIND + 5))
    assert notices.of("P0", HeartbeatSent) == ()


def test_one_kind_does_not_drive_out_another() -> None:
    notices = Notices()
    notices.hear(failing())
    for seq in range(100):
        notices.hear(told(record(heartbeat_sent(), seq=seq, engine="P0"), Role.CONSUMER, 0))
    assert len(notices.of("P0", HandshakeFailed)) == 1


def test_what_only_matters_to_its_transfer_is_not_kept() -> None:
    notices = Notices()
    notices.hear(told(record(blocks_ready()), Role.PRODUCER, 0))
    assert notices.of("prefill-0", type(blocks_ready())) == ()


def test_the_engine_not_heard_for_longest_gives_way() -> None:
    notices = Notices()
    for number in range(MOST_ENGINES + 1):
        notices.hear(failing(f"P{number}"))
        notices.hear(failing("P0"))
    assert notices.of("P0", HandshakeFailed)
    assert not notices.of("P1", HandshakeFailed)


def test_losses_are_counted_by_process() -> None:
    notices = Notices()
    notices.lose(Lost(process="a", overwritten=3))
    notices.lose(Lost(process="a", unreadable=1, turned_away=9))
    assert (notices.lost("a"), notices.lost("b")) == (4, 0)
    for number in range(MOST_LOSSES + 1):
        notices.lose(Lost(process=f"x{number}", unknown=1))
    assert notices.lost("a") == 0
