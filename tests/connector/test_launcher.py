"""An agent is kept running, and whatever goes wrong with it is not the host's trouble."""

import fcntl
import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kvtrace_connector.launcher import AGAIN, LOCK, LOG, REFUSED, Launcher, launch, wanted
from kvtrace_connector.probe import Recorder, Speaker

from tests.connector.pair import Tape

SENT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}


class Agents:
    """Agents that are launched, as far as their lock goes."""

    def __init__(self, said: bytes = b"") -> None:
        self.said = said
        self.locks: list[int] = []
        self.waits: list[float] = []
        self.now = 0.0
        self.trouble: Exception | None = None
        self.names: list[str] = []

    def launch(self, directory: Path, lock: int, launcher: str) -> None:
        if self.trouble is not None:
            raise self.trouble
        os.ftruncate(lock, 0)
        os.pwrite(lock, self.said + (launcher.encode() if self.said else b""), 0)
        self.names.append(launcher)
        self.locks.append(os.dup(lock))

    def die(self) -> None:
        lock, self.locks[-1] = self.locks[-1], -1
        os.close(lock)


@pytest.fixture
def agents() -> Iterator[Agents]:
    made = Agents()
    yield made
    for lock in made.locks:
        if lock >= 0:
            os.close(lock)


def launcher(directory: Path, agents: Agents, **environ: str) -> Launcher:
    return Launcher(
        {"KVTRACE_DIR": str(directory), **SENT, **environ},
        launch=agents.launch,
        sleep=agents.waits.append,
        now=lambda: agents.now,
    )


def until(met: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not met():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.005)


def ended(one: Launcher) -> None:
    assert one._thread is not None
    one._thread.join(10)
    assert not one._thread.is_alive()


