"""What is drawn of one transfer, as text."""

import msgspec

from kvtrace.moments import Lost
from kvtrace.snapshot import Snapshot
from kvtrace.tui.app import KvtraceApp
from kvtrace.tui.frame import Frame, Mode, Status
from kvtrace.tui.glyphs import ASCII
from kvtrace.tui.header import TABS, header, keys
from kvtrace.tui.help import page as help_page
from kvtrace.tui.look import Look
from kvtrace.tui.losses import losses
from kvtrace.tui.opened import Opened, find
from kvtrace.tui.page import page
from kvtrace.tui.phases import sparkline
from kvtrace.tui.shown import bindings, grouped
from kvtrace.tui.table import TransfersTable
from kvtrace.tui.transfer import TransferScreen
from kvtrace.tui.verdict import verdict
from tests.tui import samples
from tests.tui.conftest import incident
from tests.tui.samples import MS, NEVER, START, S, Script


def opened(script: Script, now: int = START + 10 * S) -> tuple[Opened, Snapshot]:
    snapshot = samples.snapshot([script], now)
    found = find(snapshot, script.name)
    assert found is not None
    return found, snapshot


def drawn(script: Script, *, width: int = 120, room: int = 37) -> str:
    found, snapshot = opened(script)
    frame = Frame(snapshot=snapshot, width=width, height=room + 3)
    return "\n".join(line.plain for line in page(found, frame, room))


def test_a_finished_transfer_has_no_red_and_nothing_missing() -> None:
    found, snapshot = opened(Script(name="r1"))
    frame = Frame(snapshot=snapshot, width=120, height=40)
    lines = page(found, frame, 37)
    text = "\n".join(line.plain for line in lines)
    assert "✓ finished in 431 ms" in text
    assert "not yet" not in text
    assert "never came" not in text
    styles = {str(span.style) for line in lines for span in line.spans}
    assert frame.look.style("stalled") not in styles


def test_the_step_that_never_came_is_named_in_its_lane() -> None:
    text = drawn(Script(name="r1", written=NEVER, ranks=2, broken=1))
    lane = next(line for line in text.splitlines() if line.startswith(" P0 rank 1"))
    assert lane.rstrip().endswith("never came: write posted ╌╌○")
    assert "P cannot reach D: P0 rank 1" in text
    assert " DO " in text


def test_only_one_step_is_to_blame() -> None:
    text = drawn(Script(name="r1", written=NEVER, ranks=2, broken=1))
    assert text.count("never came") == 1
    assert text.count("not yet") == 2


def test_a_wait_that_is_not_too_long_blames_nobody() -> None:
    text = drawn(Script(name="r1", written=NEVER, began=START + 9 * S))
    assert "never came" not in text
    assert "waiting" in text


def test_the_phases_add_up_to_the_whole() -> None:
    text = drawn(Script(name="r1"))
    assert "sum               431 ms  100%" in text


def test_a_side_that_says_nothing_is_said_not_to_be_seen() -> None:
    script = Script(name="r1", ready=NEVER)
    records = [m for m in samples.moments([script], START + 10 * S) if m.news]
    heard = [m for m in records if getattr(m.news, "engine", "") == "D0"]
    snapshot = samples.last(heard)
    found = find(snapshot, snapshot.rows[0].transfer.id)
    assert found is not None
    frame = Frame(snapshot=snapshot, width=120, height=40)
    text = "\n".join(line.plain for line in page(found, frame, 37))
    assert "? P0 not heard from" in text


def test_a_side_without_a_name_is_called_by_what_it_does() -> None:
    found, snapshot = opened(Script(name="r1", ready=NEVER))
    lanes = tuple(
        msgspec.structs.replace(
            lane, seen=False, place=msgspec.structs.replace(lane.place, engine="")
        )
        if lane.place.engine == "P0"
        else lane
        for lane in found.timeline.lanes
    )
    nameless = msgspec.structs.replace(
        found, timeline=msgspec.structs.replace(found.timeline, lanes=lanes)
    )
    frame = Frame(snapshot=snapshot, width=120, height=40)
    text = "\n".join(line.plain for line in page(nameless, frame, 37))
    assert "? P side not heard from" in text
    assert "? ?" not in text


