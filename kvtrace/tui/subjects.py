"""What a filter sees of a transfer, and of an event."""

from kvtrace.filters import Subject
from kvtrace.model import Link
from kvtrace.moments import Ended, Lost, Record
from kvtrace.readings import Heard
from kvtrace.snapshot import Done, Row, Snapshot
from kvtrace.transfer import Transfer
from kvtrace.tui import said


def of_transfer(known: Row | Done, snapshot: Snapshot) -> Subject:
    """A transfer in flight, or one that ended, of this snapshot."""
    transfer, names = known.transfer, snapshot.names
    ended = known.diagnosis if isinstance(known, Done) else None
    found = ended or snapshot.diagnoses.get(transfer.id)
    ids = (known.id, *requests(transfer))
    producer, consumer = ends(known.link, names)
    if isinstance(known, Done):
        phase, outcome, age, waited = "", known.outcome.value, known.took, 0
    else:
        phase, age, waited = known.phase.value, known.age, known.waited
        outcome = "stalled" if known.stalled else "waiting"
    return Subject(
        ids=ids,
        producer=producer,
        consumer=consumer,
        phase=phase,
        cause=found.cause.value if found is not None else "",
        outcome=outcome,
        age=age,
        waited=waited,
        size=known.size,
    )


def of_heard(heard: Heard, names: dict[str, str], now: int) -> Subject:
    """One event: its engine stands on its side of the link, its peer on the other."""
    news, age = heard.news, max(now - heard.at, 0)
    if not isinstance(news, Record):
        return Subject(ids=(news.process,), event=other_name(news), age=age)
    own = tuple({news.engine, names.get(news.engine, news.engine)})
    peer = peer_of(news)
    other = tuple({peer, names.get(peer, peer)}) if peer else ()
    consumes = news.role is not None and news.role.value == "D"
    told = " ".join(said.attribute_words(news.event))
    remote = getattr(news.event, "remote_request", "")
    return Subject(
        ids=tuple(one for one in (news.event.request, remote) if one),
        producer=other if consumes else own,
        consumer=own if consumes else other,
        age=age,
        rank=news.rank,
        event=said.name(news.event),
        told=told,
    )


def other_name(news: Ended | Lost) -> str:
    """What is said of what no engine told itself."""
    if isinstance(news, Lost):
        return "events lost"
    return "process ended" if news.goodbye else "process died"


def requests(transfer: Transfer) -> tuple[str, ...]:
    """What the two engines call it."""
    halves = (transfer.producer, transfer.consumer)
    return (transfer.id, *(half.request for half in halves if half is not None))


def ends(link: Link, names: dict[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All that producer and consumer are called."""
    producer, consumer = (
        (one, names.get(one, one)) if one else () for one in (link.producer, link.consumer)
    )
    return producer, consumer


def peer_of(record: Record) -> str:
    """The engine that the event names beside its own."""
    for name in ("producer", "consumer"):
        found = getattr(record.event, name, "")
        if found and found != record.engine:
            return str(found)
    side = getattr(record.event, "side", "")
    return str(getattr(record.event, "peer", "")) if side else ""


def holder(snapshot: Snapshot, record: Record) -> str | None:
    """The id of the transfer that the record belongs to; None where it is not known any more."""
    wanted = {record.event.request, getattr(record.event, "remote_request", "")} - {""}
    every: tuple[Row | Done, ...] = (*snapshot.rows, *snapshot.done)
    found = (known.transfer for known in every if wanted & set(requests(known.transfer)))
    return next((transfer.id for transfer in found), None)
