"""Rules for transfers that finished late: which share of the wait is to blame."""

from bisect import bisect_left

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.patience import COSTLY, STEPPED
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import StepSampled, WriteFinished, WritePosted
from kvtrace.model import Role
from kvtrace.split import Part, Shares
from kvtrace.words import duration, share, size, throughput

MILLISECOND = 1_000_000
SECOND = 1_000_000_000

LATE = 5
"""Times the usual that a handoff must take to be slow, and a second more."""

SMALL = 64 << 10
"""Bytes of a descriptor below which a write is bound by the posting of them."""

LARGE = 64 << 20
"""Bytes of a write from which its rate says something of the lane."""

LANE = 2.0
"""Bytes a nanosecond (GB/s) that RDMA and shared memory exceed, and TCP rarely reaches."""

ODD = 3
"""Times the longest other step told of lately, from which one step is an accident."""

STEPS = (Part.CONSUMER_STEPS, Part.PRODUCER_STEPS, Part.COUNTING, Part.SCHEDULING)


def too_many_descriptors(case: Case) -> Diagnosis | None:
    """Posting the write took a second or more, and much of the whole."""
    split = case.shares
    if split is None or not _is_mostly(split, COSTLY, Part.POST):
        return None
    posted = max(case.all(WritePosted), key=lambda one: one.event.post, default=None)
    landed = max(case.all(WriteFinished), key=lambda one: one.event.descriptors, default=None)
    if posted is None or landed is None or not landed.event.descriptors:
        return None
    each = landed.event.size // landed.event.descriptors
    if each >= SMALL:
        return None
    p = case.called(Role.PRODUCER)
    settings = case.scene.settings(case.engine_id(Role.PRODUCER))
    block = f" (now {settings.block_size})" if settings is not None else ""
    return case.blame(
        Cause.TOO_MANY_DESCRIPTORS,
        f"{case.place(posted.place)} took {duration(split.of(Part.POST))} to post "
        f"{landed.event.descriptors:,} descriptors of {size(each)} each.",
        f"Raise the block size{block} on {p} and {case.called(Role.CONSUMER)}, or the connector’s "
        "`num_threads`.",
        [case.saw(posted, f"The post took {duration(posted.event.post)}."), _split(case, split)],
    )


def goes_over_tcp(case: Case) -> Diagnosis | None:
    """A large write crawled, and the settings leave it nothing but TCP."""
    split = case.shares
    if split is None or not _is_mostly(split, COSTLY, Part.WIRE):
        return None
    landed = max(case.all(WriteFinished), key=lambda one: one.event.transfer, default=None)
    if landed is None or landed.event.size < LARGE:
        return None
    wire = landed.event.transfer - landed.event.post
    if wire <= 0 or landed.event.size / wire > LANE:
        return None
    for role in (Role.CONSUMER, Role.PRODUCER):
        settings = case.scene.settings(case.engine_id(role))
        lanes = "" if settings is None else settings.facts.get("UCX_TLS", "")
        if lanes and not set(lanes.split(",")) - {"tcp", "self"}:
            return case.blame(
                Cause.KV_GOES_OVER_TCP,
                f"{size(landed.event.size)} took {duration(wire)}, "
                f"{throughput(landed.event.size, wire)}; the lane is tcp.",
                f"Set `UCX_TLS` (now `{lanes}`) and `UCX_NET_DEVICES` on {case.called(role)} so "
                "that they include the RDMA device.",
                [case.saw(landed, "The write landed."), _split(case, split)],
            )
    return None


def some_ranks_write_slowly(case: Case) -> Diagnosis | None:
    """Writes of one transfer and of one size took very different times on different ranks."""
    split = case.shares
    if split is None or not _is_mostly(split, COSTLY, Part.WIRE):
        return None
    landed = [one for one in case.all(WriteFinished) if one.event.size and one.event.transfer]
    if len(landed) < 2:
        return None
    rates = sorted(landed, key=lambda one: one.event.size / one.event.transfer)
    slowest, fastest = rates[0].event, rates[-1].event
    if slowest.size * fastest.transfer * 3 > fastest.size * slowest.transfer:
        return None
    where = case.place(rates[0].place)
    return case.blame(
        Cause.WRONG_NIC,
        f"{where} wrote at {throughput(slowest.size, slowest.transfer)}, "
        f"{case.place(rates[-1].place)} at {throughput(fastest.size, fastest.transfer)}.",
        f"Compare `UCX_NET_DEVICES`, the NIC and the NUMA node of {where} with the others’.",
        [case.saw(rates[0], "The slowest write."), case.saw(rates[-1], "The fastest write.")],
    )


