"""Where a finished transfer's wait went: parts that add up to what the consumer's request felt."""

from collections.abc import Iterable

from kvtrace.clocks import Clocks
from kvtrace.events import HandshakeFinished, WriteFinished, WritePosted
from kvtrace.split import Part, Shares, split
from kvtrace.steps import Steps
from kvtrace.transfer import Half, Told, Transfer


def shares(transfer: Transfer, steps: Steps, clocks: Clocks) -> Shares | None:
    """Where the wait went; None where it is not over, or one of the halves is not known."""
    mine, theirs = transfer.consumer, transfer.producer
    if mine is None or theirs is None:
        return None
    start, end = steps.first("request.admitted"), steps.first("request.resumed")
    if start is None or end is None or not steps.at("write.posted"):
        return None
    spent = _NOTHING.copy()
    at = start
    for part, upto in _boundaries(mine, theirs, steps, clocks):
        upto = min(max(upto, at), end)
        spent[part] += upto - at
        at = upto
    spent[Part.SCHEDULING] += end - at
    parts = tuple([(part, took) for part, took in spent.items() if took])
    return split(parts, _error(mine, theirs, clocks))


def _boundaries(
    mine: Half, theirs: Half, steps: Steps, clocks: Clocks
) -> Iterable[tuple[Part, int]]:
    """The instants up to which each part lasted, on the path that ended last; in order but for
    what ran beside: a boundary that lies before the one ahead of it took no time."""
    return (
        *_upto(steps, _ASKED),
        *_shaken(mine, steps, clocks),
        *_upto(steps, _PREPARED),
        *_shaken(theirs, steps, clocks),
        *_written(theirs, clocks),
        *_upto(steps, _COUNTED),
    )


def _upto(steps: Steps, wanted: tuple[tuple[Part, str], ...]) -> list[tuple[Part, int]]:
    """When the last rank was done with each of these steps that happened."""
    return [(part, max(ranks.values())) for part, name in wanted if (ranks := steps.ranks(name))]


def _shaken(half: Half, steps: Steps, clocks: Clocks) -> Iterable[tuple[Part, int]]:
    """What lies before the half's last handshake belongs to what waited; the rest is its own."""
    if not steps.ranks("handshake.finished"):
        return ()
    found = [told for told in _told(half) if isinstance(told.event, HandshakeFinished)]
    if not found:
        return ()
    last = max(found, key=lambda told: clocks.instant(told.mark))
    began = clocks.instant(last.mark) - getattr(last.event, "took", 0)
    return (
        (Part.CONSUMER_STEPS if half.role.value == "D" else Part.WRITER, began),
        (Part.HANDSHAKE, clocks.instant(last.mark)),
    )


def _written(half: Half, clocks: Clocks) -> Iterable[tuple[Part, int]]:
    """The write that landed last: when it set out, was posted, and landed."""
    took, posts = {}, []
    for key, told in half.told.items():
        # By its name first: most events are others.
        if key[0] not in _OF_WRITES:
            continue
        event = told.event
        if isinstance(event, WriteFinished):
            took[told.place.rank, event.peer_rank] = event.transfer
        elif isinstance(event, WritePosted):
            posts.append((told, event))
    writes = []
    for told, event in posts:
        posted = clocks.instant(told.mark)
        landed = posted - event.post + took.get((told.place.rank, event.peer_rank), event.post)
        writes.append((landed, posted, posted - event.post - event.prepare))
    if not writes:
        return ()
    landed, posted, began = max(writes)
    return (Part.WRITER, began), (Part.POST, posted), (Part.WIRE, landed)


def _told(half: Half) -> Iterable[Told]:
    return half.told.values()


def _error(mine: Half, theirs: Half, clocks: Clocks) -> int | None:
    marks = [next(iter(half.told.values())).mark for half in (mine, theirs)]
    if marks[0].clock == marks[1].clock:
        return 0
    errors = [clocks.to_ours(mark)[1] for mark in marks]
    return None if None in errors else sum(error or 0 for error in errors)


_NOTHING = dict.fromkeys(Part, 0)

_OF_WRITES = frozenset(("write.finished", "write.posted"))

_ASKED = (
    (Part.ADMISSION, "load.decided"),
    (Part.ADMISSION, "registration.staged"),
    (Part.CONSUMER_STEPS, "registration.queued"),
)
_PREPARED = (
    (Part.CONSUMER_STEPS, "registration.sent"),
    (Part.PRODUCER_QUEUE, "prefill.admitted"),
    (Part.PREFILL, "blocks.ready"),
    (Part.PRODUCER_STEPS, "blocks.queued"),
    (Part.TRANSIT, "registration.noticed"),
    (Part.WRITER, "match.made"),
)
_COUNTED = (
    (Part.NOTIFICATION, "notification.noticed"),
    (Part.COUNTING, "completion.counted"),
    (Part.COUNTING, "receive.reported"),
    (Part.COUNTING, "receive.finished"),
)
