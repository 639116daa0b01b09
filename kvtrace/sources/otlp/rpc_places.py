"""Keeps places free on gRPC's port: connections that are idle for longest end for who comes.

gRPC neither shows its connections nor ends one, and turns away who comes when there are too many.
They are sockets of this process, though, and one that is shut down ends its connection. Runs in the
receiver's loop; where the system does not show a process its sockets, nothing is done.
"""

import asyncio
import os
import socket
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from urllib.parse import unquote

SHARE = 16
"""One place of so many is kept free."""

LOOK = 0.25
"""Seconds between two looks."""

OPENED = Path("/proc/self/fd")

At = tuple[str, int]
"""A client's address and port."""


class Places:
    """Who has a place, and since when it asked for nothing."""

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        """`most` is how many connections gRPC takes."""
        self._taken = most - max(1, most // SHARE)
        self._now = now
        self._busy: Counter[At] = Counter()
        self._quiet: dict[At, float] = {}

    def begins(self, peer: str) -> None:
        """A request of that client is under way; it is named as gRPC does."""
        self._busy[_at(peer)] += 1

    def ends(self, peer: str) -> None:
        """It is not any more."""
        at = _at(peer)
        self._busy[at] -= 1
        if not self._busy[at]:
            del self._busy[at]
        if at in self._quiet:
            self._quiet[at] = self._now()

    async def keep_free(self, port: int) -> None:
        """Look now and then, until cancelled."""
        while True:
            await asyncio.sleep(LOOK)
            self.look(port)

    def look(self, port: int) -> int:
        """End as many connections to that port as there are too many, none that is busy."""
        with suppress(OSError), ExitStack() as stack:
            if len(os.listdir(OPENED)) <= self._taken:
                return 0
            lines = {at: stack.enter_context(line) for at, line in _connected(port)}
            now = self._now()
            self._quiet = {at: self._quiet.get(at, now) for at in lines}
            # Of those that came since the last look, the first opened is taken for the first here.
            free = [at for at in lines if at not in self._busy]
            idle = sorted(free, key=lambda at: self._quiet[at])
            ended = idle[: max(0, len(lines) - self._taken)]
            for at in ended:
                with suppress(OSError):
                    lines[at].shutdown(socket.SHUT_RDWR)
            return len(ended)
        return 0


def _connected(port: int) -> Iterator[tuple[At, socket.socket]]:
    """The sockets of this process that clients of the port are at the other end of."""
    for name in os.listdir(OPENED):
        with suppress(OSError, ValueError):
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            line = _again(int(name))
            try:
                ours, theirs = line.getsockname(), line.getpeername()
                matches = line.family in (socket.AF_INET, socket.AF_INET6) and ours[1] == port
            except OSError:
                matches = False
            if matches:
                yield (_plain(theirs[0]), theirs[1]), line
            else:
                line.close()


def _again(opened: int) -> socket.socket:
    """The same socket under a number of our own: gRPC may close its own at any time."""
    copy = os.dup(opened)
    try:
        return socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        raise


def _at(peer: str) -> At:
    """Such as `ipv4:10.0.0.1:5600`, or `ipv6:%5B::1%5D:5600`."""
    host, _, port = unquote(peer).partition(":")[2].rpartition(":")
    return _plain(host.strip("[]")), int(port) if port.isdecimal() else 0


def _plain(host: str) -> str:
    """The address as it is written shortest; that of IPv4 where IPv6 only wraps it."""
    with suppress(ValueError):
        found = ip_address(host)
        wrapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
        return str(wrapped or found)
    return host
