"""Recordings of real engines with a fault each: replayed, they have the cause that was made."""

from pathlib import Path

import pytest
from lab.scenario import Scenario, every, load

from kvtrace.causes import ABOUT, Cause, Kind
from kvtrace.cli.watching import snapshots
from kvtrace.sources.recording import open_recording

ROOT = Path(__file__).parents[3]
KEPT = sorted((ROOT / "examples" / "recordings" / "lab").glob("*.kvtrace.gz"))
SCENARIOS = ROOT / "examples" / "lab" / "scenarios"


def named_in(path: Path, about: str) -> set[Cause]:
    """Every cause that was named at any moment for requests with this in their id."""
    recording = open_recording(path)
    found: dict[str, set[Cause]] = {}
    for snapshot in snapshots(recording, recording.header):
        for row in snapshot.rows:
            diagnosis = snapshot.diagnoses.get(row.transfer.id)
            if diagnosis is not None:
                found.setdefault(row.id, set()).add(diagnosis.cause)
        for done in snapshot.done:
            if done.diagnosis is not None:
                found.setdefault(done.id, set()).add(done.diagnosis.cause)
    recording.close()
    return set().union(*(causes for name, causes in found.items() if about in name))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name.split(".")[0])
def test_what_was_made_is_named(path: Path) -> None:
    scenario = load(SCENARIOS / f"{path.name.split('.')[0]}.toml")
    named = named_in(path, f"lab-{scenario.name}-")
    if scenario.cause is None:
        assert named == set()
        return
    assert scenario.cause in named
    others = {cause for cause in named if ABOUT[cause].kind is not Kind.SLOW}
    assert others <= {scenario.cause, *scenario.also}


def test_each_scenario_is_kept_once() -> None:
    assert [path.name.split(".")[0] for path in KEPT] == [one.name for one in every()]


@pytest.mark.parametrize("scenario", every(), ids=lambda one: one.name)
def test_the_page_of_its_cause_tells_that_it_was_made(scenario: Scenario) -> None:
    if scenario.cause is not None:
        page = (ROOT / "docs" / "causes" / f"{scenario.cause}.md").read_text(encoding="utf-8")
        assert f"`{scenario.name}`" in page.split("## How it is proven")[1]


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in KEPT) < 1 << 20
