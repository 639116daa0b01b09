"""One running engine: started, watched while it comes up, and stopped without a trace."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from lab import processes
from lab.errors import EngineDiedError
from lab.faults import Faults
from lab.keeper import GRACE
from lab.launch import HOST, Launch, command, environment
from lab.run import Run
from lab.startup import FIRST_STEP, last_words, step_begun

EXAMPLES = Path(__file__).parent.parent


class Engine:
    """A `vllm serve` of ours. Start it from the main thread; it ends when we end."""

    def __init__(self, launch: Launch, run: Run) -> None:
        self.launch = launch
        self.run = run
        self.log = run.logs / f"{launch.engine_id}.log"
        self.faults = Faults(run.faults(launch.engine_id))
        """What its NIXL agent is told to do wrong, if it is one that can be told."""
        self.step = FIRST_STEP
        self.ready = False
        self._started_at = time.monotonic()
        self._ready_after = 0.0
        self._read_to = 0
        self._keeper: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where its API is."""
        return f"http://{HOST}:{self.launch.port}"

    @property
    def age(self) -> float:
        """Seconds since the start; once ready, the seconds it took."""
        return self._ready_after if self.ready else time.monotonic() - self._started_at

    @property
    def pids(self) -> dict[str, int]:
        """The pid of each process by role: `api`, `core`, `worker 0`, `worker 1`, …"""
        return {} if self._keeper is None else processes.roles(self._keeper.pid)

    @property
    def alive(self) -> bool:
        """Whether its API server has not ended."""
        return self._keeper is not None and self._keeper.poll() is None

    def start(self) -> None:
        """Start it, and do not wait."""
        words = command(self.launch, Path(sys.executable).with_name("vllm"), self.run.model)
        variables = environment(self.launch, os.environ, self.run.directory, self.run.cache)
        path = os.pathsep.join(filter(None, (str(EXAMPLES), variables.get("PYTHONPATH"))))
        self._started_at = time.monotonic()
        with self.log.open("ab") as log:
            self._keeper = subprocess.Popen(
                [sys.executable, "-m", "lab.keeper", *words],
                env={**variables, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                process_group=0,
            )

    def look(self) -> None:
        """Learn from its log which step it is in, and from /health whether it is ready.

        Raises:
            EngineDiedError: if it ended before it was ready.
        """
        if self.ready:
            return
        for line in self._new_lines():
            self.step = step_begun(line) or self.step
        if not self.alive:
            raise EngineDiedError(self._obituary())
        if self._healthy():
            self._ready_after = time.monotonic() - self._started_at
            self.ready, self.step = True, "ready"

    def signal(self, number: int) -> None:
        """Send a signal to the API server, the engine core and every worker."""
        for pid in self.pids.values():
            os.kill(pid, number)

    def begin_stop(self) -> None:
        """Tell it to end, and do not wait: so several can end at once."""
        if self._keeper is not None and self._keeper.stdin is not None:
            self._keeper.stdin.close()

    def stop(self) -> None:
        """End it with all its processes."""
        self.begin_stop()
        if self._keeper is None:
            return
        try:
            self._keeper.wait(GRACE + 10)
        except subprocess.TimeoutExpired:
            keeper = self._keeper.pid
            processes.end(lambda: processes.tree(keeper), 0)
            self._keeper.wait()

    def _healthy(self) -> bool:
        with closing(http.client.HTTPConnection(HOST, self.launch.port, timeout=2)) as connection:
            try:
                connection.request("GET", "/health")
                return connection.getresponse().status == http.HTTPStatus.OK
            except (OSError, http.client.HTTPException):
                return False

    def _new_lines(self) -> list[str]:
        """Return the whole lines the log gained since the last look."""
        with self.log.open("rb") as log:
            log.seek(self._read_to)
            text, newline, _ = log.read().rpartition(b"\n")
        self._read_to += len(text) + len(newline)
        return text.decode(errors="replace").splitlines()

    def _obituary(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        kept = self.run.keep(self.log)
        said = "".join(f"\n  {line[:300]}" for line in last_words(lines))
        return f"Engine {self.launch.engine_id} ended while {self.step}; its log is {kept}:{said}"


def await_ready(
    engines: list[Engine],
    report: Callable[[list[Engine]], None] = lambda engines: None,
    timeout: float = 300,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait until all engines are ready, and report what they do meanwhile.

    Raises:
        EngineDiedError: if one ended, or is not ready in time.
    """
    while not all(engine.ready for engine in engines):
        for engine in engines:
            engine.look()
            if engine.age > timeout:
                raise EngineDiedError(
                    f"Engine {engine.launch.engine_id} is still {engine.step} after "
                    f"{timeout:.0f} s; its log is {engine.run.keep(engine.log)}."
                )
        report(engines)
        sleep(0.2)
