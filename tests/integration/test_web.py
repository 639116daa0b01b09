"""The screen in a real browser, over real black boxes."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.integration.devtools import browser, page
from tests.integration.test_cli import command, consumer, environ, producer, said

needs_browser = pytest.mark.skipif(
    browser() is None, reason="no Chromium here: apt-get install chromium"
)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        found: int = free.getsockname()[1]
    return found


@contextmanager
def served(boxes: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The server, once it listens."""
    with subprocess.Popen(
        command("live", "--web", f"127.0.0.1:{port}"), stderr=subprocess.PIPE, env=environ(boxes)
    ) as server:
        try:
            assert server.stderr is not None
            assert f"open http://127.0.0.1:{port} in a browser".encode() in server.stderr.readline()
            yield server
        finally:
            server.kill()


@needs_browser
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_browser_sees_filters_and_opens_and_leaves_no_process(
    tmp_path: Path, number: signal.Signals
) -> None:
    boxes, port = tmp_path / "boxes", free_port()
    with consumer(boxes), producer(boxes), served(boxes, port) as server:
        async with page(f"http://127.0.0.1:{port}", tmp_path / "browser") as seen:
            await seen.shows("1 in flight")
            await seen.focus()
            await seen.press("/")
            await seen.shows("FILTER")
            for sign in "phase:write":
                await seen.press(sign)
            await seen.shows("0 of 1 shown")
            await seen.press("Escape")
            # An Enter right behind an Escape would be one key to a terminal.
            await seen.shows("cmpl-1")
            await seen.press("Enter")
            await seen.shows("Fleet › cmpl-1")
            assert len(await seen.picture()) > 10_000
            processes = psutil.Process(server.pid).children(recursive=True)
            assert processes
            server.send_signal(number)
            assert server.wait(20) == 0
        gone, alive = psutil.wait_procs(processes, timeout=10)
        assert (bool(gone), alive) == (True, [])


@needs_browser
async def test_a_page_that_is_closed_ends_its_process(tmp_path: Path) -> None:
    boxes, port = tmp_path / "boxes", free_port()
    with consumer(boxes), served(boxes, port) as server:
        async with page(f"http://127.0.0.1:{port}", tmp_path / "browser") as seen:
            await seen.shows("in flight")
            processes = psutil.Process(server.pid).children(recursive=True)
        assert processes
        assert psutil.wait_procs(processes, timeout=20)[1] == []
        assert server.poll() is None


@needs_browser
async def test_a_server_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    boxes, port = tmp_path / "boxes", free_port()
    with consumer(boxes), served(boxes, port) as server:
        async with page(f"http://127.0.0.1:{port}", tmp_path / "browser") as seen:
            await seen.shows("in flight")
            processes = psutil.Process(server.pid).children(recursive=True)
            server.kill()
            assert psutil.wait_procs(processes, timeout=20)[1] == []


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = said(tmp_path, "live", "--web", f"127.0.0.1:{port}")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"kvtrace: 127.0.0.1:{port} cannot be listened on (Address already in use): "
        "name another with --web\n"
    )


def test_beyond_loopback_it_warns(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("live", "--web", f"0.0.0.0:{free_port()}"),
        stderr=subprocess.PIPE,
        env=environ(tmp_path),
    ) as server:
        assert server.stderr is not None
        assert b"there is no authentication" in server.stderr.readline()
        assert b"open http://0.0.0.0:" in server.stderr.readline()
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


@pytest.mark.parametrize("other", ["--once", "--plain", "--json", "--listen"])
def test_it_excludes_what_is_no_screen_of_its_own(tmp_path: Path, other: str) -> None:
    done = said(tmp_path, "live", other, "--web")
    assert done.returncode == 2
    assert b"--web shows black boxes" in done.stderr


def test_without_what_serves_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "textual_serve.py").write_text("raise ModuleNotFoundError(name='textual_serve')")
    given = environ(tmp_path)
    given["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{given['PYTHONPATH']}"
    done = subprocess.run(command("live", "--web"), capture_output=True, env=given, timeout=60)
    assert done.returncode == 2
    assert b"--web needs the package textual_serve: pip install 'kvtrace[web]'" in done.stderr
