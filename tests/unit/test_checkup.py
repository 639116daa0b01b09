"""What is found in how engines are set up, and what is not."""

from typing import Any

import pytest

from kvtrace.checkup import SETTINGS, Finding, Patient, checkup
from kvtrace.differences import ALIKE
from kvtrace.events import ProcessStarted

SECOND = 1_000_000_000
ID = "7a6a5d7d-727d-4cee-9014-d75cb571cbc"
FACTS = {
    "kv_load_failure_policy": "fail",
    "UCX_RCACHE_MAX_UNRELEASED": "1024",
    "UCX_TLS": "rc,tcp",
    "cpus": "0,1",
}


def engine(name: str, *, clock: str = "host-1", **told: Any) -> Patient:
    settings = {
        "lease": 30 * SECOND,
        "registration_timeout": 30 * SECOND,
        "host": "10.0.0.1",
        "port": 5600 + ord(name[0]),
        "block_size": 16,
        "model": "m",
        "facts": {**FACTS, **told.pop("facts", {})},
    }
    return Patient(
        id=told.pop("id", f"{ID}{ord(name[0]) % 10}"),
        name=name,
        roles=name[0],
        clock=clock,
        settings=ProcessStarted(**{**settings, **told}),
    )


def found(*engines: Patient) -> list[Finding]:
    return checkup(engines)


def test_two_engines_that_fit_are_well() -> None:
    assert found(engine("P0"), engine("D0")) == []


@pytest.mark.parametrize(
    ("told", "check", "mode"),
    [
        ({"block_size": 128}, "alike", "FM12"),
        ({"model": "other"}, "alike", "FM17"),
        ({"facts": {"dtype": "float32"}}, "", ""),
        ({"tp_size": 3}, "", ""),
        ({"registration_timeout": 480 * SECOND}, "patience", "FM43"),
        ({"facts": {"UCX_TLS": "tcp,self"}}, "transport", "FM01"),
        ({"id": "decode-0"}, "identity", "FM10"),
        ({"facts": {"kv_load_failure_policy": ""}}, "policy", "FM32"),
        ({"facts": {"UCX_RCACHE_MAX_UNRELEASED": "inf"}}, "memory", "FM38"),
    ],
)
def test_each_fault_of_a_consumer_is_found(told: dict[str, Any], check: str, mode: str) -> None:
    findings = found(engine("P0"), engine("D0", **told))
    assert check in {one.check for one in findings} | {""}
    assert not mode or any(mode in one.modes for one in findings)


def test_what_is_to_be_set_alike_can_be_set() -> None:
    for name in ALIKE:
        assert name in SETTINGS
        told = {name: "a"} if name in ProcessStarted.__struct_fields__ else {"facts": {name: "a"}}
        other = {name: "b"} if name in ProcessStarted.__struct_fields__ else {"facts": {name: "b"}}
        unlike = [one for one in found(engine("P0", **told), engine("D0", **other)) if one.modes]
        assert SETTINGS[name] in {one.remedy for one in unlike}
        assert "same compatibility_hash" not in "".join(one.remedy for one in unlike)


def test_a_hash_that_differs_is_told_by_the_factor_it_differs_for() -> None:
    producer = engine("P0", facts={"compatibility_hash": "aa", "dtype": "bfloat16"})
    consumer = engine("D0", facts={"compatibility_hash": "bb", "dtype": "float32"})
    assert [one.remedy for one in found(producer, consumer)] == [SETTINGS["dtype"]]
    consumer = engine("D0", facts={"compatibility_hash": "bb", "dtype": "bfloat16"})
    (finding,) = found(producer, consumer)
    assert finding.wrong
    assert "VLLM_LOGGING_LEVEL=DEBUG" in finding.remedy


def test_ranks_must_be_a_multiple() -> None:
    findings = found(engine("P0", tp_size=2), engine("D0", tp_size=1))
    assert [(one.check, one.wrong) for one in findings] == [("ranks", True)]
    assert found(engine("P0", tp_size=2), engine("D0", tp_size=4)) == []
    assert found(engine("P0", tp_size=2), engine("D0", tp_size=3)) != []


def test_localhost_is_wrong_only_between_hosts() -> None:
    here = engine("P0", host="localhost")
    assert found(here, engine("D0")) == []
    (finding,) = found(here, engine("D0", clock="host-2"))
    assert finding.wrong
    assert "VLLM_NIXL_SIDE_CHANNEL_HOST" in finding.remedy


def test_one_port_for_two_engines_of_a_host_is_wrong() -> None:
    findings = found(engine("P0", port=5600), engine("D0", port=5600))
    assert [one.check for one in findings] == ["side channel"]
    assert found(engine("P0", port=5600), engine("D0", port=5600, clock="host-2")) == []


def test_a_core_that_two_ranks_share_is_found() -> None:
    both = {"facts": {"cpus": "3"}}
    (finding,) = found(engine("P0", **both), engine("D0", facts={"cpus": "3"}))
    assert "share core 3" in finding.sentence


def test_a_short_lease_is_found_on_the_producer() -> None:
    (finding,) = found(engine("P0", lease=5 * SECOND))
    assert "`kv_lease_duration` of P0" in finding.remedy


def test_what_is_wrong_comes_first_and_each_thing_once() -> None:
    hinted = engine("P1", facts={"UCX_TLS": "tcp"})
    findings = found(engine("P0", block_size=128), hinted, engine("D0", id="fixed"))
    assert findings[0].wrong
    assert not findings[-1].wrong
    assert len({one.sentence for one in findings}) == len(findings)