def waits_for_steps(case: Case) -> Diagnosis | None:
    """Most of the handoff was spent until an engine's next step, and its steps are long."""
    split = case.shares
    if split is None or not _is_mostly(split, STEPPED, *STEPS):
        return None
    mine = split.of(Part.CONSUMER_STEPS, Part.COUNTING, Part.SCHEDULING)
    role = Role.CONSUMER if 2 * mine >= split.of(*STEPS) else Role.PRODUCER
    sampled = case.scene.notices(case.engine_id(role), StepSampled)
    longest = max(sampled, key=lambda one: one.event.longest, default=None)
    if longest is None or longest.event.longest * 8 < split.of(*STEPS):
        return None
    called = case.called(role)
    percent = 100 * split.of(*STEPS) // split.whole
    others = max((one.event.longest for one in sampled if one is not longest), default=0)
    how_long, remedy = _of_steps(called, longest.event.longest, others)
    return case.blame(
        Cause.WAITS_FOR_ENGINE_STEPS,
        f"{share(percent)} of the wait, {duration(split.of(*STEPS))}, were steps of {called}, "
        f"{how_long}.",
        remedy,
        [case.saw(longest, "The longest step told of lately."), _split(case, split)],
    )


def _of_steps(called: str, longest: int, others: int) -> tuple[str, str]:
    """How long the steps were, and what to do about them."""
    if others and longest >= ODD * others:
        return (
            f"one of {duration(longest)} where no other took more than {duration(others)}",
            f"Find what held {called} in that step: its log of that time, `cpu.stat` of its cgroup "
            "(throttled), swap, `/proc/pressure`; no setting of vLLM makes one step so long.",
        )
    return (
        f"up to {duration(longest)} each",
        f"Lower `max_num_batched_tokens` on {called}, so that its steps are shorter.",
    )


def slow(case: Case) -> Diagnosis | None:
    """It took far longer than is usual on its link, and one part of it did."""
    split = case.shares
    if split is None or split.handoff < SECOND:
        return None
    usual = case.usual
    if usual is None:
        return None
    if split.handoff < max(LATE * usual.handoff, 2 * usual.nine_in_ten) + SECOND:
        return None
    # Whose turn comes after that of others, none of which takes long, stands in a queue.
    if split.handoff < (1 + _served(case, split)) * LATE * usual.handoff:
        return None
    beyond = {part: took - usual.parts[part] for part, took in split.parts if part in _HANDOFF}
    part = max(beyond, key=lambda one: beyond[one])
    return case.blame(
        Cause.SLOW,
        f"The handoff took {duration(split.handoff)}, {duration(usual.handoff)} is usual between "
        f"{case.called(Role.PRODUCER)} and {case.called(Role.CONSUMER)}; "
        f"{duration(split.of(part))} of it were {part}, else {duration(usual.parts[part])}.",
        _REMEDIES[part],
        [_split(case, split)],
    )


def _served(case: Case, split: Shares) -> int:
    """How many other transfers' writes its producer posted in that time."""
    mine = case.last(WritePosted)
    if mine is None:
        return 0
    name = case.engine_id(Role.PRODUCER)
    posted = case.scene.once("posted", name, lambda: _posted(case.scene, name))
    return bisect_left(posted, mine.at) - bisect_left(posted, mine.at - split.handoff)


def _posted(scene: Scene, producer: str) -> list[int]:
    """When each transfer's last write was posted."""
    every = scene.known_on(producer, Role.PRODUCER)
    told = (one.producer.told.values() for one in every if one.producer is not None)
    writes = ([o for o in known if isinstance(o.event, WritePosted)] for known in told)
    return sorted(max(Found.of(o, scene.clocks).at for o in mine) for mine in writes if mine)


def _is_mostly(split: Shares, least: int, *parts: Part) -> bool:
    """Whether these took so long, and at least half of what the transfer itself took."""
    return split.handoff >= least and split.of(*parts) >= max(least, (split.handoff + 1) // 2)


def _split(case: Case, split: Shares) -> Evidence:
    """Where the time went, the largest part first."""
    largest = sorted(split.parts, key=lambda one: -one[1])[:4]
    told = ", ".join(f"{part} {duration(took)}" for part, took in largest)
    return Evidence(text=f"Of {duration(split.whole)}: {told}.", at=case.trouble.since)


_HANDOFF = frozenset(Part) - {Part.PRODUCER_QUEUE, Part.PREFILL}

_REMEDIES = {
    Part.ADMISSION: "Give D more KV blocks or fewer requests (`max_num_seqs`).",
    Part.CONSUMER_STEPS: "Lower `max_num_batched_tokens` on D, so that its steps are shorter.",
    Part.HANDSHAKE: "Send a warm-up request over each link after a start.",
    Part.TRANSIT: "Lower `max_num_batched_tokens` on P, so that it looks for registrations sooner.",
    Part.PRODUCER_STEPS: "Lower `max_num_batched_tokens` on P, so that its steps are shorter.",
    Part.WRITER: "Give P’s worker a spare core, or fewer transfers at once.",
    Part.POST: "Raise the block size, or `num_threads` of the connector on P.",
    Part.WIRE: "Check the network between the two for load, loss and the lane that UCX chose.",
    Part.NOTIFICATION: "Lower `max_num_batched_tokens` on D, so that it looks for writes sooner.",
    Part.COUNTING: "Lower `max_num_batched_tokens` on D, so that its steps are shorter.",
    Part.SCHEDULING: "Give D fewer requests at once (`max_num_seqs`).",
}
