"""Rules for a producer that holds blocks and was not told where to write them."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.events import (
    BlocksReady,
    MatchMade,
    RegistrationNoticed,
    RequestAdmitted,
    WritePosted,
    WriteStarted,
)
from kvtrace.model import Role


def never_came(case: Case) -> Diagnosis | None:
    """The blocks are ready and leased, and no consumer has asked for them."""
    ready = case.first(BlocksReady)
    if ready is None or not ready.event.held or case.over is not None:
        return None
    if case.has(RegistrationNoticed, MatchMade, WriteStarted, WritePosted):
        return None
    if case.transfer.consumer is not None or case.has(RequestAdmitted) or case.transfer.rivals:
        return None
    p = case.called(Role.PRODUCER)
    return case.blame(
        Cause.REGISTRATION_NEVER_CAME,
        f"{p} has held the blocks for {case.ago(ready)}; no D has told it where to write.",
        f"Check that the router sent the other leg, and that D reaches {p}’s side channel.",
        [
            case.saw(ready, f"The blocks became ready on {p}."),
            case.never("registration.noticed", "No registration came."),
        ],
    )
