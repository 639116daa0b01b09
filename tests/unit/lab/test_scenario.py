"""Scenario files."""

from pathlib import Path

import pytest
from lab.errors import LabError
from lab.scenario import FOLDER, Scenario, Send, chosen, every, load

from kvtrace.causes import ABOUT


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_each_file_is_a_scenario_that_sends_something(path: Path) -> None:
    scenario = load(path)
    assert scenario.name == path.stem
    assert scenario.title
    sent = {step.name for step in scenario.step if isinstance(step, Send)}
    assert set(scenario.of) <= sent or scenario.cause is None


@pytest.mark.parametrize("scenario", every(), ids=lambda one: one.name)
def test_each_scenario_is_of_a_mode_that_its_cause_stands_for(scenario: Scenario) -> None:
    if scenario.cause is not None and scenario.modes and ABOUT[scenario.cause].modes:
        assert set(scenario.modes) & set(ABOUT[scenario.cause].modes)


def test_scenarios_are_found_by_name() -> None:
    assert [one.name for one in chosen(("decode-dropped",))] == ["decode-dropped"]
    with pytest.raises(LabError, match="No scenario is called nothing"):
        chosen(("nothing",))


@pytest.mark.parametrize(
    "text", ["", "title = 1", 'title = "x"\n[[step]]\ndo = "dance"\n', "title ="]
)
def test_what_is_no_scenario_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(LabError, match="is no scenario"):
        load(path)
