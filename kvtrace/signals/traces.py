"""Which trace a transfer's spans belong to."""

from kvtrace.events import PrefillAdmitted, RequestAdmitted
from kvtrace.identity import base_id
from kvtrace.signals.hashing import Hasher, is_hashed
from kvtrace.signals.ids import derived, parent_of
from kvtrace.transfer import Half, Transfer


def trace_of(transfer: Transfer, secret: str = "") -> str:
    """The trace's id in hex: the one the request came with, else the one made from its ids.

    `secret` is what agents hash ids with, if they do; ids that came hashed stay as they are.
    """
    halves = [half for half in (transfer.consumer, transfer.producer) if half is not None]
    for half in halves:
        parent = parent_of(_told(half))
        if parent is not None:
            return parent.trace_id.hex()
    base = halves[0].base if halves else transfer.id
    if secret and not is_hashed(base):
        base = base_id(Hasher(secret).of(base))
    return derived(base).trace_id.hex()


def _told(half: Half) -> str:
    """The traceparent that its scheduler told; empty where it did not."""
    events = (told.event for told in half.told.values())
    admitted = (one for one in events if isinstance(one, RequestAdmitted | PrefillAdmitted))
    return next((one.trace for one in admitted if one.trace), "")
