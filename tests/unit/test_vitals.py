"""Steps and tables over five minutes."""

from kvtrace.events import AnyEvent, StepSampled, TablesSampled
from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.vitals import MOST_ENGINES, MOST_TABLES, Vitals

SECOND = 1_000_000_000
NOW = 1_000 * SECOND


def told(event: AnyEvent, engine: str = "P0", rank: int = 0) -> Record:
    return Record(
        process=f"{engine}/{rank}",
        seq=1,
        at=0,
        wall=0,
        clock="",
        engine=engine,
        role=Role.PRODUCER,
        rank=rank,
        event=event,
    )


def test_the_longest_step_of_each_part_is_kept() -> None:
    vitals = Vitals()
    vitals.hear(told(StepSampled(steps=4, longest=30, total=40)), NOW - 20 * SECOND)
    vitals.hear(told(StepSampled(steps=4, longest=20, total=60), rank=1), NOW - 20 * SECOND)
    (found,) = vitals.lines(NOW)
    assert found.steps[-3:] == (30, -1, -1)
    assert (found.longest, found.mean) == (20, 15)


def test_tables_are_added_up_over_ranks() -> None:
    vitals = Vitals()
    vitals.hear(told(TablesSampled(sizes={"held": 3}, oldest={"held": 9})), NOW - 10 * SECOND)
    vitals.hear(told(TablesSampled(sizes={"held": 4}, oldest={"held": 7}), rank=1), NOW)
    (table,) = vitals.lines(NOW)[0].tables
    assert (table.name, table.size, table.oldest) == ("held", 7, 9)
    assert table.history[-2:] == (3, 7)


def test_a_rank_that_says_it_anew_is_not_added_twice() -> None:
    vitals = Vitals()
    for size in (3, 5):
        vitals.hear(told(TablesSampled(sizes={"held": size})), NOW)
    assert vitals.lines(NOW)[0].tables[0].size == 5


def test_history_moves_on_when_nothing_is_heard() -> None:
    vitals = Vitals()
    vitals.hear(told(StepSampled(steps=1, longest=30, total=30)), NOW)
    assert vitals.lines(NOW)[0].steps[-1] == 30
    assert vitals.lines(NOW + 10 * SECOND)[0].steps[-2:] == (30, -1)
    assert set(vitals.lines(NOW + 600 * SECOND)[0].steps) == {-1}


def test_all_of_it_is_bounded() -> None:
    vitals = Vitals()
    for number in range(MOST_ENGINES + 5):
        vitals.hear(told(StepSampled(longest=1), f"P{number}"), NOW)
    assert len(vitals.lines(NOW)) == MOST_ENGINES
    sizes = {f"t{number:03}": 1 for number in range(MOST_TABLES + 5)}
    vitals.hear(told(TablesSampled(sizes=sizes)), NOW)
    assert len(vitals.lines(NOW)[-1].tables) == MOST_TABLES
    for part in range(100):
        vitals.hear(told(StepSampled(longest=1)), NOW + part * 10 * SECOND)
    assert len(vitals.lines(NOW)[-1].steps) == 30