def test_a_page_never_takes_more_room_than_there_is() -> None:
    found = find(incident(), samples.BROKEN)
    assert found is not None
    for width in (20, 40, 60, 80, 120, 200):
        for room in range(2, 60):
            frame = Frame(snapshot=incident(), width=width, height=room + 3)
            lines = page(found, frame, room)
            assert len(lines) == room
            if width >= 60:
                assert all(line.cell_len <= width for line in lines)


def test_a_steady_phase_draws_low_and_a_sudden_rise_draws_high() -> None:
    assert set(sparkline([10, 10, 11, 10], 4, Look())) == {"▃"}
    assert sparkline([10] * 9 + [90], 10, Look())[-1] == "▇"
    assert sparkline([-1, 10, -1], 3, Look()) == " ▃ "
    assert sparkline([], 10, Look()) == ""
    assert len(sparkline(list(range(100)), 20, Look())) == 20


def test_losses_stay_when_there_is_no_room() -> None:
    snapshot = samples.snapshot([], START, Lost(overwritten=4_096), Lost(unreadable=2))
    wide = losses(Frame(snapshot=snapshot, width=120, source="4 black boxes")).plain
    assert "~ overwritten 4,096   ~ unreadable 2" in wide
    narrow = losses(Frame(snapshot=snapshot, width=30, source="4 black boxes")).plain
    assert narrow.strip() == "~ lost 4,098"


def test_keys_are_dropped_whole_from_the_right() -> None:
    shown = [("?", "help"), ("q", "quit"), ("⏎", "open")]
    assert keys(Frame(width=18), shown).plain == " ? help  q quit   "


def test_the_header_says_how_the_snapshots_come() -> None:
    for mode, said in (
        (Mode.LIVE, "● live"),
        (Mode.OVER, "✓ replay over"),
        (Mode.LOST, "✗ source lost"),
    ):
        assert said in header(Frame(status=Status(mode)), ["Fleet"]).plain


def test_tabs_have_names_on_every_screen_of_80_columns() -> None:
    notes = (
        Status(),
        Status(Mode.PAUSED, "12.4 s and 58,112 events behind", "12.4 s"),
        Status(Mode.PAUSED, "at 47%"),
        Status(Mode.REPLAY, "at full speed  47%"),
        Status(Mode.LOST, "gone"),
        Status(Mode.OVER),
    )
    for status in notes:
        for tab in TABS:
            line = header(Frame(snapshot=incident(), status=status, width=80), [tab]).plain
            assert len(line) == 80
            assert "…" not in line
            assert f" {tab} " in line
            assert sum(name in line for name in ("Fle", "Cau", "Lin", "Eng", "5 Ev")) == 5


def test_a_source_that_died_says_since_when_nothing_is_heard() -> None:
    status = Status(Mode.LOST, "/tmp/a: gone")
    lines = verdict(Frame(snapshot=incident(), status=status, zone=None, height=24))
    assert "nothing heard since" in lines[0].plain
    assert lines[2].plain == " /tmp/a: gone"


def test_lanes_without_room_are_counted_and_the_telling_ones_kept() -> None:
    text = drawn(Script(name="r1", written=NEVER, ranks=8, broken=5), width=100, room=19)
    assert "never came: write posted" in text
    assert "no handshake" in text
    assert "more lanes" in text
    lanes = [line for line in text.splitlines() if line.startswith((" D0 ", " P0 ", " ⇄ "))]
    assert len(lanes) + int(text.split("+ ")[1].split()[0]) == 26


def test_in_ascii_a_transfer_and_the_help_are_drawn_in_ascii() -> None:
    found = find(incident(), samples.BROKEN)
    assert found is not None
    frame = Frame(snapshot=incident(), width=120, height=60, look=Look(glyphs=ASCII))
    nodes = [("Fleet", bindings(TransfersTable)), ("Transfer", bindings(TransferScreen))]
    groups = grouped(nodes, bindings(KvtraceApp))
    events = msgspec.structs.replace(found, all_events=True)
    lines = [*page(found, frame, 57), *page(events, frame, 57), *help_page(frame, groups)]
    assert [line.plain for line in lines if not line.plain.isascii()] == []


def test_milliseconds_are_not_lost_beside_a_long_wait() -> None:
    text = drawn(Script(name="r1", began=START - 100 * S, registered=8 * MS, ready=NEVER))
    assert "R registration" in text
    assert "B readiness from P0 scheduler" in text
