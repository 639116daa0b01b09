"""Whose each signal is."""

from kvtrace.agent.identity import Identity
from kvtrace.black_box import Header, Layout
from kvtrace.signals.logs import Resource
from tests.unit.moments import record

BOX = Header(process="a" * 32, clock="boot", pid=7, at=0, wall=0, layout=Layout())


def attributes(resource: Resource) -> dict[str, object]:
    return dict(resource.attributes)


def test_a_record_says_whose_it_is_and_its_box_the_number_of_the_process() -> None:
    identity = Identity({"service.name": "west"}, lambda: {BOX.process: BOX}, lambda: "host-1")
    found = attributes(identity.of_record(record()))
    assert found["service.name"] == "west"
    assert found["service.instance.id"] == "prefill-0"
    assert found["kvtrace.clock"] == "boot"
    assert found["process.pid"] == 7
    assert found["host.name"] == "host-1"


def test_one_process_has_one_resource_for_each_engine() -> None:
    identity = Identity({}, dict)
    first = identity.of_record(record())
    assert identity.of_record(record(seq=2)) is first
    assert identity.of(record().process) is first
    assert identity.of_record(record(engine="other")) is not first


def test_the_number_is_still_known_when_the_box_is_gone() -> None:
    boxes = {BOX.process: BOX}
    identity = Identity({}, lambda: boxes)
    identity.of_record(record())
    boxes.clear()
    assert attributes(identity.of(BOX.process, "another"))["process.pid"] == 7


def test_those_that_are_gone_are_forgotten() -> None:
    identity = Identity({}, dict)
    identity.of_record(record())
    identity.keep(frozenset())
    assert "service.instance.id" not in attributes(identity.of(record().process))
