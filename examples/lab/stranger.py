"""A peer that does not keep to the protocol: a real NIXL agent that sends an engine any message.

`python -m lab.stranger SIDE_PORT HEX`, in a process of its own, since NIXL's threads spin for as
long as their process lives.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from lab.side_channel import agent_of

REGISTRATION = b"PUSH_REG:"
TIME = 60
"""Seconds."""
LINGER = 1
"""Seconds until NIXL has connected, and sent what it was given; it does not say when."""


def registration(**words: object) -> bytes:
    """A consumer's registration with only these words, whatever vLLM misses in it."""
    return REGISTRATION + msgspec.msgpack.encode(words)


def send(side_port: int, message: bytes) -> None:
    """Let a stranger send an engine's first rank a message, and wait until it is sent."""
    subprocess.run(
        [sys.executable, "-m", "lab.stranger", str(side_port), message.hex()],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "UCX_TLS": "tcp,sm"},
        check=True,
        capture_output=True,
        timeout=TIME,
    )


def main(words: list[str]) -> int:
    """Send the message, in this process."""
    # Imported here, since it loads torch.
    from nixl._api import nixl_agent

    agent = nixl_agent("stranger")
    peer = agent.add_remote_agent(agent_of(int(words[0])))
    agent.send_notif(peer, notif_msg=bytes.fromhex(words[1]))
    time.sleep(LINGER)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
