"""Which spans of a half can be made by now."""

from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.signals.account import Account
from kvtrace.signals.open_half import OpenHalf, begin
from kvtrace.signals.parting import GIVE_UP, LINGER, Looked, loose_handshake, part, phases
from tests.unit import samples
from tests.unit.signals.telling import account_of
from tests.unit.story import CLOCK, SECOND, P, Story

NOW = 50 * SECOND


def look(account: Account, half: OpenHalf | None = None, now: int = NOW) -> Looked:
    half = half or begin((account.engine, account.role, account.request), 0)
    return part(half, account, {}, CLOCK, now)


def names(looked: Looked) -> list[str]:
    return [span.name.removeprefix("kvtrace.") for span in looked.spans]


def test_spans_wait_until_it_is_known_which_trace_they_belong_to() -> None:
    story = Story().at(1, *samples.CONSUMER_FIRST[2:])
    assert names(look(account_of(story))) == []
    assert names(look(account_of(story.at(1, samples.request_admitted())))) == ["registration"]


def test_each_span_is_made_once() -> None:
    account = account_of(Story().at(1, *samples.CONSUMER_FIRST))
    half = begin((account.engine, account.role, account.request), 0)
    assert names(look(account, half)) == ["registration"]
    assert names(look(account, half)) == []


def test_a_half_that_went_well_waits_for_what_its_other_ranks_told() -> None:
    events = [*samples.CONSUMER_FIRST, samples.receive_finished(), samples.request_resumed()]
    account = account_of(Story().at(1, *events), ranks=1)
    half = begin((account.engine, account.role, account.request), 0)
    first = look(account, half)
    assert (names(first), first.over, first.done) == (["registration"], True, False)
    assert first.again == NOW + GIVE_UP
    assert names(look(account, half, first.again)) == ["transfer"]


def test_one_that_did_not_waits_less_and_cuts_off_what_was_going_on() -> None:
    story = Story().at(1, *samples.CONSUMER_FIRST[:-1]).at(3, samples.receive_failed())
    account = account_of(story)
    half = begin((account.engine, account.role, account.request), 0)
    assert not look(account, half).done
    looked = look(account, half, NOW + LINGER)
    assert names(looked) == ["registration", "transfer"]
    cut, root = looked.spans
    assert cut.attributes["kvtrace.unfinished"] is True
    assert cut.end == root.end == 3 * SECOND
    assert (root.error, root.attributes["kvtrace.outcome"]) == (
        "its KV will not come",
        "failed",
    )


def test_a_rank_that_was_never_asked_has_waited_for_nothing() -> None:
    story = Story().at(1, *samples.PRODUCER_FIRST).at(2, samples.send_reported())
    account = account_of(story.at(3, samples.blocks_released()), Role.PRODUCER)
    assert [draft.phase for draft in phases(account, {})] == ["readiness"]
    assert names(look(account)) == ["transfer"]


def test_a_registration_that_never_came_is_told_when_the_lease_ran_out() -> None:
    story = Story().at(1, *samples.PRODUCER_FIRST).at(9, samples.lease_expired())
    account = account_of(story, Role.PRODUCER)
    half = begin((account.engine, account.role, account.request), 0)
    look(account, half)
    readiness, root = look(account, half, NOW + LINGER).spans
    assert readiness.attributes["kvtrace.waited_for"] == "registration"
    assert (readiness.end, root.attributes["error.type"]) == (9 * SECOND, "lease.expired")


def test_a_handshake_in_nobody_s_name_says_which_side_made_it() -> None:
    story = Story().at(1, samples.handshake_failed(request="", side="P"), by=P)
    record = story.moments[0].news
    assert isinstance(record, Record)
    span = loose_handshake(record, None)
    assert span.attributes["kvtrace.role"] == "P"
    assert span.error != ""
    assert span.span_id == span.root
