"""The promise to the host, on real engines: same answers, nobody waits, nothing grows."""

import os
import pty
import random
import signal
import subprocess
import sys
import threading
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lab.client import random_prompt
from lab.engine import Engine
from lab.pair import Pair

from kvtrace.causes import ABOUT, Kind
from kvtrace.sources.run_directory import read_once
from tests.life import Seen

REQUESTS = 300
CHANCE = 20261201
"""Seed of the prompts, so that both passes and both pairs get the same."""

DEV = {"VLLM_SERVER_DEV_MODE": "1"}
"""Gives the engines the call that empties their prefix caches."""

GROWTH = 4 * 2**20
"""Bytes by which a traced worker may grow more than a plain one over 200 requests.

In a second pass over the same prompts, since torch keeps something for each length it meets: over
the first ones a plain worker grows by 200 MB, and by how much at which request is chance.
"""

Tokens = tuple[int, ...]


def prompts() -> list[list[int]]:
    chance = random.Random(CHANCE)
    return [random_prompt(chance.randrange(20, 120), chance) for _ in range(REQUESTS)]


def forget_prefixes(pair: Pair) -> None:
    for engine in pair.engines:
        call = urllib.request.Request(f"{engine.url}/reset_prefix_cache", method="POST")
        urllib.request.urlopen(call, timeout=30).close()


def anonymous(engine: Engine) -> int:
    """Bytes of memory that are the worker's own; the black box is shared memory, and fixed."""
    status = Path(f"/proc/{engine.pids['worker 0']}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


def answers(pair: Pair) -> tuple[list[Tokens], list[int]]:
    """The tokens of all answers, and by how much each worker grew over the last 200."""
    forget_prefixes(pair)
    found: list[Tokens] = []
    before = [0, 0]
    for prompt in prompts():
        if len(found) == REQUESTS - 200:
            before = [anonymous(engine) for engine in pair.engines]
        answer = pair.complete(prompt, max_tokens=3)
        assert answer.answered, answer.error
        found.append(answer.tokens)
    after = [anonymous(engine) for engine in pair.engines]
    return found, [now - then for now, then in zip(after, before, strict=True)]


@contextmanager
def screen(directory: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The live screen on a terminal of its own."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "kvtrace", "live", "--dir", str(directory)]
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    shown = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
    )
    os.close(slave)
    drain = threading.Thread(target=_drain, args=(master,))
    drain.start()
    try:
        yield shown
    finally:
        if shown.poll() is None:
            shown.kill()
        shown.wait(10)
        drain.join(10)


def _drain(master: int) -> None:
    """Read what the screen draws, so that it never waits for us."""
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        pass
    finally:
        os.close(master)


def check_nothing_is_wrong(seen: Seen) -> None:
    """No cause is named for healthy transfers, but that of a machine that stood still itself."""
    causes = {line.cause: line for line in seen.snapshot.causes}
    assert {cause for cause in causes if ABOUT[cause].kind is not Kind.SLOW} == set()
    assert sum(line.count for line in causes.values()) <= REQUESTS // 100


@pytest.mark.timeout(1500)
def test_300_requests_have_the_same_tokens_traced_and_plain(pairs) -> None:  # type: ignore[no-untyped-def]
    with pairs(traced=False, env=DEV) as plain:
        expected, _ = answers(plain)
        control, grown_plain = answers(plain)
        assert list(plain.run_dir.iterdir()) == []
    assert control == expected, "plain engines do not even agree with themselves"
    with pairs(env=DEV) as traced:
        found, _ = answers(traced)
        again, grown_traced = answers(traced)
        seen = Seen(read_once(traced.run_dir))
    assert found == again == expected
    assert seen.snapshot.totals.finished >= 2 * REQUESTS - 1
    check_nothing_is_wrong(seen)
    print(f"grown over 200 requests, bytes: plain {grown_plain}, traced {grown_traced}")
    for plain_bytes, traced_bytes in zip(grown_plain, grown_traced, strict=True):
        assert traced_bytes <= max(plain_bytes, 0) + GROWTH


def test_killing_the_screen_mid_traffic_disturbs_no_request(pair: Pair) -> None:
    with screen(pair.run_dir) as shown:
        for number in range(24):
            assert shown.poll() is None or number > 12
            if number == 12:
                shown.send_signal(signal.SIGKILL)
            assert pair.complete(60, max_tokens=2).answered


def test_a_request_that_goes_on_while_the_screen_dies_leaves_a_whole_black_box(pair: Pair) -> None:
    request_id = f"after-{uuid.uuid4()}"
    with screen(pair.run_dir) as shown:
        shown.send_signal(signal.SIGKILL)
        assert pair.complete(60, request_id=request_id).answered
    losses = Seen(read_once(pair.run_dir)).snapshot.losses
    assert (losses.unreadable, losses.overwritten) == (0, 0)
