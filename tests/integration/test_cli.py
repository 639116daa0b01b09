"""The command line as real processes, over real black boxes."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from kvtrace_connector.black_box import BlackBox

from kvtrace.cli import COMMANDS
from kvtrace.events import BlocksQueued, Event, PrefillAdmitted, RegistrationSent, RequestAdmitted
from kvtrace.model import Role

KEPT = Path(__file__).parents[1] / "recordings" / "version-1.kvtrace"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def boxes(tmp_path: Path) -> Path:
    return tmp_path / "boxes"


@contextmanager
def engine(boxes: Path, role: Role, *events: Event) -> Iterator[None]:
    """A living engine that said this."""
    box = BlackBox.open(boxes)
    origin = box.origin({"P": "prefill-0", "D": "decode-0"}[role], role, -1)
    for event in events:
        box.record(event, origin)
    yield
    box.close("the test is over")


def consumer(boxes: Path) -> Any:
    admitted = RequestAdmitted(request="cmpl-1-aaaaaaaa", producer="prefill-0", tp_size=1)
    sent = RegistrationSent(request="cmpl-1-aaaaaaaa", producer="prefill-0")
    return engine(boxes, Role.CONSUMER, admitted, sent)


def producer(boxes: Path) -> Any:
    return engine(boxes, Role.PRODUCER, PrefillAdmitted(request="cmpl-1-bbbbbbbb"))


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "kvtrace", *arguments]


def environ(boxes: Path) -> dict[str, str]:
    return {**os.environ, "KVTRACE_DIR": str(boxes), "PYTHONPATH": str(ROOT)}


def said(boxes: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command(*arguments), input=given, capture_output=True, env=environ(boxes), timeout=60
    )


@contextmanager
def running(boxes: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command that does not end by itself."""
    with subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ(boxes),
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def line(started: subprocess.Popen[bytes]) -> bytes:
    assert started.stdout is not None
    return started.stdout.readline()


