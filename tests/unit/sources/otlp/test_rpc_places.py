"""Which connections end so that others find a place; over real sockets, without gRPC."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from kvtrace.sources.otlp.rpc_places import Places, _at


class Port:
    """A port, and the connections to it in the order in which they came."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.number: int = self._listening.getsockname()[1]
        self.clients: list[socket.socket] = []

    def connect(self) -> str:
        """One more; its name as gRPC would have it."""
        client = socket.create_connection(("127.0.0.1", self.number), timeout=20)
        self.clients.append(self._stack.enter_context(client))
        self._stack.enter_context(self._listening.accept()[0])
        return f"ipv4:127.0.0.1:{client.getsockname()[1]}"

    def ended(self) -> list[int]:
        """Which of them were ended from the other side."""
        found = []
        for number, client in enumerate(self.clients):
            client.setblocking(False)
            try:
                found += [number] if client.recv(1) == b"" else []
            except BlockingIOError:
                continue
        return found


class Clock:
    """Goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def port() -> Iterator[Port]:
    with ExitStack() as stack:
        yield Port(stack)


def test_nobody_ends_where_places_are_free(port: Port) -> None:
    places = Places(4)
    for _ in range(3):
        port.connect()
    assert places.look(port.number) == 0
    assert port.ended() == []


def test_who_asked_for_nothing_for_longest_ends_and_who_is_busy_never(port: Port) -> None:
    clock = Clock()
    places = Places(3, now=clock)
    first = port.connect()
    port.connect()
    assert places.look(port.number) == 0
    clock.now = 1.0
    places.begins(first)
    places.ends(first)
    clock.now = 2.0
    port.connect()
    assert places.look(port.number) == 1
    assert port.ended() == [1]
    places.begins(first)
    port.connect()
    assert places.look(port.number) == 2
    assert port.ended() == [1, 2]


def test_of_those_that_came_between_two_looks_the_first_opened_end(port: Port) -> None:
    for _ in range(12):
        port.connect()
    assert Places(7).look(port.number) == 6
    assert port.ended() == [0, 1, 2, 3, 4, 5]


def test_other_sockets_are_left_alone(port: Port) -> None:
    with ExitStack() as stack:
        other = Port(stack)
        for _ in range(3):
            other.connect()
        port.connect()
        assert Places(2).look(port.number) == 0
        assert other.ended() == []


@pytest.mark.parametrize(
    ("peer", "at"),
    [
        ("ipv4:10.0.0.1:5600", ("10.0.0.1", 5600)),
        ("ipv6:%5B::1%5D:5600", ("::1", 5600)),
        ("ipv6:[::ffff:10.0.0.1]:5600", ("10.0.0.1", 5600)),
        ("unix:", ("", 0)),
    ],
)
def test_clients_are_known_by_the_names_that_grpc_gives(peer: str, at: tuple[str, int]) -> None:
    assert _at(peer) == at
