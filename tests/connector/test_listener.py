from typing import Any

import pytest

from tests.connector.pair import Pair


def test_an_engine_that_answers_handshakes_says_where() -> None:
    pair = Pair()
    pair.producer.scheduler._nixl_handshake_listener({}, None, None, "10.0.0.1", 5600)
    assert pair.tape.only("listener.started").port == 5600
    assert not pair.tape.events("listener.died")


def test_a_listener_that_dies_says_why() -> None:
    pair = Pair()

    def taken(*_: Any) -> None:
        raise OSError("Address already in use")

    stock = type(pair.producer.scheduler).__mro__[1]
    stand_in = type("Scheduler", (stock,), {"_nixl_handshake_listener": staticmethod(taken)})
    listen = pair.traced_scheduler(stand_in)._nixl_handshake_listener
    with pytest.raises(OSError, match="in use"):
        listen({}, None, None, "10.0.0.1", 5600)
    assert pair.tape.only("listener.died").error == "Address already in use"
