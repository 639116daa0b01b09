import msgspec
from kvtrace_connector.seams import OWNERS, SEAMS
from kvtrace_connector.signatures import known

from kvtrace import events


def test_every_seam_has_one_name_and_one_entry_in_the_signatures() -> None:
    listed = [seam.name for seam in SEAMS]
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(known().seams)
    assert {seam.instead for seam in SEAMS} - {""} <= set(listed)
    assert {seam.owner for seam in SEAMS} == set(OWNERS)


def test_seams_feed_events_that_exist() -> None:
    kinds = {
        one.__struct_config__.tag
        for one in vars(events).values()
        if isinstance(one, type) and issubclass(one, msgspec.Struct)
    }
    assert {event for seam in SEAMS for event in seam.feeds} <= kinds
