"""What lets one thread do, a turn at a time, what a worker's writer and NIXL do by themselves."""

from typing import Any


class OneTurn:
    """A stop signal that comes after one turn of a loop."""

    def __init__(self) -> None:
        self.turns = 1

    def is_set(self) -> bool:
        """Whether to stop."""
        self.turns -= 1
        return self.turns < 0

    def set(self) -> None: ...

    def wait(self, timeout: float) -> None: ...


class Inbox:
    """Stands before NIXL's own drain, so that somebody can see what came without taking it."""

    def __init__(self, agent: Any) -> None:
        self._drain = agent.get_new_notifs
        self._kept: dict[str, list[bytes]] = {}
        self.messages = 0
        """How many came, heartbeats aside."""

        agent.get_new_notifs = self.take

    def look(self) -> None:
        """See what came, and keep it."""
        for agent, messages in self._drain().items():
            self._kept.setdefault(agent, []).extend(messages)
            self.messages += sum(not message.startswith(b"HB:") for message in messages)

    def take(self) -> dict[str, list[bytes]]:
        """What came since this was last called."""
        self.look()
        taken, self._kept = self._kept, {}
        return taken
