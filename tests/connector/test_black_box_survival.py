import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kvtrace.events import (
    ProcessStarted,
)
from kvtrace.moments import Ended, News, Record
from kvtrace.sources.black_box import BlackBoxReader
from tests.unit.boxes import queued, records, small_box

WRITER = """
import sys
from pathlib import Path
from kvtrace.events import RegistrationQueued, ReceiveReported, RegistrationSent
from kvtrace.model import Role
from kvtrace_connector.black_box import BlackBox
box = BlackBox.open(Path(sys.argv[1]))
origin = box.origin("d", Role.CONSUMER, 0)
count = int(sys.argv[2])
for number in range(count):
    box.record(RegistrationQueued(request=f"r{number}"), origin)
    box.record(RegistrationSent(request=f"r{number}"), origin)
    closing = number if number % 5 else number - 5000
    box.record(ReceiveReported(request=f"r{closing}"), origin)
    if number % 50 == 0:
        print(number, flush=True)
print("done", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that writes for about as long as a test lasts."""
    child = start(tmp_path, 10_000_000)
    yield child
    finish(child)


def start(directory: Path, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(directory), str(count)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=env)


def finish(child: "subprocess.Popen[str]") -> None:
    child.kill()
    child.communicate()


def only_box(directory: Path) -> Path:
    (path,) = directory.glob("*.kvbox")
    return path


def read(path: Path) -> list[News]:
    reader = BlackBoxReader(path)
    news = reader.poll() + reader.poll()
    reader.close()
    return news


def test_a_fork_gets_a_box_of_its_own_at_its_first_event(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.describe(origin, ProcessStarted(engine="d"))
    box.record(queued("parent"), origin)
    child = os.fork()
    if not child:
        box.record(queued("child"), origin)
        os._exit(0)
    os.waitpid(child, 0)
    box.record(queued("parent again"), origin)
    (other,) = set(tmp_path.glob("*.kvbox")) - {box.path}
    told = records(read(other))
    assert [it.event for it in told] == [ProcessStarted(engine="d"), queued("child")]
    assert told[1].engine == "d"
    assert len(records(read(box.path))) == 3
    box.close("")


def test_forks_amid_threads_that_write_leave_the_parents_box_alone_and_hang_nowhere(
    tmp_path: Path,
) -> None:
    box, origin = small_box(tmp_path)
    box.describe(origin, ProcessStarted(engine="d"))
    over = threading.Event()

    def write_on(name: str) -> None:
        number = 0
        while not over.is_set():
            number += 1
            box.record(queued(f"{name}-{number}"), origin)

    threads = [threading.Thread(target=write_on, args=(f"thread {n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            # Whoever hangs here, for a lock that a thread of the parent held, is killed.
            signal.alarm(20)
            for number in range(20):
                box.record(queued(f"child-{number}"), origin)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    over.set()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    own = records(read(box.path))
    assert not [one for one in own if getattr(one.event, "request", "").startswith("child")]
    others = set(tmp_path.glob("*.kvbox")) - {box.path}
    assert len(others) == 4
    for path in others:
        told = records(read(path))
        assert [one.seq for one in told] == list(range(1, 22))
        assert [one.event for one in told[1:]] == [queued(f"child-{n}") for n in range(20)]
    box.close("")


def test_a_fork_that_says_nothing_makes_no_box(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    assert only_box(tmp_path) == box.path
    box.close("")


def test_a_fork_does_not_keep_its_dead_parents_box_alive(tmp_path: Path) -> None:
    ready, done = os.pipe(), os.pipe()
    parent = os.fork()
    if not parent:
        box, origin = small_box(tmp_path)
        box.record(queued(), origin)
        if not os.fork():
            os.write(ready[1], b"x")
            os.read(done[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    os.waitpid(parent, 0)
    reader = BlackBoxReader(only_box(tmp_path))
    assert reader.poll()[-1] == Ended(process=only_box(tmp_path).stem, goodbye=False)
    reader.close()
    os.write(done[1], b"x")
    for end in (*ready, *done):
        os.close(end)


def test_a_program_started_from_here_does_not_keep_the_box_alive(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False)
    box.close("")
    assert isinstance(read(box.path)[-1], Ended)
    child.communicate()


@pytest.mark.parametrize("moment", range(10))
def test_every_event_before_a_kill_is_readable(tmp_path: Path, moment: int) -> None:
    child = start(tmp_path, 10_000_000)
    assert child.stdout is not None
    heard = [child.stdout.readline() for _ in range(random.Random(moment).randint(1, 60))]
    child.kill()
    # What it still said before it died had happened as well.
    number = int((heard + child.communicate()[0].split("\n")[:-1])[-1])
    news = read(only_box(tmp_path))
    told = records(news)
    assert news[-1] == Ended(process=only_box(tmp_path).stem, goodbye=False)
    assert len(news) == len(told) + 1
    assert any(it.event.request == f"r{number}" for it in told)
    closed = {it.event.request for it in told if type(it.event).__name__ == "ReceiveReported"}
    opened = {it.event.request for it in told if type(it.event).__name__ == "RegistrationQueued"}
    still = {f"r{it}" for it in range(max(0, number // 5 * 5 - 4995), number, 5)}
    assert still <= opened - closed


def test_a_stopped_process_is_readable_and_not_ended(
    tmp_path: Path, writer: "subprocess.Popen[str]"
) -> None:
    assert writer.stdout is not None
    for _ in range(3):
        writer.stdout.readline()
    os.kill(writer.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, writer.pid, os.WSTOPPED)
    news = read(only_box(tmp_path))
    assert len(records(news)) > 100
    assert not any(isinstance(it, Ended) for it in news)
    os.kill(writer.pid, signal.SIGCONT)


def test_a_reader_keeps_up_with_a_process_that_writes_without_pause(
    tmp_path: Path, writer: "subprocess.Popen[str]"
) -> None:
    assert writer.stdout is not None
    writer.stdout.readline()
    reader = BlackBoxReader(only_box(tmp_path))
    last, overwritten, told = 0, 0, 0
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        for it in reader.poll():
            if isinstance(it, Record):
                assert it.seq > last
                told += 1
                last = it.seq
            else:
                assert not isinstance(it, Ended)
                assert it.unreadable == 0
                overwritten += it.overwritten
    assert last == reader.before + told + overwritten
    assert told > 5000
    reader.close()


LIMITED = """
import resource, sys
from pathlib import Path
from kvtrace_connector.black_box import BlackBox
resource.setrlimit(getattr(resource, sys.argv[2]), (int(sys.argv[3]),) * 2)
try:
    BlackBox.open(Path(sys.argv[1]))
except OSError as error:
    print(error.errno)
"""


@pytest.mark.parametrize(
    ("limit", "size", "expected"),
    [("RLIMIT_FSIZE", 1 << 20, errno.EFBIG), ("RLIMIT_AS", 1 << 20, errno.ENOMEM)],
)
def test_a_limit_is_an_error_and_leaves_nothing(
    tmp_path: Path, limit: str, size: int, expected: int
) -> None:
    command = [sys.executable, "-c", LIMITED, str(tmp_path), limit, str(size)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, str(expected)), done.stderr
    assert not list(tmp_path.iterdir())
