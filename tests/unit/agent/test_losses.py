"""Losses that two agents tell, one after the other."""

from pathlib import Path

from kvtrace.agent.cursor import NAME, Cursor
from kvtrace.agent.losses import Losses
from kvtrace.moments import Lost


def after(directory: Path, **told: int) -> Losses:
    """One that begins after an agent that told these."""
    cursor = Cursor(directory)
    cursor.lose("a", told)
    cursor.write()
    return Losses(Cursor(directory))


def test_only_what_is_new_goes_on_and_only_the_first_look_tells_it_all(tmp_path: Path) -> None:
    losses = after(tmp_path, unreadable=2, ledger_full=5)
    first = Lost(process="a", unreadable=3, ledger_full=5, overwritten=7)
    assert losses.fresh(first) == Lost(process="a", unreadable=1, overwritten=7)
    again = Lost(process="a", unreadable=2)
    assert losses.fresh(again) == again


def test_what_was_told_in_whole_is_nothing(tmp_path: Path) -> None:
    assert after(tmp_path, unknown=2).fresh(Lost(process="a", unknown=2)) is None


def test_what_is_of_another_process_or_of_none_goes_on(tmp_path: Path) -> None:
    losses = after(tmp_path, unreadable=9)
    for lost in (Lost(process="b", unreadable=1), Lost(unreadable=1)):
        assert losses.fresh(lost) == lost


def test_losses_that_only_another_version_knows_are_left_out(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text('{"processes":{"a":{"lost":{"newer":5,"unknown":2}}}}')
    losses = Losses(Cursor(tmp_path))
    assert losses.fresh(Lost(process="a", unknown=3)) == Lost(process="a", unknown=1)


def test_each_has_its_number_and_all_one_teller(tmp_path: Path) -> None:
    losses = after(tmp_path)
    first, second = (losses.numbered(Lost(refused=1)) for _ in range(2))
    assert (first.number, second.number) == (1, 2)
    assert first.teller == second.teller != ""


def test_losses_add_up_in_the_cursor_and_go_with_their_process(tmp_path: Path) -> None:
    cursor = Cursor(tmp_path)
    cursor.lose("a", {"ledger_full": 1, "overwritten": 4})
    cursor.lose("a", {"ledger_full": 2})
    cursor.lose("", {"unreadable": 1})
    cursor.advance("a", logs=3)
    cursor.write()
    assert Cursor(tmp_path).before("a").lost == {"ledger_full": 3}
    cursor.keep([])
    cursor.write()
    assert Cursor(tmp_path).before("a").lost == {}
