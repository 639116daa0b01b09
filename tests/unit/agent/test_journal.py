"""What is said of how sending goes."""

from kvtrace.agent.journal import BETWEEN, Journal


class Desk:
    def __init__(self) -> None:
        self.told: list[str] = []
        self.now = 0.0
        self.journal = Journal(self.told.append, lambda: self.now)


def test_only_a_change_is_said() -> None:
    desk = Desk()
    for _ in range(100):
        desk.journal.is_("logs", "well", "all is well")
    assert desk.told == ["all is well"]


def test_what_changes_to_and_fro_is_said_now_and_then() -> None:
    desk = Desk()
    for second in range(100):
        desk.now = float(second)
        desk.journal.is_("logs", "down" if second % 2 else "well", f"at {second}")
        desk.journal.catch_up()
    assert len(desk.told) <= 100 / BETWEEN + 1


def test_a_change_that_came_too_soon_is_said_later() -> None:
    desk = Desk()
    desk.journal.is_("logs", "well", "well")
    desk.journal.is_("logs", "down", "down")
    desk.journal.catch_up()
    assert desk.told == ["well"]
    desk.now = BETWEEN
    desk.journal.catch_up()
    assert desk.told == ["well", "down"]


def test_what_went_back_meanwhile_is_not_said() -> None:
    desk = Desk()
    desk.journal.is_("logs", "well", "well")
    desk.journal.is_("logs", "down", "down")
    desk.journal.is_("logs", "well", "well again")
    desk.now = BETWEEN
    desk.journal.catch_up()
    assert desk.told == ["well"]


def test_matters_do_not_wait_for_one_another() -> None:
    desk = Desk()
    desk.journal.is_("logs", "well", "logs")
    desk.journal.is_("traces", "well", "traces")
    desk.journal.note("and this")
    assert desk.told == ["logs", "traces", "and this"]
