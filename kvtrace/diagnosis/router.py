"""What a rule can ask of a router that speaks: which legs it sent, and how they ended."""

from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.events import LegAnswered, LegSent, RequestAdmitted
from kvtrace.identity import routers_ids
from kvtrace.model import Role


def sent(case: Case, role: Role) -> Found[LegSent] | None:
    """That the router sent this request's leg to that side."""
    legs = case.scene.legs(_ids(case), LegSent)
    return next((one for one in legs if one.event.role_sent == role), None)


def answered_badly(case: Case, role: Role) -> Found[LegAnswered] | None:
    """That the leg to that side ended without success."""
    legs = (one for one in case.scene.legs(_ids(case), LegAnswered) if one.event.role_sent == role)
    return next((one for one in legs if one.event.error or one.event.status // 100 != 2), None)


def answered_well(case: Case, role: Role) -> Found[LegAnswered] | None:
    """That the leg to that side ended with success."""
    legs = (one for one in case.scene.legs(_ids(case), LegAnswered) if one.event.role_sent == role)
    return next((one for one in legs if not one.event.error and one.event.status // 100 == 2), None)


def _ids(case: Case) -> frozenset[str]:
    """What the router could have called it; nothing where no router speaks."""
    if not case.scene.router_speaks:
        return frozenset()
    half = case.transfer.consumer or case.transfer.producer
    asked = case.first(RequestAdmitted)
    named = asked.event.remote_request if asked is not None else ""
    known = routers_ids(half.request) if half is not None else frozenset()
    return known | ({named} if named else frozenset())
