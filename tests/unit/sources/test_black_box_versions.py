from pathlib import Path

from kvtrace import events
from kvtrace.model import Role
from kvtrace.moments import Ended, Lost, Record
from kvtrace.sources.black_box import BlackBoxReader

KEPT = Path(__file__).parents[2] / "black_boxes"
P, D = "cmpl-1-0-aaaaaaaa", "cmpl-1-0-bbbbbbbb"


def test_a_box_of_format_1_is_readable_for_ever() -> None:
    reader = BlackBoxReader(KEPT / "version-1.kvbox")
    news = reader.poll()
    told = [it for it in news if isinstance(it, Record)]
    assert [it.seq for it in told] == [1, 2, 3, 4, 5, *range(7, 22)]
    started, admitted, noticed, queued, match = (it.event for it in told[:5])
    assert isinstance(started, events.ProcessStarted)
    assert (started.engine, started.facts) == ("prefill-1", {"backend": "UCX"})
    assert admitted == events.PrefillAdmitted(request=P, tokens=64)
    assert isinstance(noticed, events.RegistrationNoticed)
    assert noticed.remote_request == D
    assert queued == events.BlocksQueued(request=P, blocks=4)
    assert isinstance(match, events.MatchMade)
    assert (match.request, match.remote_request) == (P, D)
    assert [it.rank for it in told[:3]] == [0, -1, 0]
    assert {it.role for it in told} == {Role.PRODUCER}
    assert {it.thread for it in told} == {"MainThread"}
    assert isinstance(told[-2].event, events.FailureLogged)
    assert told[-1].event == events.ProcessStopped(reason="shutdown")
    assert news[-1] == Ended(process=reader.header.process, goodbye=True)
    assert not any(isinstance(it, Lost) for it in news)
    assert reader.before == 1
    reader.close()
