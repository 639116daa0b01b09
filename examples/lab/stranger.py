"""A peer that does not keep to the protocol: a real NIXL agent that sends an engine any message.

`python -m lab.stranger SIDE_PORT HEX`, in a process of its own, since NIXL's threads spin for as
long as their process lives. NIXL does not say when a message has arrived, and forgets it with its
agent: so the stranger stays until its standard input is closed.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from lab.errors import LabError
from lab.nixl_faults import REGISTRATION
from lab.side_channel import agent_of

SENT = "sent"
TIME = 30
"""Seconds that it gets to leave."""


def registration(**words: object) -> bytes:
    """A consumer's registration with only these words, whatever vLLM misses in it."""
    return REGISTRATION + msgspec.msgpack.encode(words)


@contextmanager
def visiting(side_port: int, message: bytes) -> Iterator[None]:
    """Let a stranger send an engine's first rank a message, and stay while the block lasts.

    Raises:
        LabError: if it could not send it.
    """
    stranger = subprocess.Popen(
        [sys.executable, "-m", "lab.stranger", str(side_port), message.hex()],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "UCX_TLS": "tcp,sm"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with stranger:
        try:
            assert stranger.stdout is not None
            if not any(line.strip() == SENT for line in iter(stranger.stdout.readline, "")):
                raise LabError(f"The stranger could not speak to port {side_port}.")
            yield
            stranger.communicate(timeout=TIME)
        finally:
            stranger.kill()


def main(words: list[str]) -> int:
    """Send the message, in this process."""
    # Imported here, since it loads torch.
    from nixl._api import nixl_agent

    agent = nixl_agent("stranger")
    peer = agent.add_remote_agent(agent_of(int(words[0])))
    agent.send_notif(peer, notif_msg=bytes.fromhex(words[1]))
    print(SENT, flush=True)
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
