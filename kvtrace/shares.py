"""Where a finished transfer's wait went: parts that add up to what the consumer's request felt."""

from collections.abc import Iterable, Iterator

from kvtrace.clocks import Clocks
from kvtrace.events import HandshakeFinished, WriteFinished, WritePosted
from kvtrace.split import Part, Shares, split
from kvtrace.steps import Steps, read
from kvtrace.transfer import Half, Told, Transfer


def shares(transfer: Transfer, clocks: Clocks) -> Shares | None:
    """Where the wait went; None where it is not over, or one of the halves is not known."""
    mine, theirs = transfer.consumer, transfer.producer
    if mine is None or theirs is None:
        return None
    steps = read(transfer, clocks)
    start, end = steps.first("request.admitted"), steps.first("request.resumed")
    if start is None or end is None or not steps.at("write.posted"):
        return None
    spent: dict[Part, int] = {}
    at = start
    for part, upto in _boundaries(transfer, steps, clocks):
        upto = min(max(upto, at), end)
        spent[part] = spent.get(part, 0) + upto - at
        at = upto
    spent[Part.SCHEDULING] = spent.get(Part.SCHEDULING, 0) + end - at
    parts = tuple((part, spent[part]) for part in Part if spent.get(part))
    return split(parts, _error(mine, theirs, clocks))


def _boundaries(transfer: Transfer, steps: Steps, clocks: Clocks) -> Iterator[tuple[Part, int]]:
    """The instants up to which each part lasted, on the path that ended last; in order but for
    what ran beside: a boundary that lies before the one ahead of it took no time."""
    yield from _upto(Part.ADMISSION, steps, "load.decided")
    yield from _upto(Part.ADMISSION, steps, "registration.staged")
    yield from _upto(Part.CONSUMER_STEPS, steps, "registration.queued")
    yield from _shaken(transfer.consumer, clocks)
    yield from _upto(Part.CONSUMER_STEPS, steps, "registration.sent")
    yield from _upto(Part.PRODUCER_QUEUE, steps, "prefill.admitted")
    yield from _upto(Part.PREFILL, steps, "blocks.ready")
    yield from _upto(Part.PRODUCER_STEPS, steps, "blocks.queued")
    yield from _upto(Part.TRANSIT, steps, "registration.noticed")
    yield from _upto(Part.WRITER, steps, "match.made")
    yield from _shaken(transfer.producer, clocks)
    yield from _written(transfer.producer, clocks)
    yield from _upto(Part.NOTIFICATION, steps, "notification.noticed")
    for name in ("completion.counted", "receive.reported", "receive.finished"):
        yield from _upto(Part.COUNTING, steps, name)


def _upto(part: Part, steps: Steps, name: str) -> Iterator[tuple[Part, int]]:
    last = max(steps.ranks(name).values(), default=None)
    if last is not None:
        yield part, last


def _shaken(half: Half | None, clocks: Clocks) -> Iterator[tuple[Part, int]]:
    """What lies before the half's last handshake belongs to what waited; the rest is its own."""
    found = [told for told in _told(half) if isinstance(told.event, HandshakeFinished)]
    if half is None or not found:
        return
    last = max(found, key=lambda told: clocks.instant(told.mark))
    began = clocks.instant(last.mark) - getattr(last.event, "took", 0)
    yield (Part.CONSUMER_STEPS if half.role.value == "D" else Part.WRITER), began
    yield Part.HANDSHAKE, clocks.instant(last.mark)


def _written(half: Half | None, clocks: Clocks) -> Iterator[tuple[Part, int]]:
    """The write that landed last: when it set out, was posted, and landed."""
    took = {
        (told.place.rank, told.event.peer_rank): told.event.transfer
        for told in _told(half)
        if isinstance(told.event, WriteFinished)
    }
    writes = []
    for told in _told(half):
        if isinstance(told.event, WritePosted):
            posted, event = clocks.instant(told.mark), told.event
            landed = posted - event.post + took.get((told.place.rank, event.peer_rank), event.post)
            writes.append((landed, posted, posted - event.post - event.prepare))
    if writes:
        landed, posted, began = max(writes)
        yield Part.WRITER, began
        yield Part.POST, posted
        yield Part.WIRE, landed


def _told(half: Half | None) -> Iterable[Told]:
    return half.told.values() if half is not None else ()


def _error(mine: Half, theirs: Half, clocks: Clocks) -> int | None:
    marks = [next(iter(half.told.values())).mark for half in (mine, theirs)]
    if marks[0].clock == marks[1].clock:
        return 0
    errors = [clocks.to_ours(mark)[1] for mark in marks]
    return None if None in errors else sum(error or 0 for error in errors)