def test_once_tells_of_living_engines(boxes: Path) -> None:
    with consumer(boxes), producer(boxes):
        done = said(boxes, "live", "--once", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert found["totals"]["waiting"] == 1
    [transfer] = found["transfers"]
    assert transfer["phase"] == "readiness"
    assert transfer["waited"] > 0
    assert transfer["link"] == {"producer": "prefill-0", "consumer": "decode-0"}
    assert transfer["requests"] == {"producer": "cmpl-1-bbbbbbbb", "consumer": "cmpl-1-aaaaaaaa"}
    assert {one["state"] for one in found["engines"]} == {"alive"}


def test_once_without_a_terminal_is_a_table(boxes: Path) -> None:
    with consumer(boxes):
        done = said(boxes, "live", "--once")
    assert b"readiness" in done.stdout
    assert b"\x1b" not in done.stdout


def test_the_dead_are_told_of_only_as_long_as_asked(boxes: Path) -> None:
    with consumer(boxes):
        pass
    assert len(json.loads(said(boxes, "live", "--once", "--json").stdout)["engines"]) == 1
    done = said(boxes, "live", "--once", "--json", "--dead", "0")
    assert json.loads(done.stdout)["engines"] == []


def test_once_without_engines_says_what_to_set(boxes: Path) -> None:
    done = said(boxes, "live", "--once", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["engines"] == []
    assert b"KVTRACE=1" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("form", ["--plain", "--json"])
def test_a_watch_ends_by_a_signal_with_code_0(
    boxes: Path, form: str, number: signal.Signals
) -> None:
    with consumer(boxes), running(boxes, "live", form) as watch:
        assert line(watch)
        watch.send_signal(number)
        _, err = watch.communicate(timeout=20)
    assert (watch.returncode, err) == (0, b"")


@pytest.mark.parametrize(("once", "code"), [((), 0), (("--once",), 130)])
def test_a_replay_that_waits_for_more_ends_by_ctrl_c(
    boxes: Path, tmp_path: Path, once: tuple[str, ...], code: int
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Opening the pipe waits for the other side to do so, and then that is at work.
    with running(boxes, "replay", str(pipe), "--plain", *once) as replay, pipe.open("wb") as whole:
        whole.write(KEPT.read_bytes())
        whole.flush()
        if not once:
            assert b" date " in line(replay)
            assert b" status " in line(replay)
        replay.send_signal(signal.SIGINT)
        _, err = replay.communicate(timeout=20)
    assert (replay.returncode, err.strip()) == (code, b"")


def test_a_reader_that_goes_away_ends_it_quietly(boxes: Path) -> None:
    with consumer(boxes), running(boxes, "live", "--json") as watch:
        assert line(watch)
        assert watch.stdout is not None
        watch.stdout.close()
        assert watch.wait(timeout=20) == 0
        assert watch.stderr is not None
        assert watch.stderr.read() == b""


def test_a_recording_replays_to_what_was_live(boxes: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "a.kvtrace.gz")
    with consumer(boxes), producer(boxes):
        recorded = said(boxes, "record", path, "--seconds", "0.5")
    assert recorded.returncode == 0
    assert recorded.stderr.startswith(f"{path}: 3 events recorded in".encode())
    [transfer] = json.loads(said(boxes, "replay", path, "--once", "--json").stdout)["transfers"]
    assert (transfer["id"], transfer["phase"]) == ("cmpl-1", "readiness")


def test_a_recorder_ends_by_ctrl_c_with_a_closing_line(boxes: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    with running(boxes, "record", str(path)) as recorder:
        assert recorder.stderr is not None
        # It says that no engine is heard, so it is at work.
        assert b"KVTRACE=1" in recorder.stderr.readline()
        recorder.send_signal(signal.SIGINT)
        _, err = recorder.communicate(timeout=20)
    assert recorder.returncode == 0
    assert b"0 events recorded" in err
    shown = said(boxes, "replay", str(path), "--once")
    assert (shown.returncode, b"tells of no engine" in shown.stderr) == (2, True)


@pytest.mark.parametrize("name", ["a.kvtrace", "a.kvtrace.gz"])
def test_a_recorder_that_is_killed_leaves_what_it_heard(
    boxes: Path, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    arguments = ("live", "--json", "--record", str(path))
    with consumer(boxes), running(boxes, *arguments) as watch:
        for _ in range(3):
            assert line(watch)
        watch.kill()
        watch.wait()
    [transfer] = json.loads(said(boxes, "replay", str(path), "--once", "--json").stdout)[
        "transfers"
    ]
    assert transfer["id"] == "cmpl-1"


def test_a_recording_is_not_overwritten_unless_forced(boxes: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    path.write_text("dear")
    done = said(boxes, "record", str(path), "--seconds", "0.1")
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert path.read_text() == "dear"
    assert said(boxes, "record", str(path), "--seconds", "0.1", "--force").returncode == 0


def test_a_full_disk_is_one_clear_message(boxes: Path) -> None:
    done = said(boxes, "record", "/dev/full", "--force")
    assert done.returncode == 2
    assert done.stderr.startswith(b"kvtrace: /dev/full cannot be written any further (No space")
    assert done.stderr.count(b"\n") == 1


def test_a_cut_recording_plays_up_to_the_cut_and_says_so(boxes: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    path.write_bytes(KEPT.read_bytes()[:-500])
    done = said(boxes, "replay", str(path), "--once", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["losses"]["unreadable"] == 1
    assert done.stderr == (
        f"kvtrace: {path} breaks off in the middle of a line; shown is what can be read\n".encode()
    )


def test_a_recording_can_come_by_a_pipe(boxes: Path) -> None:
    done = said(boxes, "replay", "-", "--plain", given=KEPT.read_bytes())
    assert done.returncode == 0
    assert b" status " in done.stdout


def test_what_is_no_recording_is_one_sentence_and_code_2(boxes: Path) -> None:
    done = said(boxes, "replay", "-", given=b"hello\n")
    assert done.returncode == 2
    assert done.stderr == (
        b"kvtrace: the standard input is not a recording: make one with `kvtrace record FILE`\n"
    )


def test_lines_can_be_printed_where_the_locale_is_not_utf8(boxes: Path) -> None:
    arguments = command("replay", str(KEPT), "--once")
    poor = {**environ(boxes), "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(arguments, capture_output=True, env=poor, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_imports_neither_a_screen_nor_rules_nor_a_protocol(name: str) -> None:
    heavy = ("textual", "rich", "grpc", "google", "opentelemetry", "kvtrace.diagnosis.rules")
    check = (
        f"import sys; from kvtrace.cli import run; run([{name!r}, '--help']); "
        f"found = [one for one in sys.modules if one.startswith({heavy!r})]; "
        "print(*found, file=sys.stderr, end='')"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, env=environ(ROOT), timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_transfer_is_told_line_by_line(boxes: Path) -> None:
    queued = BlocksQueued(request="cmpl-1-bbbbbbbb", blocks=3)
    with consumer(boxes), engine(boxes, Role.PRODUCER, queued), running(boxes, "live") as watch:
        assert b" date " in line(watch)
        assert b" status " in line(watch)
        assert b"1 in flight" in line(watch)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("live --once <&-", 0),
        ("live --once >&- 2>&- <&-", 2),
        ("live --plain >&-", 2),
        ("live --json >&-", 2),
        ("version >&-", 2),
        ("record $FILE --seconds 0.2 >&- 2>&- <&-", 0),
        ("live --once --json 2>/dev/full", 0),
        ("record $FILE --seconds 0.2 2>&-", 0),
        ("record $FILE --seconds 0.2 2>/dev/full", 0),
        ("replay - <&-", 2),
        ("replay /proc/self/mem", 2),
        ("live --once >/dev/full", 2),
        ("--help >/dev/full", 2),
        ("version >/dev/full", 2),
    ],
)
def test_streams_that_are_closed_or_full_end_in_no_traceback(
    boxes: Path, tmp_path: Path, line: str, code: int
) -> None:
    given = {**environ(boxes), "FILE": str(tmp_path / "a.kvtrace")}
    whole = ["sh", "-c", f"{sys.executable} -m kvtrace {line}"]
    done = subprocess.run(whole, capture_output=True, env=given, timeout=60)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_screen_that_is_left_leaves_no_process(boxes: Path, number: signal.Signals) -> None:
    ours, theirs = pty.openpty()
    given = {**environ(boxes), "TERM": "xterm-256color"}
    screen = subprocess.Popen(
        command("live"), stdin=theirs, stdout=theirs, stderr=theirs, env=given, close_fds=True
    )
    os.close(theirs)
    drawn = b""
    while b"kvtrace" not in drawn:
        drawn += os.read(ours, 4096)
    if number is signal.SIGHUP:
        os.close(ours)
    else:
        threading.Thread(target=_drain, args=(ours,), daemon=True).start()
    screen.send_signal(number)
    assert screen.wait(timeout=20) == (-number if number is signal.SIGHUP else 0)


def _drain(terminal: int) -> None:
    with suppress(OSError):
        while os.read(terminal, 4096):
            pass


def test_a_recorder_that_waits_for_a_pipe_ends_by_ctrl_c(boxes: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check = (
        "import os, signal, threading; from kvtrace.cli import run; "
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start(); "
        f"raise SystemExit(run(['record', {str(pipe)!r}, '--force']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, env=environ(boxes), timeout=60
    )
    assert (done.returncode, done.stderr.strip()) == (130, b"")
