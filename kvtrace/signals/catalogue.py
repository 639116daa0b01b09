"""Every span, and every attribute that is no event's own field, described for docs and checks."""

import msgspec


class Attribute(msgspec.Struct, frozen=True):
    """One attribute: what it holds, in which unit, and what it means."""

    name: str
    type: str
    unit: str
    meaning: str


class SpanKind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of span: where it is made, from when to when, and what it carries."""

    name: str
    where: str
    start: str
    end: str
    parent: str = "the half's root"
    kind: str = "internal"
    attributes: tuple[str, ...]
    """Beside those of `ON_EVERY_SPAN`."""


ATTRIBUTES = (
    Attribute("kvtrace.join", "text", "", "What both engines' ids of the request share."),
    Attribute("kvtrace.role", "text", "", "`P` or `D`: whose half it is."),
    Attribute("gen_ai.request.id", "text", "", "The engine's own id of the request."),
    Attribute("error.type", "text", "", "What kind of failure, or why it was given up."),
    Attribute("kvtrace.unfinished", "true", "", "The half ended before this phase did."),
    Attribute("kvtrace.engine", "text", "", "The engine's id."),
    Attribute("kvtrace.peer_engine", "text", "", "The engine's id at the other end."),
    Attribute("kvtrace.rank", "integer", "", "The engine's rank."),
    Attribute("kvtrace.peer_rank", "integer", "", "The rank at the other end."),
    Attribute("kvtrace.ordinal", "integer", "", "Which attempt, from 0."),
    Attribute("kvtrace.mode", "text", "", "`push`: the producer writes."),
    Attribute("kvtrace.outcome", "text", "", "`finished`, `failed` or `abandoned`."),
    Attribute("kvtrace.partial", "true", "", "Its admission was not seen."),
    Attribute("kvtrace.tokens", "integer", "tokens", "Prompt length, or what was registered for."),
    Attribute("kvtrace.size", "integer", "bytes", "What was written."),
    Attribute("kvtrace.blocks", "integer", "blocks", "KV blocks registered, or written."),
    Attribute("kvtrace.ranks", "integer", "", "Ranks that sent, or that the peer has."),
    Attribute("kvtrace.messages", "integer", "", "Registrations sent, one to each target rank."),
    Attribute("kvtrace.waited_for", "text", "", "Which came last: `registration` or `blocks`."),
    Attribute("kvtrace.waited", "integer", "ns", "How long the other waited, or was queued."),
    Attribute("kvtrace.exact", "true or false", "", "Matched by the whole id."),
    Attribute("kvtrace.candidates", "integer", "", "How many waited under the same base id."),
    Attribute("kvtrace.descriptors", "integer", "", "NIXL descriptors of the write."),
    Attribute("kvtrace.prepare", "integer", "ns", "Making the transfer ready."),
    Attribute("kvtrace.post", "integer", "ns", "Posting it."),
    Attribute("kvtrace.transfer", "integer", "ns", "From post to landing, by NIXL's own account."),
    Attribute("kvtrace.queued", "integer", "ns", "From the match until the writer set out."),
    Attribute("kvtrace.stage", "text", "", "Where the write failed."),
    Attribute("kvtrace.count", "integer", "", "Notifications counted."),
    Attribute("kvtrace.needed", "integer", "", "Notifications needed."),
    Attribute("kvtrace.step_delay", "integer", "ns", "From the last notification to its count."),
    Attribute("server.address", "text", "", "The peer's side channel."),
    Attribute("server.port", "integer", "", "The peer's side channel."),
    Attribute("kvtrace.notify_only", "true or false", "", "Only to be able to send messages."),
    Attribute("kvtrace.round_trip", "integer", "ns", "0 where it could not be measured."),
    Attribute("kvtrace.clock_offset", "integer", "ns", "The peer's monotonic clock less ours."),
    Attribute("kvtrace.phase", "text", "", "The phase that lasts too long."),
    Attribute("kvtrace.age", "integer", "ns", "How long it had lasted when this was told."),
    Attribute("kvtrace.patience", "integer", "ns", "How long it may last."),
    Attribute("kvtrace.n", "integer", "", "How often the patience was doubled before."),
    Attribute("kvtrace.waits_for.event", "text", "", "The event that has to come next."),
    Attribute("kvtrace.waits_for.engine", "text", "", "The engine that has to act."),
    Attribute("kvtrace.waits_for.role", "text", "", "`P` or `D`: in which role."),
    Attribute("kvtrace.waits_for.rank", "integer", "", "Which of its ranks; −1 its scheduler."),
)
"""Of spans."""

ON_EVERY_SPAN = ("kvtrace.join", "kvtrace.role", "gen_ai.request.id")
"""But a handshake's that was made in no request's name, which has the role alone."""

WHERE_IT_APPLIES = ("error.type", "kvtrace.unfinished")

SPANS = (
    SpanKind(
        name="kvtrace.transfer",
        where="each half, once: its root",
        start="the request was admitted (the prefill, on the producer)",
        end="D: resumed, failed, finished or given up; P: the blocks were released",
        parent="the span that the request's `traceparent` names, else none",
        attributes=(
            "kvtrace.engine",
            "kvtrace.peer_engine",
            "kvtrace.mode",
            "kvtrace.outcome",
            "kvtrace.partial",
            "kvtrace.tokens",
            "kvtrace.size",
        ),
    ),
    SpanKind(
        name="kvtrace.registration",
        where="D",
        start="staged by the scheduler",
        end="every rank has sent to each of its target ranks",
        attributes=(
            "kvtrace.peer_engine",
            "kvtrace.ordinal",
            "kvtrace.ranks",
            "kvtrace.messages",
            "kvtrace.blocks",
            "kvtrace.tokens",
        ),
    ),
    SpanKind(
        name="kvtrace.handshake",
        where="either side, in each rank",
        start="handed to the handshake thread",
        end="answered, or failed",
        parent="D: the registration; P: the half's root; none in no request's name",
        kind="client",
        attributes=(
            "kvtrace.rank",
            "kvtrace.peer_engine",
            "kvtrace.ordinal",
            "server.address",
            "server.port",
            "kvtrace.waited",
            "kvtrace.notify_only",
            "kvtrace.round_trip",
            "kvtrace.ranks",
            "kvtrace.clock_offset",
        ),
    ),
    SpanKind(
        name="kvtrace.readiness",
        where="P, in each rank",
        start="the first of both: blocks queued, registration noticed",
        end="they met",
        attributes=(
            "kvtrace.rank",
            "kvtrace.peer_engine",
            "kvtrace.waited_for",
            "kvtrace.waited",
            "kvtrace.exact",
            "kvtrace.candidates",
        ),
    ),
    SpanKind(
        name="kvtrace.write",
        where="P, for each rank and peer rank",
        start="the rank's match",
        end="its landing was noticed, or it failed",
        attributes=(
            "kvtrace.rank",
            "kvtrace.peer_rank",
            "kvtrace.peer_engine",
            "kvtrace.size",
            "kvtrace.blocks",
            "kvtrace.descriptors",
            "kvtrace.queued",
            "kvtrace.prepare",
            "kvtrace.post",
            "kvtrace.transfer",
            "kvtrace.stage",
        ),
    ),
    SpanKind(
        name="kvtrace.completion",
        where="D, in each rank",
        start="the first notification was noticed",
        end="all were counted, and the rank reported",
        attributes=("kvtrace.rank", "kvtrace.count", "kvtrace.needed", "kvtrace.step_delay"),
    ),
    SpanKind(
        name="kvtrace.stall",
        where="either half, while it waits",
        start="the phase began",
        end="patience · 2ⁿ later; told at that moment, with every event of the half so far",
        attributes=(
            "kvtrace.engine",
            "kvtrace.phase",
            "kvtrace.age",
            "kvtrace.patience",
            "kvtrace.n",
            "kvtrace.waits_for.event",
            "kvtrace.waits_for.engine",
            "kvtrace.waits_for.role",
            "kvtrace.waits_for.rank",
        ),
    ),
)

ON_EVERY_LOG = (
    Attribute("event.name", "text", "", "The event's name with `kvtrace.` before it; log records."),
    Attribute("kvtrace.seq", "integer", "", "Counts the process' events from 1."),
    Attribute("kvtrace.at", "integer", "ns", "The process' monotonic clock."),
    Attribute("kvtrace.role", "text", "", "`P` or `D`; left out where it can be either."),
    Attribute("kvtrace.rank", "integer", "", "−1 in the scheduler."),
    Attribute("kvtrace.thread", "text", "", "The thread's name."),
    Attribute("kvtrace.request", "text", "", "The engine's own id of the request, if it has one."),
    Attribute("kvtrace.process", "text", "", "The process' uuid; span events only."),
    Attribute("kvtrace.clock", "text", "", "The boot id of its clock; span events only."),
    Attribute("kvtrace.engine", "text", "", "The engine's id; span events only."),
)
"""Of log records and span events, beside the event's own fields."""

RESOURCE = (
    Attribute("service.name", "text", "", "`OTEL_SERVICE_NAME`, else `vllm`."),
    Attribute("service.instance.id", "text", "", "The engine's id."),
    Attribute("host.name", "text", "", "The host."),
    Attribute("process.pid", "integer", "", "The process' number there."),
    Attribute("kvtrace.process", "text", "", "The process' uuid."),
    Attribute("kvtrace.clock", "text", "", "The boot id that `kvtrace.at` belongs to."),
    Attribute("kvtrace.version", "text", "", "Of the kvtrace that sent it."),
)
"""Of the resource; what `OTEL_RESOURCE_ATTRIBUTES` says comes on top."""
