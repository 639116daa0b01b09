"""The transfers by id, found by any of their engine-local ids, in bounded room."""

from collections import OrderedDict
from itertools import islice

from kvtrace.ending import Ending
from kvtrace.pairing import Key, named, parts
from kvtrace.transfer import Transfer

MOST_ALIKE = 32
"""Transfers with one base id that are compared with each other."""


class Table:
    """Transfers in flight, the last ones that ended, and the ways to find them."""

    def __init__(self) -> None:
        self.live: dict[str, Transfer] = {}
        """In flight, the first heard of first."""

        self.ended: OrderedDict[str, Transfer] = OrderedDict()
        """The last to end, oldest first, which is found at once however many went before it."""

        self.endings: dict[str, Ending] = {}
        """Of each of those."""

        self._keys: dict[str, tuple[Key, ...]] = {}
        self._where: dict[Key, str] = {}
        self._alike: dict[str, dict[str, None]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.live or name in self.ended

    def __getitem__(self, name: str) -> Transfer:
        found = self.live.get(name)
        return self.ended[name] if found is None else found

    def find(self, key: Key) -> str | None:
        """The id of the transfer that this engine-local id belongs to."""
        found = self.of(key)
        return None if found is None else found.id

    def of(self, key: Key) -> Transfer | None:
        """The transfer that this engine-local id belongs to."""
        name = self._where.get(key)
        if name is None:
            return None
        found = self.live.get(name)
        if found is None:
            found = self.ended.get(name)
        if found is None:
            # It was parted from a transfer that is forgotten by now.
            del self._where[key]
        return found

    def alike(self, base: str) -> tuple[str, ...]:
        """The ids of the transfers with this base id, the first heard of first."""
        return tuple(self._alike.get(base, ()))

    def newest_alike(self, base: str) -> tuple[str, ...]:
        """The newest of them, the first heard of first: among more, nobody could tell which."""
        return tuple(islice(reversed(self._alike.get(base, {})), MOST_ALIKE))[::-1]

    def begin(self, transfer: Transfer, key: Key, base: str) -> None:
        """Put in a transfer that is known by only one id yet."""
        self.live[transfer.id] = transfer
        self._keys[transfer.id] = (key,)
        self._where[key] = transfer.id
        self._alike.setdefault(base, {})[transfer.id] = None

    def replace(self, transfer: Transfer) -> None:
        """Put the transfer in the place of what had its id."""
        (self.ended if transfer.id in self.ended else self.live)[transfer.id] = transfer

    def index(self, transfer: Transfer) -> None:
        """Let the transfer be found by all its ids."""
        name = transfer.id
        own = [side.key for side in parts(transfer)]
        theirs = named(transfer)
        self._where.update(dict.fromkeys(own, name))
        for key in theirs:
            self._where.setdefault(key, name)
        self._keys[name] = (*own, *theirs)
        for half in (transfer.consumer, transfer.producer):
            if half is not None:
                self._alike.setdefault(half.base, {})[transfer.id] = None

    def end(self, name: str, over: Ending) -> None:
        """Move the transfer to those that ended."""
        self.ended[name] = self.live.pop(name)
        self.endings[name] = over

    def revive(self, name: str) -> None:
        """Move the transfer back to those in flight."""
        self.live[name] = self.ended.pop(name)
        del self.endings[name]

    def forget(self, name: str) -> None:
        """Drop the transfer and every way to find it."""
        transfer = self[name]
        for key in self._keys.pop(name, ()):
            if self._where.get(key) == name:
                del self._where[key]
        for half in (transfer.consumer, transfer.producer):
            if half is not None:
                self._unlist(half.base, name)
        self.live.pop(name, None)
        self.ended.pop(name, None)
        self.endings.pop(name, None)

    def _unlist(self, base: str, name: str) -> None:
        alike = self._alike.get(base)
        if alike is not None:
            alike.pop(name, None)
            if not alike:
                del self._alike[base]
