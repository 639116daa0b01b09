"""Decides when an agent has nothing left to do."""

import msgspec

SECOND = 1_000_000_000
SETTLED = SECOND
"""Nanoseconds after the last process ended in which spans still settle and others may begin."""

GIVE_UP = 60 * SECOND
"""Nanoseconds for which the last signals are tried to be sent."""

UNMET = 30 * SECOND
"""Nanoseconds after which an engine that launched an agent must have begun to speak."""


IN_VAIN = 4 * SECOND
"""Nanoseconds for which one that looks but once tries an endpoint that takes nothing, or does not
answer."""


class Ending(msgspec.Struct, kw_only=True):
    """The rules, and since when nobody was there."""

    once: bool = False
    """Whether to end also while engines live."""

    stay: bool = False
    """Whether to wait for other engines when those of now are gone."""

    launched: bool = False
    """Whether an engine launched it, so that there is one."""

    since: int | None = None
    delayed: int | None = None
    """Since when the endpoint takes nothing."""

    answered: int = 0
    """Batches that it had answered by then."""

    def is_reached(self, now: int, *, alone: bool, met: bool, unsent: int) -> bool:
        """Whether to end now; `alone` is whether no process lives, `met` whether one ever did."""
        if not (alone or self.once) or (self.stay and not self.once):
            self.since = None
            return False
        if self.since is None:
            self.since = now
        waited = now - self.since
        if not met and not self.once:
            return self.launched and waited >= UNMET
        return waited >= GIVE_UP or (waited >= SETTLED and not unsent)

    def is_in_vain(self, now: int, *, delayed: bool, answered: int) -> bool:
        """Whether one that looks but once has tried for long enough what takes nothing now.

        `delayed` is whether an endpoint takes nothing or has yet to answer, `answered` how many
        batches it has answered so far.
        """
        if not (self.once and delayed):
            self.delayed = None
            return False
        if self.delayed is None or answered != self.answered:
            self.delayed, self.answered = now, answered
        return now - self.delayed >= IN_VAIN
