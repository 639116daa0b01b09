"""Whose each signal is: one resource for each engine and process."""

import socket
from collections.abc import Callable, Mapping

from kvtrace import __version__
from kvtrace.black_box import Header
from kvtrace.moments import Record
from kvtrace.signals.logs import Resource, resource_of
from kvtrace.signals.values import Attributes, Value


class Identity:
    """The resources of all processes that were met."""

    def __init__(
        self,
        told: Attributes,
        boxes: Callable[[], Mapping[str, Header]],
        host: Callable[[], str] = socket.gethostname,
    ) -> None:
        self._facts: dict[str, Value] = {
            "host.name": host(),
            "kvtrace.version": __version__,
            **told,
        }
        self._boxes = boxes
        self._pids: dict[str, int] = {}
        self._spoke: dict[str, tuple[str, str]] = {}
        self._made: dict[tuple[str, str, str], Resource] = {}

    def of_record(self, record: Record) -> Resource:
        """Whose the record is."""
        key = (record.process, record.engine, record.clock)
        found = self._made.get(key)
        if found is None:
            self._spoke[record.process] = (record.engine, record.clock)
            found = self._make(*key)
        return found

    def of(self, process: str, engine: str = "") -> Resource:
        """The resource of a process, by the engine it last spoke for where none is named."""
        spoke = self._spoke.get(process, ("", ""))
        key = (process, engine or spoke[0], spoke[1])
        return self._made.get(key) or self._make(*key)

    def keep(self, processes: frozenset[str]) -> None:
        """Forget all processes but these."""
        for key in [key for key in self._made if key[0] not in processes]:
            del self._made[key]
        for known in (self._pids, self._spoke):
            for process in known.keys() - processes:
                del known[process]

    def _make(self, process: str, engine: str, clock: str) -> Resource:
        header = self._boxes().get(process)
        if header is not None:
            self._pids[process] = header.pid
        facts = dict(self._facts)
        if process in self._pids:
            facts["process.pid"] = self._pids[process]
        made = resource_of(process, engine, clock, facts)
        self._made[process, engine, clock] = made
        return made
