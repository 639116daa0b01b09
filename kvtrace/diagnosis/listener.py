"""Rules for an engine that answers no handshakes any more."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.exchange import Failure
from kvtrace.diagnosis.first_handshake import under_way
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import ListenerDied, ListenerStarted, RequestAdmitted
from kvtrace.model import Role
from kvtrace.wire import kind
from kvtrace.words import clean, duration


def listener_died(case: Case, failed: Failure) -> Diagnosis | None:
    """The engine that did not answer lives, and its listener does not."""
    role = failed.caller.peer
    died = dead_listener(case.scene, case.engine_id(role))
    if died is None or died.at > failed.told.at:
        return None
    took = f" in {duration(failed.took)}" if failed.took else ""
    asked = f"{case.place(failed.told.place)} had no answer from {case.called(role)}{took}"
    return _died(case, role, died, asked, case.saw(failed.told, "No answer came."))


def asks_a_dead_listener(case: Case) -> Diagnosis | None:
    """A handshake that lasts asks an engine whose listener has died meanwhile."""
    asks = under_way(case) if case.over is None else None
    died = dead_listener(case.scene, asks.peer) if asks is not None else None
    if asks is None or died is None:
        return None
    role = asks.told.place.role.peer
    lasted = duration(case.now - asks.began)
    asked = f"{case.place(asks.told.place)} has asked {case.called(role)} for {lasted}"
    return _died(case, role, died, asked, case.saw(asks.told, "The handshake began."))


def _died(
    case: Case, role: Role, died: Found[ListenerDied], asked: str, seen: Evidence
) -> Diagnosis:
    peer, error = case.called(role), clean(died.event.error) or "an error"
    return case.blame(
        Cause.LISTENER_DIED,
        f"{asked}: {peer}’s handshake listener died {case.ago(died)} ago of {error}.",
        _remedy(peer, died) + _told_wrong(case, role),
        [case.saw(died, f"The listener died of {error}."), seen],
    )


def dead_listener(scene: Scene, engine: str) -> Found[ListenerDied] | None:
    """That an engine's listener died, and none was started since."""
    return scene.once("dead listener", engine, lambda: _last_word(scene, engine))


def _last_word(scene: Scene, engine: str) -> Found[ListenerDied] | None:
    died = scene.notices(engine, ListenerDied)
    if not died:
        return None
    last = max(died, key=lambda one: one.at)
    started = scene.notices(engine, ListenerStarted)
    return None if any(one.at > last.at for one in started) else last


def _remedy(engine: str, died: Found[ListenerDied]) -> str:
    port = f" (port {died.event.port})" if died.event.port else ""
    if "ddress" in died.event.error:
        return f"Give {engine} a side channel address and port{port} of its own."
    return f"Restart {engine}: it answers no new peer; keep strangers off its side channel{port}."


def _told_wrong(case: Case, role: Role) -> str:
    """One that asks for a rank that is not there kills the listener."""
    asked, known = case.first(RequestAdmitted), case.scene.settings(case.engine_id(role))
    if asked is None or known is None or role is Role.CONSUMER:
        return ""
    if asked.event.tp_size <= known.tp_size:
        return ""
    return f" Let the router tell its true `tp_size` ({known.tp_size}, not {asked.event.tp_size})."


def listener_is_dead(case: EngineCase) -> Diagnosis | None:
    """The engine runs, and no new peer can reach it."""
    if case.engine.state != "alive":
        return None
    died = dead_listener(case.scene, case.engine.id)
    if died is None:
        return None
    error = clean(died.event.error) or "an error"
    return case.blame(
        Cause.LISTENER_DIED,
        f"{case.called}’s handshake listener died {duration(max(0, case.now - died.at))} ago of "
        f"{error}; no new peer can reach it.",
        _remedy(case.called, died),
        [
            Evidence(
                text=f"The listener died of {error}.",
                event=kind(died.event),
                at=died.at,
                place=died.place,
            )
        ],
    )
