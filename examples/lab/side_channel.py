"""Speaks to an engine's side channel, where peers ask for what a handshake needs."""

from contextlib import closing

import msgspec
import zmq

from lab.launch import HOST

GET_META_MSG = b"get_meta_msg"


def agent_of(port: int, rank: int = 0) -> bytes:
    """How NIXL reaches that rank of the engine, as the engine answers a handshake."""
    answer = knock(port, msgspec.msgpack.encode((GET_META_MSG, 0, rank)))
    payload = msgspec.msgpack.decode(answer)
    agent = msgspec.msgpack.decode(payload["agent_metadata_bytes"])["agent_metadata"]
    assert isinstance(agent, bytes)
    return agent


def knock(port: int, words: bytes, patience: float = 5) -> bytes:
    """Say something to the listener, and wait for its answer.

    Raises:
        TimeoutError: if there is none; vLLM's listener dies of words that it cannot understand.
    """
    with zmq.Context() as context, closing(context.socket(zmq.REQ)) as socket:
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RCVTIMEO, int(patience * 1000))
        socket.connect(f"tcp://{HOST}:{port}")
        socket.send(words)
        try:
            return socket.recv_multipart()[0]
        except zmq.Again:
            raise TimeoutError(f"nobody answers at port {port}") from None
