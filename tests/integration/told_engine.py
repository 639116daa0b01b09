"""An engine that does what it is told: each line of its input is an event, which it records."""

import sys
from pathlib import Path

from kvtrace_connector.black_box import BlackBox

from kvtrace.model import Role
from kvtrace.wire import unpack


def main(directory: str, role: str, engine: str) -> None:
    box = BlackBox.open(Path(directory))
    origins = {
        scheduler: box.origin(engine, Role(role), -1 if scheduler else 0)
        for scheduler in (True, False)
    }
    print("ready", flush=True)
    for line in sys.stdin:
        event = unpack(bytes.fromhex(line))
        box.record(event, origins[event.scheduler])
        print("ok", flush=True)
    box.close("its input ended")


if __name__ == "__main__":
    main(*sys.argv[1:])
