"""What the halves of this process speak through: who says it, and the black box it goes to."""

import logging
import time
from collections.abc import Callable
from typing import Protocol, TypeAlias

import msgspec

from kvtrace.events import Event, ProcessStarted, TracingStopped
from kvtrace.model import Role
from kvtrace_connector.black_box import BlackBox
from kvtrace_connector.fuse import Fuse

logger = logging.getLogger("vllm.kvtrace")


class Speaker(msgspec.Struct, frozen=True):
    """One half of a connector: an engine's scheduler, or one of its ranks."""

    engine: str
    role: Role | None
    """None where the engine can be either."""

    rank: int


class Box(Protocol):
    """What events are written to; a black box, or a list of them in a test."""

    def origin(self, engine: str, role: Role | None, rank: int) -> int: ...
    def describe(self, origin: int, started: ProcessStarted) -> None: ...
    def record(self, event: Event, origin: int) -> None: ...
    def close(self, reason: str) -> None: ...


class Keeper(Protocol):
    """What keeps an agent running for as long as there is a box."""

    def start(self) -> None: ...
    def stop(self) -> None: ...


Write: TypeAlias = Callable[[Event, int], None]


def lost(event: Event, origin: int) -> None:
    """Where nothing is written down."""


class Recorder:
    """Keeps this process' one black box, opened when its first half is built.

    A box that cannot be opened is one warning, and no tracing.
    """

    def __init__(
        self, open_box: Callable[[], Box] = BlackBox.open, agent: Keeper | None = None
    ) -> None:
        self._agent = agent
        self.fuse = Fuse(self._last_words)
        self._open_box = open_box
        self._box: Box | None = None
        self._origins: dict[Speaker, int] = {}

    def join(self, speaker: Speaker) -> tuple[Write, int]:
        """Take a half in; what writes down what it says from now on, and under which number."""
        if self._box is None:
            self._open()
        if self._box is None:
            return lost, 0
        origin = self._box.origin(speaker.engine, speaker.role, speaker.rank)
        self._origins[speaker] = origin
        return self._box.record, origin

    def describe(self, speaker: Speaker, started: ProcessStarted) -> None:
        """Keep what is true of a half for as long as it runs."""
        if self._box is not None:
            self._box.describe(self._origins[speaker], started)

    def leave(self, speaker: Speaker, reason: str) -> None:
        """Let a half go; the last one closes the box."""
        self._origins.pop(speaker, None)
        if not self._origins and self._box is not None:
            box, self._box = self._box, None
            box.close(reason)
            if self._agent is not None:
                self._agent.stop()

    def _open(self) -> None:
        try:
            self._box = self._open_box()
            if self._agent is not None:
                self._agent.start()
        except OSError as error:
            self.fuse.blown = True
            logger.warning(
                "kvtrace does not trace this process: it has no black box (%s). Transfers are not "
                "affected. Make the directory writable, or name another one by KVTRACE_DIR.",
                error,
            )

    def _last_words(self, error: str) -> None:
        if self._box is not None:
            for origin in tuple(self._origins.values()):
                self._box.record(TracingStopped(error=error[:500]), origin)


class Probe:
    """One half's voice."""

    __slots__ = ("_origin", "_recorder", "_write", "fuse", "now", "speaker")

    def __init__(
        self,
        recorder: Recorder,
        speaker: Speaker,
        now: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.fuse = recorder.fuse
        self.speaker = speaker
        self.now = now
        self._recorder = recorder
        self._write, self._origin = recorder.join(speaker)

    def record(self, event: Event) -> None:
        """Write down what happened; after the goodbye, nothing."""
        self._write(event, self._origin)

    def describe(self, started: ProcessStarted) -> None:
        """Write down what is true for as long as the half runs."""
        self._recorder.describe(self.speaker, started)

    def leave(self, reason: str) -> None:
        """Say goodbye."""
        self._write = lost
        self._recorder.leave(self.speaker, reason)
