"""What an engine's NIXL agent can be told to do wrong, while the engine runs.

A fault is a stand-in for a broken network or a broken peer: the engine, vLLM's connector and NIXL
are real, and between the last two stands `lab.nixl_faults`, which reads what to do from a file.
"""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec

VARIABLE = "KVTRACE_LAB_FAULTS"
"""Tells an engine's processes which file is theirs."""

CONNECTOR = "lab.faulty"
"""Where vLLM finds a push connector whose NIXL agent can be told so."""


class Fault(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing to go wrong, until it is taken away."""

    call: str
    """Of NIXL's agent: `transfer`, `check_xfer_state`, `send_notif`, `add_remote_agent`, …"""
    does: Literal["raise", "answer", "drop", "delay", "hold", "reword"]
    """`raise` an error, or `answer` something, instead of the call; `drop` the call, or the
    messages of `get_new_notifs`; `delay` it; `hold` it until the fault is taken away; `reword` the
    registration that it sends."""
    about: str = ""
    """Only calls that speak of this: a part of a message, or of a write's notification, in which
    the consumer's request is named. Empty for all."""
    error: str = "nixlBackendError"
    """What is raised, by its name in NIXL's bindings."""
    answer: str = ""
    words: dict[str, Any] = {}
    """Put over those of a registration: `decode_port`, …"""
    seconds: float = 0.0
    """Of the delay."""
    skip: int = 0
    """So many calls go well first."""
    times: int = 0
    """Then so many do not; 0 for all. Each rank counts for itself."""
    rank: int = -1
    """Only of this rank; -1 for all."""
    name: str = msgspec.field(default_factory=lambda: uuid.uuid4().hex)
    """What its calls are counted by."""


class Faults:
    """The faults of one engine, in the file that its processes look at."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @property
    def environment(self) -> dict[str, str]:
        """What the engine must be started with."""
        return {VARIABLE: str(self.file)}

    @contextmanager
    def at_work(self, *faults: Fault) -> Iterator[None]:
        """Let these go wrong, and nothing else, while the block lasts."""
        self.put(*faults)
        try:
            yield
        finally:
            self.put()

    def put(self, *faults: Fault) -> None:
        """Let these go wrong, and nothing else, from now on."""
        fresh = self.file.with_suffix(".new")
        fresh.write_bytes(msgspec.json.encode(faults))
        os.replace(fresh, self.file)


class FaultFile:
    """The same file as an engine's process sees it: read anew when it is another."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: tuple[int, int] | None = None
        self._faults: tuple[Fault, ...] = ()

    def now(self) -> tuple[Fault, ...]:
        """What shall go wrong at this moment."""
        try:
            status = self._file.stat()
            if (status.st_ino, status.st_mtime_ns) != self._seen:
                self._faults = _decode(self._file.read_bytes())
                self._seen = status.st_ino, status.st_mtime_ns
        except FileNotFoundError:
            self._faults, self._seen = (), None
        return self._faults


_decode = msgspec.json.Decoder(tuple[Fault, ...]).decode
