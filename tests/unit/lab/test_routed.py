from pathlib import Path

import pytest
from lab.routed import Instant, Leg, Routed, RouterLog, read


def routed(request_id: str, prompt_tokens: int = 5) -> Routed:
    return Routed(
        request_id=request_id,
        trace_id="t",
        prompt_tokens=prompt_tokens,
        max_tokens=1,
        outcome="answered",
        producer=Leg(role="P", request_id="r1", engine_id="P", sent=Instant(1, 2), status=200),
        consumer=Leg(role="D", request_id="r1", engine_id="D", sent=Instant(1, 2), status=500),
    )


def test_what_is_written_can_be_read_back(tmp_path: Path) -> None:
    log = RouterLog(tmp_path / "router.jsonl")
    log.add(routed("a"))
    log.add(routed("b"))
    assert read(tmp_path / "router.jsonl") == list(log.records)


def test_the_last_record_of_a_request_is_found() -> None:
    log = RouterLog()
    log.add(routed("a", prompt_tokens=1))
    log.add(routed("a", prompt_tokens=2))
    assert log.find("a").prompt_tokens == 2
    with pytest.raises(KeyError):
        log.find("b")


def test_a_leg_that_was_refused_has_failed() -> None:
    assert routed("a").consumer.failed
    assert not routed("a").producer.failed
