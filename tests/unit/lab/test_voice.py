"""What the lab's router tells kvtrace."""

from lab.voice import Voice

from kvtrace.events import LegAnswered, LegSent
from kvtrace.fleet import Fleet
from kvtrace.moments import Moment
from kvtrace.wire import kind


def test_what_it_says_is_heard_as_said_by_one_router() -> None:
    voice, fleet = Voice(), Fleet("")
    voice.say(LegSent(request="r1", role_sent="D"))
    voice.say(LegAnswered(request="r1", role_sent="D", status=200))
    for record in voice.after(0):
        fleet.take(Moment(record.at, record))
    assert [kind(one.event) for one in fleet.legs.of(["r1"])] == [
        "leg.sent",
        "leg.answered",
    ]


def test_who_comes_later_hears_only_what_is_said_then() -> None:
    voice = Voice()
    voice.say(LegSent(request="r1", role_sent="D"))
    began = voice.number
    voice.say(LegSent(request="r2", role_sent="D"))
    assert [one.event.request for one in voice.after(began)] == ["r2"]
