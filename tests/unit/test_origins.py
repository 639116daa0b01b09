"""What is known of many processes, in bounded room."""

from kvtrace.engines import Engines
from kvtrace.moments import Ended, Record, Watched
from kvtrace.origins import Origins
from tests.unit.samples import heartbeat_sent, process_started


def record(engine: int, process: int, rank: int = 0) -> Record:
    return Record(
        process=f"p{process}",
        seq=1,
        at=process,
        wall=0,
        clock="c",
        engine=f"e{engine}",
        role=None,
        rank=rank,
        event=heartbeat_sent(),
    )


def test_beyond_the_limit_those_that_are_gone_give_way_first_and_uncounted() -> None:
    origins = Origins(most=8)
    for process in range(8):
        origins.hear(record(0, process), process)
    origins.end(Ended(process="p5", goodbye=True))
    origins.hear(record(0, 8), 8)
    assert {one.process for one in origins.of("e0")} == {f"p{n}" for n in range(9) if n != 5}
    assert origins.forgotten == 0


def test_those_that_somebody_watches_stay() -> None:
    origins = Origins(most=8)
    origins.hear(record(0, 0), 0)
    for process in range(1, 1_000):
        origins.watch(Watched(process="p0", state="running"), process)
        origins.hear(record(process, process), process)
    assert [one.process for one in origins.of("e0")] == ["p0"]
    assert origins.forgotten == 992
    assert sum(len(origins.of(f"e{n}")) for n in range(1_000)) == 8


def test_ends_and_looks_of_unknown_processes_take_bounded_room() -> None:
    origins = Origins(most=8)
    for process in range(100):
        origins.end(Ended(process=f"p{process}", goodbye=False))
        origins.watch(Watched(process=f"p{process}", state="running"), 0)
    assert len(origins._gone) == len(origins._watched) == 8
    assert origins.all_gone(frozenset({"p99"}))
    assert not origins.all_gone(frozenset({"p0"}))


def test_one_process_may_speak_for_many_engines() -> None:
    origins = Origins()
    origins.hear(record(0, 7), 0)
    origins.hear(record(1, 7, rank=1), 0)
    origins.end(Ended(process="p7", goodbye=False))
    assert all(one.gone for engine in ("e0", "e1") for one in origins.of(engine))


def test_engines_beyond_the_limit_are_forgotten_whole_and_counted() -> None:
    engines = Engines(engines=8)
    for number in range(100):
        engines.hear(record(number, number), number)
    assert len(engines.all()) == 8
    assert engines.forgotten == 92
    assert "e0" not in engines
    assert "e99" in engines
    assert len(engines._origins._places) == 8


def test_an_engine_that_goes_on_speaking_outlives_any_number_of_others() -> None:
    engines = Engines(engines=8)
    engines.hear(
        Record(
            process="own",
            seq=1,
            at=0,
            wall=0,
            clock="c",
            engine="mine",
            role=None,
            event=process_started(tp_size=4),
        ),
        0,
    )
    for number in range(1, 500):
        engines.hear(record(number, number), number)
        engines.hear(
            Record(
                process="own",
                seq=1 + number,
                at=number,
                wall=0,
                clock="c",
                engine="mine",
                role=None,
                event=heartbeat_sent(),
            ),
            number,
        )
    assert engines.ranks("mine") == 4