def test_it_is_wanted_where_there_is_somewhere_to_send_to() -> None:
    assert wanted(SENT)
    assert wanted({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "h:1"})
    assert wanted({**SENT, "KVTRACE_AGENT": "1"})
    assert wanted({**SENT, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"})
    assert not wanted({})
    assert not wanted({**SENT, "OTEL_SDK_DISABLED": "true"})
    for word in ("0", "false", "No", "off"):
        assert not wanted({**SENT, "KVTRACE_AGENT": word})


def test_where_it_is_not_wanted_there_is_neither_thread_nor_file(
    tmp_path: Path, agents: Agents
) -> None:
    one = launcher(tmp_path, agents, KVTRACE_AGENT="0")
    one.start()
    assert one._thread is None
    assert list(tmp_path.iterdir()) == []


def test_one_agent_is_launched_however_many_ask(tmp_path: Path, agents: Agents) -> None:
    many = [launcher(tmp_path, agents) for _ in range(4)]
    for one in many:
        one.start()
        one.start()
    until(lambda: agents.locks)
    assert len(agents.locks) == 1
    opened = os.open(tmp_path / LOCK, os.O_RDWR)
    with pytest.raises(BlockingIOError):
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(opened)
    for one in many:
        one.stop()
    agents.die()
    for one in many:
        ended(one)
    assert len(agents.locks) == 1


def test_an_agent_that_died_is_replaced_at_once_and_dying_ones_ever_later(
    tmp_path: Path, agents: Agents
) -> None:
    one = launcher(tmp_path, agents)
    one.start()
    for number in range(1, 10):
        until(lambda number=number: len(agents.locks) == number)
        if number == 9:
            agents.now += 61
            one.stop()
        agents.die()
    ended(one)
    assert agents.waits == [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 0.0]


def test_one_that_cannot_work_is_tried_again_much_later_and_that_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    agents = Agents(said=REFUSED)
    one = launcher(tmp_path, agents)
    one.start()
    for number in range(1, 4):
        until(lambda number=number: len(agents.locks) == number)
        if number == 3:
            one.stop()
        agents.die()
    ended(one)
    assert agents.waits == [0.0, AGAIN, 0.0, AGAIN, 0.0, AGAIN, 0.0]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert str(tmp_path / LOG) in caplog.text


def test_while_it_waits_to_try_again_others_may(tmp_path: Path) -> None:
    tries, waiting, goes_on = Agents(said=REFUSED), threading.Event(), threading.Event()

    def sleep(seconds: float) -> None:
        if seconds == AGAIN:
            waiting.set()
            goes_on.wait(10)

    environ = {"KVTRACE_DIR": str(tmp_path), **SENT}
    one = Launcher(environ, launch=tries.launch, sleep=sleep)
    one.start()
    until(lambda: tries.locks)
    tries.die()
    assert waiting.wait(10)
    works = Agents()
    other = launcher(tmp_path, works)
    other.start()
    until(lambda: works.locks)
    for each in (one, other):
        each.stop()
    works.die()
    goes_on.set()
    for each in (one, other):
        ended(each)


def test_that_somebody_elses_cannot_work_does_not_keep_one_from_trying(
    tmp_path: Path, agents: Agents, caplog: pytest.LogCaptureFixture
) -> None:
    one = launcher(tmp_path, agents)
    one.start()
    until(lambda: agents.locks)
    (tmp_path / LOCK).write_bytes(REFUSED + b"another\n")
    agents.die()
    until(lambda: len(agents.locks) == 2)
    assert caplog.records == []
    assert len(set(agents.names)) == 1
    one.stop()
    agents.die()
    ended(one)


def test_what_an_agent_of_before_left_does_not_keep_one_from_trying(
    tmp_path: Path, agents: Agents
) -> None:
    (tmp_path / LOCK).write_bytes(REFUSED)
    one = launcher(tmp_path, agents)
    one.start()
    until(lambda: agents.locks)
    one.stop()


@pytest.mark.parametrize(
    "trouble",
    [
        FileNotFoundError("no python"),
        PermissionError("not allowed"),
        subprocess.SubprocessError("no process"),
        ValueError("embedded null byte"),
    ],
)
def test_a_launch_that_fails_is_one_warning(
    tmp_path: Path, agents: Agents, caplog: pytest.LogCaptureFixture, trouble: Exception
) -> None:
    agents.trouble = trouble
    one = launcher(tmp_path, agents)
    one.start()
    ended(one)
    assert len(caplog.records) == 1
    assert "Transfers are not affected" in caplog.text
    assert one._opened is None


def test_a_directory_that_is_gone_ends_it_quietly(
    tmp_path: Path, agents: Agents, caplog: pytest.LogCaptureFixture
) -> None:
    one = launcher(tmp_path / "gone", agents)
    one.start()
    ended(one)
    assert caplog.records == []


def test_a_link_in_the_place_of_the_lock_is_not_followed(
    tmp_path: Path, agents: Agents, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / LOCK).symlink_to(tmp_path / "elsewhere")
    one = launcher(tmp_path, agents)
    one.start()
    ended(one)
    assert len(caplog.records) == 1
    assert agents.locks == []


def test_where_no_thread_can_be_started_that_is_one_warning(
    tmp_path: Path,
    agents: Agents,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    launcher(tmp_path, agents).start()
    assert len(caplog.records) == 1


def test_a_forked_child_holds_no_lock_and_has_no_thread(tmp_path: Path, agents: Agents) -> None:
    one = launcher(tmp_path, agents)
    one.start()
    until(lambda: agents.locks)
    until(lambda: one._opened is not None)
    child = os.fork()
    if child == 0:
        os._exit(0 if one._opened is None and one._thread is None else 1)
    assert os.waitpid(child, 0)[1] == 0
    one.stop()


def test_a_recorder_starts_it_with_its_box_and_stops_it_with_it() -> None:
    told: list[str] = []

    class Keeper:
        def start(self) -> None:
            told.append("start")

        def stop(self) -> None:
            told.append("stop")

    recorder = Recorder(Tape, agent=Keeper())
    speakers = [Speaker("P", None, rank) for rank in (-1, 0)]
    for speaker in speakers:
        recorder.join(speaker)
    assert told == ["start"]
    for speaker in speakers:
        recorder.leave(speaker, "over")
    assert told == ["start", "stop"]


def test_what_is_launched_is_no_descendant_and_holds_the_lock(tmp_path: Path) -> None:
    lock = os.open(tmp_path / LOCK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    launch(tmp_path, lock, "this-one")
    os.close(lock)
    other = os.open(tmp_path / LOCK, os.O_RDWR)
    # Without an endpoint it ends by itself, and says why.
    fcntl.flock(other, fcntl.LOCK_EX)
    os.close(other)
    until(lambda: "nothing says where to send" in (tmp_path / LOG).read_text())
    assert (tmp_path / LOCK).read_bytes() == REFUSED + b"this-one\n"
    assert (tmp_path / LOG).stat().st_mode & 0o777 == 0o600
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
