"""What holds for a diagnosis, whatever its rule put into it."""

import msgspec

from kvtrace.causes import Cause, Kind
from kvtrace.diagnosed import LONGEST, Diagnosis, Evidence, presentable
from kvtrace.model import Role
from tests.unit.samples import PRODUCER_FIRST
from tests.unit.story import Engine, Story


def test_a_diagnosis_survives_json() -> None:
    found = Story().at(0, *PRODUCER_FIRST).at(6).diagnosis
    assert found is not None
    assert msgspec.json.decode(msgspec.json.encode(found), type=Diagnosis) == found
    assert (found.label, found.kind) == ("registration never came", Kind.STALL)
    assert found.cause is Cause.REGISTRATION_NEVER_CAME


def test_nothing_from_outside_reaches_a_terminal_as_it_came() -> None:
    named = Engine(name="\x1b[31mP\x07", role=Role.PRODUCER)
    story = Story().at(0, *PRODUCER_FIRST, by=named).at(6)
    found = story.diagnosis
    assert found is not None
    texts = [found.sentence, found.remedy, found.doubt, *(one.text for one in found.evidence)]
    assert "�[31mP�" in "".join(texts)
    assert all(text.isprintable() for text in texts)


def test_an_error_of_thousands_of_characters_is_cut() -> None:
    found = Story().at(0, *PRODUCER_FIRST).at(6).diagnosis
    assert found is not None
    long = msgspec.structs.replace(found, sentence=f"It ended in {'x' * 9_000}.")
    assert len(presentable(long).sentence) == LONGEST
    assert presentable(long).sentence.endswith("x….")
    assert presentable(found) == found


def test_evidence_comes_in_the_order_in_which_it_happened_and_what_never_did_last() -> None:
    found = Story().at(0, *PRODUCER_FIRST).at(6).diagnosis
    assert found is not None
    never, late = Evidence(text="never", missing=True), Evidence(text="late", at=9)
    fact, early = Evidence(text="fact"), Evidence(text="early", at=1)
    mixed = msgspec.structs.replace(found, evidence=(never, late, fact, early))
    assert presentable(mixed).evidence == (early, late, fact, never)
