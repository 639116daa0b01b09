"""How much one receiver takes, of what, and for how long."""

import msgspec

MIB = 1 << 20


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Whatever a client does, memory and time stay within these; seconds and bytes."""

    message: int = 16 * MIB
    """The largest message, unpacked."""

    json: int = 4 * MIB
    """The largest in JSON, which unfolds to many times as much."""

    reading: int = 32
    """Messages that are read at once; others wait for their turn before a byte of them is read."""

    calls: int = 256
    """Requests under way at once, over gRPC and over HTTP each."""

    streams: int = 32
    """Requests under way at once on one gRPC connection."""

    connections: int = 1024
    """Open at once, over gRPC and over HTTP each."""

    headers: int = 16 << 10
    header_time: float = 10.0
    """For the headers of one request, from its first byte."""

    message_time: float = 30.0
    """For one message, its wait for its turn included."""

    idle: float = 120.0
    """After which a silent connection is closed."""

    age: float = 3600.0
    """After which a gRPC connection is asked to come anew, so that none stays for ever."""

    handshake: float = 10.0
    """For TLS, and for the beginning of HTTP/2."""

    answer_time: float = 10.0
    """For a client to take its answer."""

    backend_time: float = 10.0
    """For the backend to acknowledge what was passed on."""
