"""How long each phase may last before it counts as stalled, from the settings in force."""

from kvtrace.engines import Engine
from kvtrace.model import Phase

SECOND = 1_000_000_000

PATIENCE = {
    # A registration, a write and a completion take milliseconds when all is well; five
    # seconds is vLLM's own limit for one handshake, the slowest step that may precede them.
    Phase.REGISTRATION: 5 * SECOND,
    Phase.WRITE: 5 * SECOND,
    Phase.COMPLETION: 5 * SECOND,
    # Prompts queue for their prefill, and long ones take seconds to compute.
    Phase.READINESS: 30 * SECOND,
}
"""Nanoseconds, before the settings are looked at."""

QUEUED = frozenset((Phase.REGISTRATION, Phase.WRITE))
"""In which a producer's writer comes to one transfer after the other."""

COSTLY = SECOND
"""Nanoseconds that a part of a wait must take to be worth a word: on engines without a GPU, all
well, bursts take half of that."""

STEPPED = 2 * SECOND
"""The same for what engine steps took: a busy engine makes steps of a tenth of that, and without a
GPU its first ones after a start take a second and more."""

STEPS = 3
"""Longest steps that a phase may take: told at one step's end, acted on at the next's."""


def patience(phase: Phase, producer: Engine | None, consumer: Engine | None) -> int:
    """Nanoseconds after which this phase counts as stalled between these engines.

    Slow steps lengthen it; the producer's lease bounds it where the lease may be running,
    the consumer's own limit where it is not.
    """
    steps = max((e.longest_step for e in (producer, consumer) if e is not None), default=0)
    allowed = max(PATIENCE[phase], STEPS * steps)
    if phase is Phase.READINESS:
        settings = consumer.settings if consumer is not None else None
        return _bounded(allowed, settings.registration_timeout if settings is not None else 0)
    settings = producer.settings if producer is not None else None
    return _bounded(allowed, settings.lease if settings is not None else 0)


def in_queue(allowed: int, waits: int, producer: Engine | None) -> int:
    """Nanoseconds after which one of these counts as stalled where others are served before it.

    `waits` is how long its queue has moved on since the phase began, and `allowed` its patience
    from then on. What holds the producer's blocks longer than its lease stalls all the same.
    """
    if waits <= 0:
        return allowed
    settings = producer.settings if producer is not None else None
    lease = settings.lease if settings is not None else 0
    return max(allowed, min(allowed + waits, lease or PATIENCE[Phase.READINESS]))


def _bounded(allowed: int, limit: int) -> int:
    return min(allowed, limit) if limit > 0 else allowed
