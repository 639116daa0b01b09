"""What an agent puts on its way."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from kvtrace.agent.agent import Agent, Eyes, Making, Outboxes
from kvtrace.agent.cursor import Cursor
from kvtrace.agent.identity import Identity
from kvtrace.agent.parcels import LogParcel, SpanParcel, logs_answered, logs_taken, spans_handed
from kvtrace.moments import News, Record
from kvtrace.signals.logs import Context
from kvtrace.signals.spans import STALL, Span
from kvtrace.sources.pulse import Pulse
from kvtrace.sources.run_directory import RunDirectory
from tests.unit.boxes import LEDGER_SLOTS, RING_SLOTS, queued, sent, small_box

SECOND = 1_000_000_000


class Tray:
    """An outbox that keeps all."""

    def __init__(self) -> None:
        self.full = False
        self.unsent = 0
        self.items: list[Any] = []

    def put(self, items: Sequence[Any]) -> None:
        self.items += items


class EachEvent:
    """Completes a span with each event, and a stall with each tick."""

    def take(self, news: News, seen: int) -> list[Span]:
        if not isinstance(news, Record):
            return []
        return [span("kvtrace.write", news.process, news.seq, news.wall)]

    def tick(self, now: int, wall: int) -> list[Span]:
        return [span(STALL, "", 0, wall)]

    def context(self, record: Record) -> Context:
        return b"t" * 16, b"s" * 8


def span(name: str, process: str, seq: int, end: int) -> Span:
    return Span(
        trace_id=bytes(16),
        span_id=(seq or end // SECOND).to_bytes(8, "big"),
        name=name,
        start=0,
        end=end,
        attributes={},
        process=process,
        engine="d",
        root=b"",
        trigger=(process, seq),
    )


class Desk:
    """An agent with all it needs, at a directory of small boxes."""

    def __init__(self, directory: Path, **making: Any) -> None:
        self.cursor = Cursor(directory)
        self.boxes = RunDirectory(directory, known=self.cursor.unreadable)
        self.logs, self.spans = Tray(), Tray()
        self.agent = Agent(
            Eyes(
                self.boxes,
                Identity({}, lambda: self.boxes.followed, lambda: "host-1"),
                Pulse(lambda _: "running"),
            ),
            Outboxes(self.logs, self.spans),
            self.cursor,
            Making(EachEvent(), **making),
        )
        self.now = 0

    def round(self, seconds: int = 1) -> "Desk":
        self.now += seconds * SECOND
        self.agent.round(self.now, self.now)
        return self

    def names(self) -> list[str]:
        return [parcel.log.name.removeprefix("kvtrace.") for parcel in self.logs.items]

    def log_seqs(self) -> list[int]:
        return [parcel.seq for parcel in self.logs.items if parcel.seq]

    def span_seqs(self) -> list[int]:
        return [it.span.trigger[1] for it in self.spans.items if it.span.name != STALL]


def test_every_event_is_a_log_record_with_its_process_resource(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    desk = Desk(tmp_path).round()
    assert desk.names() == ["registration.queued", "watched"]
    parcel: LogParcel = desk.logs.items[0]
    assert (parcel.seq, parcel.log.context[0]) == (1, b"t" * 16)
    told = dict(parcel.resource.attributes)
    assert told["host.name"] == "host-1"
    assert told["service.instance.id"] == "d"
    assert told["kvtrace.process"] == box.path.stem
    assert told["process.pid"]
    box.close("")


def test_the_end_of_a_process_is_told_as_its_own(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    desk = Desk(tmp_path).round()
    assert not desk.agent.alone
    box.close("done")
    desk.round()
    ended = desk.logs.items[-1]
    assert (ended.log.name, ended.ended) == ("kvtrace.ended", True)
    assert dict(ended.resource.attributes)["service.instance.id"] == "d"
    assert desk.agent.alone
    assert desk.agent.met


def test_while_an_outbox_is_full_nothing_is_read(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    desk = Desk(tmp_path)
    desk.spans.full = True
    box.record(queued(), origin)
    assert desk.round().names() == []
    desk.spans.full = False
    assert "registration.queued" in desk.round().names()
    box.close("")


def test_where_a_look_leaves_something_the_next_follows_at_once(tmp_path: Path) -> None:
    boxes = [small_box(tmp_path) for _ in range(2)]
    desk = Desk(tmp_path)
    desk.agent._enough = 1
    for box, origin in boxes:
        box.record(queued(), origin)
    assert desk.round().agent.behind
    assert desk.round().agent.behind
    assert not desk.round().agent.behind
    for box, _ in boxes:
        box.close("")


def test_what_was_overwritten_meanwhile_is_told_as_lost(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    desk = Desk(tmp_path).round()
    desk.logs.full = True
    for number in range(RING_SLOTS + 9):
        box.record(sent(f"x{number}"), origin)
    desk.round()
    desk.logs.full = False
    desk.round()
    (lost,) = [it.log.attributes for it in desk.logs.items if it.log.name == "kvtrace.lost"]
    told = lost["kvtrace.overwritten"]
    assert isinstance(told, int)
    assert told + len(desk.log_seqs()) == RING_SLOTS + 10
    box.close("")


def test_each_loss_has_a_number_by_which_it_counts_once(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    desks = [Desk(tmp_path).round(), Desk(tmp_path).round()]
    for _ in range(2):
        for number in range(RING_SLOTS + 9):
            box.record(sent(f"x{number}"), origin)
        for desk in desks:
            desk.round()
    told = [
        (it.log.attributes["kvtrace.teller"], it.log.attributes["kvtrace.number"])
        for desk in desks
        for it in desk.logs.items
        if it.log.name == "kvtrace.lost"
    ]
    assert [number for _, number in told] == [1, 2, 1, 2]
    assert len({teller for teller, _ in told}) == 2
    box.close("")


def test_the_next_agent_sends_log_records_from_where_they_were_taken(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for _ in range(4):
        box.record(queued(), origin)
    first = Desk(tmp_path).round()
    logs_answered(first.cursor, first.logs.items[:2])
    first.cursor.write()
    assert Desk(tmp_path).round().log_seqs() == [3, 4]
    box.close("")


def test_spans_that_were_handed_over_are_never_sent_again_but_counted(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for _ in range(4):
        box.record(queued(), origin)
    first = Desk(tmp_path).round()
    handed: list[SpanParcel] = [it for it in first.spans.items if it.span.name != STALL][:3]
    spans_handed(first.cursor, handed)
    second = Desk(tmp_path).round()
    assert second.span_seqs() == [4]
    assert second.cursor.doubtful == 3
    box.close("")


def test_spans_of_stalls_are_never_sent_again_either(tmp_path: Path) -> None:
    first = Desk(tmp_path).round().round()
    assert [it.span.end // SECOND for it in first.spans.items] == [1, 2]
    spans_handed(first.cursor, first.spans.items)
    second = Desk(tmp_path).round().round().round()
    assert [it.span.end // SECOND for it in second.spans.items] == [3]


def test_what_was_overwritten_between_two_agents_is_told_as_lost(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(sent("x"), origin)
    first = Desk(tmp_path).round()
    logs_answered(first.cursor, first.logs.items)
    first.cursor.write()
    for number in range(RING_SLOTS + 9):
        box.record(sent(f"x{number}"), origin)
    second = Desk(tmp_path).round()
    (lost,) = [it.log.attributes for it in second.logs.items if it.log.name == "kvtrace.lost"]
    assert lost["kvtrace.overwritten"] == 9
    assert len(second.log_seqs()) == RING_SLOTS
    box.close("")


def test_an_end_is_told_by_one_agent_only(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.close("")
    first = Desk(tmp_path).round()
    logs_answered(first.cursor, first.logs.items)
    first.cursor.write()
    assert Desk(tmp_path).round().names() == []


def test_what_the_endpoint_refused_is_told_as_lost(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.cursor.owe(7)
    desk.round().round()
    assert desk.names() == ["lost"]
    told = desk.logs.items[0].log.attributes
    assert told == {
        "kvtrace.refused": 7,
        "kvtrace.teller": told["kvtrace.teller"],
        "kvtrace.number": 1,
    }


def test_what_was_refused_is_told_by_the_next_agent_where_the_first_was_killed(
    tmp_path: Path,
) -> None:
    first = Desk(tmp_path)
    first.cursor.owe(7)
    first.round()
    second = Desk(tmp_path).round()
    assert [parcel.lost.refused for parcel in second.logs.items if parcel.lost] == [7]
    logs_taken(second.cursor, second.logs.items)
    second.cursor.write()
    assert Desk(tmp_path).round().names() == []


def test_a_box_that_cannot_be_read_is_told_once_whoever_follows(tmp_path: Path) -> None:
    (tmp_path / "text.kvbox").write_text("x")
    (tmp_path / "more.kvbox").write_text("x")
    first = Desk(tmp_path).round().round()
    assert {parcel.file for parcel in first.logs.items} == {"text.kvbox", "more.kvbox"}
    again = Desk(tmp_path).round().round()
    assert again.names() == ["lost", "lost"]
    logs_answered(again.cursor, again.logs.items)
    (tmp_path / "new.kvbox").write_text("x")
    third = Desk(tmp_path).round().round()
    assert [parcel.file for parcel in third.logs.items] == ["new.kvbox"]
    (tmp_path / "text.kvbox").unlink()
    third.round()
    assert third.cursor.unreadable == ("more.kvbox",)


def test_a_signal_that_goes_nowhere_is_not_made(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    desk = Desk(tmp_path)
    desk.agent._out = msgspec.structs.replace(desk.agent._out, logs=None)
    desk.round()
    assert desk.names() == []
    assert desk.span_seqs() == [1]
    box.close("")


def test_only_what_may_be_told_leaves_and_only_chosen_spans(tmp_path: Path) -> None:
    def veil(news: News) -> News:
        return msgspec.structs.replace(news, engine="x") if isinstance(news, Record) else news

    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    desk = Desk(tmp_path, veil=veil, sift=lambda spans: []).round()
    assert desk.spans.items == []
    assert dict(desk.logs.items[0].resource.attributes)["service.instance.id"] == "x"
    box.close("")


def test_what_a_black_box_counts_as_lost_is_told_once_by_all_agents_together(
    tmp_path: Path,
) -> None:
    box, origin = small_box(tmp_path)
    for number in range(LEDGER_SLOTS + 5):
        box.record(queued(f"x{number}"), origin)
    first = Desk(tmp_path).round()
    assert losses(first) == [("kvtrace.ledger_full", 5)]
    logs_answered(first.cursor, first.logs.items)
    assert losses(Desk(tmp_path).round()) == []
    for number in range(2):
        box.record(queued(f"y{number}"), origin)
    third = Desk(tmp_path).round()
    assert losses(third) == [("kvtrace.ledger_full", 2)]
    logs_answered(third.cursor, third.logs.items)
    assert losses(Desk(tmp_path).round()) == []
    box.close("")


def test_a_loss_that_was_never_taken_is_told_by_the_next_agent(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for number in range(LEDGER_SLOTS + 5):
        box.record(queued(f"x{number}"), origin)
    Desk(tmp_path).round().cursor.write()
    assert losses(Desk(tmp_path).round()) == [("kvtrace.ledger_full", 5)]
    box.close("")


def losses(desk: Desk) -> list[tuple[str, object]]:
    """What of losses is on its way, but for who tells it."""
    told = [it.log.attributes for it in desk.logs.items if it.log.name == "kvtrace.lost"]
    who = ("kvtrace.teller", "kvtrace.number", "kvtrace.process")
    return [one for attributes in told for one in attributes.items() if one[0] not in who]
