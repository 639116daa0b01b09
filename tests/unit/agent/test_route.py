"""What is said and counted of how sending goes."""

from collections.abc import Callable

from kvtrace.agent.journal import Journal
from kvtrace.agent.route import LARGEST, Route
from kvtrace.destination import GRPC, Destination
from kvtrace.sinks.otlp.answer import Answer, Fate

TAKEN = Answer(fate=Fate.TAKEN)


class Wire:
    """A sender that takes all."""

    def __init__(self) -> None:
        self.sent = 0
        self.closed = False
        self.during: Callable[[], object] = lambda: None

    def send(self, message: bytes, limit: float) -> Answer:
        self.sent += 1
        self.during()
        return TAKEN

    def close(self) -> None:
        self.closed = True


class Desk:
    def __init__(self) -> None:
        self.told: list[str] = []
        self.now = 0.0
        self.wire = Wire()
        self.route: Route[bytes] = Route(
            Destination(signal="logs", protocol=GRPC, endpoint="http://c:4317"),
            self.wire,
            Journal(self.told.append, self.clock),
            pack=b"".join,
            batch=9,
        )

    def clock(self) -> float:
        self.now += 60
        return self.now


def test_that_signals_arrive_is_said_once() -> None:
    desk = Desk()
    for _ in range(3):
        desk.route.settled([b"a", b"b"], TAKEN)
    assert desk.told == ["logs arrive at http://c:4317"]
    assert desk.route.sent == 6


def test_an_endpoint_that_is_down_loses_nothing_yet() -> None:
    desk = Desk()
    for _ in range(3):
        desk.route.delayed(Answer(fate=Fate.LATER, why="UNAVAILABLE"))
    desk.route.settled([b""], TAKEN)
    assert len(desk.told) == 2
    assert "UNAVAILABLE" in desk.told[0]
    assert "wait in the black boxes" in desk.told[0]
    assert desk.route.lost == 0


def test_an_endpoint_that_nobody_waits_for_any_longer_is_said_to_have_given_no_answer() -> None:
    desk = Desk()
    desk.route.given_up()
    assert desk.told == []
    desk.wire.during = desk.route.given_up
    assert desk.route.send([b""], 1.0).fate is Fate.TAKEN
    assert "it does not answer" in desk.told[0]
    assert not desk.route.is_asking
    assert desk.route.answered == 0
    desk.route.settled([b""], TAKEN)
    assert desk.route.answered == 1


def test_what_is_refused_is_counted_with_advice() -> None:
    desk = Desk()
    answer = Answer(fate=Fate.NEVER, why="UNIMPLEMENTED: no such method")
    desk.route.settled([b"a", b"b"], answer)
    desk.route.dropped([b""] * 5, answer)
    assert desk.route.lost == 7
    assert len(desk.told) == 1
    assert "OTEL_LOGS_EXPORTER=none" in desk.told[0]
    desk.route.settled([b""], TAKEN)
    assert desk.told[-1] == "logs arrive at http://c:4317; 7 were lost"


def test_what_was_taken_in_part_is_counted() -> None:
    desk = Desk()
    desk.route.settled([b"a", b"b"], Answer(fate=Fate.TAKEN, rejected=1, why="too old"))
    assert (desk.route.sent, desk.route.lost) == (1, 1)
    assert desk.told == ["http://c:4317 takes only part of the logs (too old): 1 lost so far"]


def test_more_than_a_server_takes_at_once_is_not_even_sent() -> None:
    desk = Desk()
    half = bytes(LARGEST // 2 + 1)
    assert desk.route.send([half, half], 1.0).fate is Fate.SMALLER
    assert desk.wire.sent == 0
    assert desk.route.send([half + half], 1.0).fate is Fate.TAKEN


def test_what_must_be_remembered_is_told_of_before_and_after() -> None:
    desk = Desk()
    seen: list[str] = []
    desk.route.on_handing = lambda items: seen.append("handing")
    desk.route.on_settled = lambda items: seen.append("settled")
    desk.route.on_taken = lambda items: seen.append("taken")
    desk.route.on_refused = lambda items: seen.append("refused")
    desk.route.on_lost = lambda count: seen.append(f"lost {count}")
    desk.route.handing([b""])
    desk.route.settled([b""], TAKEN)
    assert seen == ["handing", "settled", "taken"]
    desk.route.settled([b"", b""], Answer(fate=Fate.NEVER))
    assert seen[3:] == ["settled", "refused", "lost 2"]
    desk.route.settled([b"", b""], Answer(fate=Fate.TAKEN, rejected=1))
    assert seen[6:] == ["settled", "taken", "lost 1"]
    desk.route.close()
    assert desk.wire.closed
