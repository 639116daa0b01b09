"""The one who watches other hosts."""

import json
import subprocess
from threading import Thread
from typing import Any

from tests.integration.hosts import Host


class Watcher:
    """`kvtrace live --listen` on the host in the middle, and what it said last."""

    def __init__(self, host: Host) -> None:
        self._run = host.runs("-m", "kvtrace", "live", "--json", "--listen", ":4317")
        self.last: dict[str, Any] = {}
        Thread(target=self._follow, args=(self._run,), daemon=True).start()

    def _follow(self, run: "subprocess.Popen[str]") -> None:
        assert run.stdout is not None
        for line in run.stdout:
            self.last = json.loads(line)

    def engine(self, name: str) -> dict[str, Any]:
        found = (one for one in self.last.get("engines", ()) if one["id"] == name)
        return next(found, {})

    def finished(self) -> int:
        return int(self.last.get("totals", {}).get("finished", 0))
