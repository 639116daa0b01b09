"""One engine as a rule sees it."""

from collections.abc import Iterable
from typing import Any

from kvtrace.causes import Cause
from kvtrace.diagnosed import Confidence, Diagnosis, Evidence
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.engines import Engine
from kvtrace.model import Link, Role
from kvtrace.transfer import Told
from kvtrace.wire import kind


class EngineCase:
    """An engine, and all that a rule may ask."""

    def __init__(self, engine: Engine, scene: Scene) -> None:
        self.engine = engine
        self.scene = scene
        self.now = scene.now

    @property
    def called(self) -> str:
        """What screens call it."""
        return self.scene.called(self.engine.id)

    def found(self, told: Told) -> Found[Any]:
        """An event of a transfer, on our clock."""
        return Found.of(told, self.scene.clocks)

    def saw(self, found: Found[Any], text: str) -> Evidence:
        """Evidence by an event that happened."""
        return Evidence(text=text, event=kind(found.event), at=found.at, place=found.place)

    def blame(
        self, cause: Cause, sentence: str, remedy: str, evidence: Iterable[Evidence]
    ) -> Diagnosis:
        """The diagnosis; the trouble began with the earliest evidence."""
        mine, shown = self.engine.id, tuple(evidence)
        produces = Role.PRODUCER in self.engine.roles
        return Diagnosis(
            transfer="",
            cause=cause,
            sentence=sentence,
            remedy=remedy,
            evidence=shown,
            link=Link(mine, "") if produces else Link("", mine),
            since=min((one.at for one in shown if one.at is not None), default=self.now),
            confidence=Confidence.HIGH,
            engines=(mine,),
        )
