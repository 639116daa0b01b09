import pytest
from lab.knobs import Knobs, LegKnobs, read

BODY = {"prompt": [5], "kv_transfer_params": {"remote_port": 5600, "tp_size": 1}}


def test_a_request_without_knobs_is_left_as_it_is() -> None:
    leg = read(None).producer
    assert leg.turned(BODY) == BODY
    assert leg.named({"X-Request-Id": "r1"}) == {"X-Request-Id": "r1"}
    assert (leg.delay, leg.drop, leg.abort_after) == (0, False, 0)


def test_knobs_travel_in_a_header() -> None:
    knobs = Knobs(producer=LegKnobs(drop=True), consumer=LegKnobs(params={"remote_port": 1}))
    assert read(*knobs.headers.values()) == knobs


def test_what_a_leg_tells_of_the_peer_can_be_changed_and_left_out() -> None:
    leg = LegKnobs(params={"remote_port": 1, "more": True}, without=("tp_size",))
    assert leg.turned(BODY)["kv_transfer_params"] == {"remote_port": 1, "more": True}
    assert BODY["kv_transfer_params"] == {"remote_port": 5600, "tp_size": 1}


def test_a_leg_can_tell_nothing_at_all_of_the_peer() -> None:
    assert LegKnobs(without=("kv_transfer_params",)).turned(BODY) == {"prompt": [5]}


def test_what_a_leg_asks_for_can_be_changed_and_cut() -> None:
    leg = LegKnobs(body={"max_tokens": 9}, cut=1)
    assert leg.turned({**BODY, "prompt": [5, 6, 7]})["prompt"] == [5, 6]
    assert leg.turned(BODY)["max_tokens"] == 9
    assert BODY["prompt"] == [5]


def test_a_leg_can_go_by_another_name() -> None:
    assert LegKnobs(request_id="r2").named({"X-Request-Id": "r1"}) == {"X-Request-Id": "r2"}


@pytest.mark.parametrize("text", ["", "[]", '{"producer": {"delay": "long"}}'])
def test_knobs_that_cannot_be_understood_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read(text)
