"""The JSON form, key by key, and its page."""

import json
import re
from pathlib import Path
from typing import Any

from kvtrace.document import document, encode
from kvtrace.model import Phase, Role
from kvtrace.split import Part, split
from kvtrace.transfer import Half, Transfer
from tests.unit.samples import CONSUMER_FIRST, PRODUCER_FIRST, blocks_ready, prefill_admitted
from tests.unit.snapshots import SECOND, done, engine, row, snapshot
from tests.unit.story import Story

PAGE = Path(__file__).parents[2] / "docs" / "output.md"


def half(role: Role, request: str) -> Half:
    return Half(engine="e", role=role, request=request, base="r", told={})


NEVER = Story().at(0, *PRODUCER_FIRST).at(9)
FAILED = Story().at(0, *CONSUMER_FIRST, prefill_admitted(), blocks_ready(held=False)).at(40)
FULL = snapshot(
    rows=(row(),),
    done=(done(shares=split(((Part.WIRE, 5),), 0)),),
    engines=(engine(facts=(("vllm_version", "0.32"),)),),
    causes=(*NEVER.snapshot.causes, *FAILED.snapshot.causes),
)


def keys(value: Any, path: str = "") -> set[str]:
    """Every key with the keys above it; a name that is not ours to choose is a `*`."""
    if isinstance(value, list):
        return {path}.union(*(keys(one, f"{path}[]") for one in value))
    if not isinstance(value, dict):
        return {path}
    free = path.endswith(("phases", "facts", "names", "parts"))
    below = (keys(one, f"{path}.{'*' if free else key}".lstrip(".")) for key, one in value.items())
    return ({path} - {""}).union(*below)


def test_it_is_one_line_that_says_its_version() -> None:
    assert "\n" not in encode(FULL)
    assert json.loads(encode(FULL))["kvtrace"] == 1


def test_phases_are_found_by_name() -> None:
    assert list(json.loads(encode(FULL))["phases"]) == [str(phase) for phase in Phase]


def test_a_transfer_tells_what_it_waits_for() -> None:
    found: Any = json.loads(encode(FULL))["transfers"][0]
    assert (found["phase"], found["waited"], found["age"]) == ("readiness", SECOND, 2 * SECOND)
    assert found["waits_for"] == {"engine": "prefill-0", "role": "P", "rank": -1}
    assert found["link"] == {"producer": "prefill-0", "consumer": "decode-0"}
    assert found["requests"] == {"producer": None, "consumer": None}


def test_a_transfer_tells_what_each_side_calls_it() -> None:
    both = Transfer(
        id="t",
        producer=half(Role.PRODUCER, "p1"),
        consumer=half(Role.CONSUMER, "d1"),
        joined="match",
    )
    found: Any = json.loads(encode(snapshot(rows=(row(transfer=both),))))["transfers"][0]
    assert (found["requests"], found["joined"]) == ({"producer": "p1", "consumer": "d1"}, "match")


def test_what_cannot_be_known_is_null() -> None:
    found: Any = json.loads(encode(snapshot(rows=(row(waits_for=None),))))
    assert found["transfers"][0]["waits_for"] is None
    assert found["oldest"] is None
    assert found["phases"]["write"]["p50"] is None


def test_an_empty_one_has_all_its_keys() -> None:
    assert document(snapshot(engines=())).keys() == document(FULL).keys()


def test_every_key_is_in_the_page_and_the_page_tells_no_other() -> None:
    told = set(re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert told == keys(json.loads(encode(FULL)))
