"""Drafts become spans."""

from kvtrace.signals.drafts import Draft, id_of, span_of
from tests.unit import samples
from tests.unit.signals.telling import account_of
from tests.unit.story import Story


def draft_of(**changes: object) -> Draft:
    account = account_of(Story().at(1, *samples.CONSUMER_FIRST))
    said: dict[str, object] = {
        "phase": "completion",
        "records": tuple(record for record, _ in account.records),
        "start": 10,
        "end": 20,
        "whole": True,
        "attributes": {"kvtrace.count": 1},
    }
    return Draft(**{**said, **changes})  # type: ignore[arg-type]


def test_a_span_says_whose_it_is_and_which_record_completed_it() -> None:
    account = account_of(Story().at(1, *samples.CONSUMER_FIRST))
    span = span_of(draft_of(rank=3, peer_rank=2, error="x", error_type="y"), account, b"s" * 8)
    assert span.name == "kvtrace.completion"
    assert span.parent_id == span.root == account.root
    assert span.trigger == ("D0/0", 2)
    assert span.attributes == {
        "kvtrace.join": "r1",
        "kvtrace.role": "D",
        "gen_ai.request.id": samples.D_REQUEST,
        "kvtrace.count": 1,
        "kvtrace.rank": 3,
        "kvtrace.peer_rank": 2,
        "error.type": "y",
    }
    assert span.events[0].name == "kvtrace.request.admitted"


def test_a_span_never_ends_before_it_starts() -> None:
    account = account_of(Story().at(1, *samples.CONSUMER_FIRST))
    assert span_of(draft_of(end=5), account, b"s" * 8).end == 10


def test_ranks_and_attempts_have_ids_of_their_own() -> None:
    account = account_of(Story().at(1, *samples.CONSUMER_FIRST))
    made = [draft_of(), draft_of(rank=0), draft_of(peer_rank=0), draft_of(ordinal=1)]
    assert len({id_of(draft, account) for draft in made}) == 4
