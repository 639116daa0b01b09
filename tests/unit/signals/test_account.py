"""What one engine told of a request, in order."""

from kvtrace.events import PrefillAdmitted, RegistrationSent, RequestAdmitted
from kvtrace.model import Role
from kvtrace.signals.account import last, root_of
from kvtrace.signals.ids import derived
from tests.unit import samples
from tests.unit.signals.telling import account_of
from tests.unit.story import SECOND, D, Engine, Story


def test_its_root_can_be_named_before_anything_but_the_request_is_known() -> None:
    account = account_of(Story().at(1, samples.registration_queued()))
    assert account.root == root_of(("D0", Role.CONSUMER, samples.D_REQUEST))
    assert account.root != root_of(("D0", Role.PRODUCER, samples.D_REQUEST))


def test_events_are_found_by_their_kind_the_earliest_first() -> None:
    account = account_of(Story().at(2, *samples.CONSUMER_FIRST))
    assert account.first(RequestAdmitted) == samples.request_admitted()
    assert account.first(PrefillAdmitted) is None
    assert [type(r.event) for r in account.every(RegistrationSent, RequestAdmitted)] == [
        RequestAdmitted,
        RegistrationSent,
    ]
    assert last(account.every(RegistrationSent, RequestAdmitted)).rank == 0


def test_times_are_reckoned_from_the_admission_s_wall_clock_by_the_monotonic_one() -> None:
    ahead = Engine(name="D0", role=Role.CONSUMER, ahead=50)
    story = Story().at(3, samples.request_admitted(), samples.registration_queued(), by=ahead)
    account = account_of(story)
    queued = account.records[1][0]
    assert account.wall(queued) == 3 * SECOND
    assert account.wall(queued, ago=SECOND) == 2 * SECOND


def test_a_record_of_another_host_keeps_its_own_wall_clock() -> None:
    far = Engine(name="D0", role=Role.CONSUMER, clock="host-2", ahead=50)
    story = Story().at(3, samples.request_admitted(), by=D)
    account = account_of(story.at(4, samples.registration_queued(), by=far))
    queued = account.records[-1][0]
    assert account.wall(queued) == 4 * SECOND
    assert account.wall_at(queued.at, queued.clock) == 0


def test_a_traceparent_that_is_none_leaves_the_derived_trace() -> None:
    account = account_of(Story().at(1, samples.request_admitted(trace="00-ab-cd-01")))
    assert account.parent is None
    assert account.trace_id == derived("r1").trace_id
    assert account.admitted is not None


def test_the_rest_of_kvtrace_knows_it_as_a_half() -> None:
    half = account_of(Story().at(2, *samples.CONSUMER_FIRST)).half
    assert (half.request, half.base, len(half.told)) == (samples.D_REQUEST, "r1", 6)
