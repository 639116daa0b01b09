"""A router between engines of other hosts: sends a request for each line that it reads.

`routing.py FILE PEERS`, the peers as JSON; a line is a request's id and its prompt's length, and is
answered by the status.
"""

import sys
from pathlib import Path

import msgspec
from lab import ports
from lab.client import Ask, complete, random_prompt
from lab.launch import HOST
from lab.legs import Peer
from lab.loop import Loop
from lab.routed import RouterLog
from lab.router import Router


def main(file: str, peers: str) -> None:
    """Route until the input ends."""
    producer, consumer = msgspec.json.decode(peers, type=tuple[Peer, Peer])
    port = next(ports.free())
    with Loop() as loop:
        router = Router(producer, consumer, RouterLog(Path(file)))
        loop.run(router.start(port))
        print("ready", flush=True)
        for line in sys.stdin:
            name, tokens = line.split()
            ask = Ask(prompt=random_prompt(int(tokens)), max_tokens=4, request_id=name)
            print(complete(f"http://{HOST}:{port}", ask).status, flush=True)
        loop.run(router.stop())


if __name__ == "__main__":
    main(*sys.argv[1:])
