"""The report for an incident."""

import re

from kvtrace.incident import NAMED, WIDTH, incident, wrapped
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    blocks_ready,
    prefill_admitted,
    process_started,
)
from tests.unit.story import D, P, Story


def test_where_nothing_is_wrong_it_says_so() -> None:
    report = list(incident(Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).snapshot))
    assert report[1] == "Nothing is wrong that kvtrace knows of."
    assert report[-1] == "Own view: nothing lost."


def test_each_cause_has_its_sentence_remedy_evidence_and_page() -> None:
    text = "\n".join(incident(Story().at(0, *PRODUCER_FIRST).at(9).snapshot))
    assert "1. registration never came: 1 waiting now, the oldest for 9.00 s, since " in text
    assert "   P0 has held the blocks for 9.00 s; no D has told it where to write." in text
    assert "   DO   Check that the router sent" in text
    assert "P0 scheduler  blocks.ready  The blocks became ready on P0." in text
    assert "never         registration.noticed  No registration came." in text
    assert "   ON   P0 -> ?" in text
    assert "confidence low: nothing is heard of D" in text
    assert "kvtrace explain registration-never-came" in text


def test_lines_fit_and_only_some_are_named() -> None:
    story = Story()
    for number in range(NAMED + 3):
        name = f"cmpl-0e4b7d19-3c52-4b8e-8c07-5d1f1f8a9be{number}-aaaaaaaa"
        story.at(number / 10, prefill_admitted(request=name), blocks_ready(request=name))
    report = list(incident(story.at(20).snapshot))
    assert all(len(line) <= WIDTH for line in report)
    assert "and 3 more" in " ".join(" ".join(report).split())


def test_what_comes_from_outside_is_made_harmless() -> None:
    story = Story().at(
        0, prefill_admitted(request="\x1b[31mred"), blocks_ready(request="\x1b[31mred")
    )
    assert "\x1b" not in "".join(incident(story.at(9).snapshot))


def test_its_head_tells_the_date_and_the_zone() -> None:
    head = next(iter(incident(Story().at(0, *PRODUCER_FIRST).at(9).snapshot)))
    assert re.match(r"As of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC([+-]\d\d:\d\d)?: ", head)


def test_ids_commands_and_numbers_with_their_units_stay_whole() -> None:
    name = "cmpl-lab-legs-differ-a-f418c619-0"
    command = "kvtrace record unexplained.kvtrace.gz --dead 24h"
    for before in range(60, 96):
        lines = wrapped("   DO   ", f"{'x' * before} {name} took 24.4 s; see `{command}` there.")
        for whole in (name, "24.4 s", f"`{command}`"):
            assert any(whole in line for line in lines)


def test_what_only_could_be_slow_stands_apart_and_is_not_wrong() -> None:
    story = Story().at(0, process_started(engine="P0", facts={"cpus": "0"}), by=P)
    story.at(0, process_started(engine="D0", facts={"cpus": "0"}), by=D)
    report = list(incident(story.at(1).snapshot))
    assert report[1] == "Nothing is wrong that kvtrace knows of."
    assert "What can make transfers slow:" in report
    assert any("one core for all KV work: true now of 2 engines" in line for line in report)
