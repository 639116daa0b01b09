from typing import Any

import msgspec
import pytest
from lab.faults import Fault
from lab.nixl_faults import FaultyAgent, faulty


class Agent:
    """A NIXL agent that says what it was asked."""

    def __init__(self) -> None:
        self.name = "agent"
        self.asked: list[str] = []
        self.messages: list[bytes] = []

    def make_prepped_xfer(self, operation: str, *, notif_msg: bytes) -> int:
        return 7

    def transfer(self, handle: int) -> str:
        self.asked.append("transfer")
        return "PROC"

    def check_xfer_state(self, handle: int) -> str:
        self.asked.append("check_xfer_state")
        return "DONE"

    def release_xfer_handle(self, handle: int) -> None:
        self.asked.append("release_xfer_handle")

    def send_notif(self, peer: str, notif_msg: bytes) -> None:
        self.asked.append("send_notif")
        self.messages.append(notif_msg)

    def get_new_notifs(self) -> dict[str, list[bytes]]:
        return {"peer": self.messages}


def told(*faults: Fault, **more: Any) -> tuple[FaultyAgent, Agent]:
    agent = Agent()
    return FaultyAgent(agent, lambda: faults, **more), agent


def test_without_faults_all_is_as_it_was() -> None:
    agent, real = told()
    assert agent.name == "agent"
    assert agent.transfer(7) == "PROC"
    assert agent.get_new_notifs() == {"peer": []}
    assert real.asked == ["transfer"]


def test_a_call_raises_instead_of_being_made() -> None:
    agent, real = told(Fault(call="transfer", does="raise", error="no such error"))
    with pytest.raises(RuntimeError, match="told to by the lab"):
        agent.transfer(7)
    assert real.asked == []


def test_a_call_is_answered_for() -> None:
    agent, real = told(Fault(call="check_xfer_state", does="answer", answer="ERR"))
    assert agent.check_xfer_state(7) == "ERR"
    assert real.asked == []


def test_calls_are_counted() -> None:
    agent, real = told(Fault(call="send_notif", does="drop", skip=1, times=2))
    for _ in range(5):
        agent.send_notif("peer", notif_msg=b"HB:")
    assert len(real.asked) == 3


def test_only_the_messages_of_one_request_are_meant() -> None:
    agent, real = told(Fault(call="send_notif", does="drop", about="r1"))
    for message in (b"PUSH_REG:r1", b"PUSH_REG:r2"):
        agent.send_notif("peer", notif_msg=message)
    assert real.asked == ["send_notif"]


def test_a_write_is_known_by_what_it_will_tell_the_consumer() -> None:
    agent, _ = told(Fault(call="check_xfer_state", does="answer", answer="ERR", about="r1"))
    handle = agent.make_prepped_xfer("WRITE", notif_msg=b"r1:1")
    assert agent.check_xfer_state(handle) == "ERR"
    assert agent.check_xfer_state(8) == "DONE"
    agent.release_xfer_handle(handle)
    assert agent.check_xfer_state(handle) == "DONE"


def test_messages_get_lost_on_their_way_in() -> None:
    agent, real = told(Fault(call="get_new_notifs", does="drop", about="r1:"))
    real.messages = [b"r1:1", b"r2:1"]
    assert agent.get_new_notifs() == {"peer": [b"r2:1"]}


def test_a_call_is_delayed() -> None:
    slept: list[float] = []
    agent, real = told(Fault(call="transfer", does="delay", seconds=3), sleep=slept.append)
    agent.transfer(7)
    assert (slept, real.asked) == ([3], ["transfer"])


def test_a_call_is_held_until_the_fault_is_taken_away() -> None:
    faults = [Fault(call="transfer", does="hold")]
    real = Agent()
    agent = FaultyAgent(real, lambda: tuple(faults), sleep=lambda _: faults.clear())
    agent.transfer(7)
    assert (faults, real.asked) == ([], ["transfer"])


def test_agents_are_made_as_nixl_makes_them() -> None:
    assert faulty(Agent, lambda: ())().name == "agent"


def test_a_registration_is_sent_with_other_words() -> None:
    sent = b"PUSH_REG:" + msgspec.msgpack.encode({"request_id": "r1", "decode_port": 5600})
    agent, real = told(Fault(call="send_notif", does="reword", words={"decode_port": 9}))
    agent.send_notif("peer", notif_msg=sent)
    agent.send_notif("peer", notif_msg=b"HB:r1")
    registration, heartbeat = real.messages
    assert msgspec.msgpack.decode(registration[9:]) == {"request_id": "r1", "decode_port": 9}
    assert heartbeat == b"HB:r1"


def test_a_call_that_is_late_may_be_answered_for_then() -> None:
    waited: list[float] = []
    late = Fault(call="check_xfer_state", does="delay", seconds=2)
    agent, real = told(
        Fault(call="check_xfer_state", does="answer", answer="PROC"), late, sleep=waited.append
    )
    assert agent.check_xfer_state(7) == "PROC"
    assert (waited, real.asked) == ([2], [])


def test_a_fault_of_one_rank_leaves_the_others_alone() -> None:
    raises = Fault(call="transfer", does="raise", error="no such error", rank=1)
    with pytest.raises(RuntimeError):
        told(raises, rank=1)[0].transfer(7)
    assert told(raises, rank=0)[0].transfer(7) == "PROC"
