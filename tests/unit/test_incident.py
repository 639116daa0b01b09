"""The report for an incident."""

from kvtrace.incident import NAMED, WIDTH, incident
from tests.unit.samples import CONSUMER_FIRST, PRODUCER_FIRST, blocks_ready, prefill_admitted
from tests.unit.story import Story


def test_where_nothing_is_wrong_it_says_so() -> None:
    report = list(incident(Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).snapshot))
    assert report[1] == "Nothing is wrong that kvtrace knows of."
    assert report[-1] == "Own view: nothing lost."


def test_each_cause_has_its_sentence_remedy_evidence_and_page() -> None:
    text = "\n".join(incident(Story().at(0, *PRODUCER_FIRST).at(9).snapshot))
    assert "1. registration never came: 1 now, the oldest for 9.00 s, since " in text
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
