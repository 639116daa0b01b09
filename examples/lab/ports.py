"""Ports that are free, or a sentence about the one that is not."""

import random
import socket
from collections.abc import Iterator
from contextlib import closing

from lab.errors import LabError, PortTakenError

HOST = "127.0.0.1"

BELOW_EPHEMERAL = range(20_000, 32_000)
"""An engine listens only after half a minute: nobody may be handed its port by chance till then."""


def choose(wanted: int, option: str) -> int:
    """Return the port asked for, or a free one for 0.

    Raises:
        PortTakenError: if it is asked for and not free.
    """
    if wanted == 0:
        return next(free())
    if not is_free(wanted):
        raise PortTakenError(
            f"Port {wanted} is taken by another program: stop it, "
            f"choose another with {option}, or leave the option out to get a free one."
        )
    return wanted


def free() -> Iterator[int]:
    """Yield ports that nobody listens on, each once."""
    for port in random.sample(BELOW_EPHEMERAL, len(BELOW_EPHEMERAL)):
        if is_free(port):
            yield port
    raise LabError("No port between 20000 and 32000 is free on 127.0.0.1.")


def is_free(port: int) -> bool:
    """Tell whether one can listen on the port right now."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((HOST, port))
        except OSError:
            return False
    return True
