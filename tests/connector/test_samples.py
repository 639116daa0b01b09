from types import SimpleNamespace as Thing

from kvtrace_connector.samples import UNCHANGED, WINDOW, Steps, Tables

from kvtrace.events import Event


def test_steps_are_told_once_a_window() -> None:
    steps = Steps(0)
    assert steps.due == WINDOW
    steps.steps, steps.longest, steps.total = 11, 1000, 11000
    sample = steps.sample(WINDOW + 5)
    assert (sample.steps, sample.longest, sample.total) == (11, 1000, 11000)
    assert (steps.steps, steps.longest, steps.due) == (0, 0, 2 * WINDOW + 5)


def test_loops_and_polls_are_told_as_differences() -> None:
    steps = Steps(0)
    steps.loops, steps.polls = 7, 3
    first = steps.sample(WINDOW)
    steps.loops += 2
    second = steps.sample(2 * WINDOW)
    assert (first.loops, first.polls) == (7, 3)
    assert (second.loops, second.polls) == (2, 0)


def test_tables_that_did_not_change_are_told_now_and_then() -> None:
    tables, told = Tables({"leases": "_leases", "gone": "_gone"}), list[Event]()
    host = Thing(_leases={"a": 1})
    for at in range(WINDOW, 2 * UNCHANGED, WINDOW):
        assert at >= tables.due
        tables.sample(told.append, host, at, {})
        assert at + 1 < tables.due
    assert len(told) == 2


def test_a_change_is_told_at_the_next_look() -> None:
    tables, told = Tables({"leases": "_leases"}), list[Event]()
    host = Thing(_leases={})
    tables.sample(told.append, host, WINDOW, {})
    host._leases["a"] = 1
    tables.sample(told.append, host, 2 * WINDOW, {"leases": 5})
    assert [event.sizes for event in told] == [{"leases": 0}, {"leases": 1}]
