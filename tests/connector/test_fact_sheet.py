from mmap import mmap

from kvtrace_connector.fact_sheet import FactSheet

from kvtrace.black_box import COUNTERS_AT, Counter, Facts, Origin, unpack_facts
from tests.unit.boxes import SMALL


class Paper:
    """A fact sheet, and what a reader finds on it."""

    def __init__(self) -> None:
        self.memory = mmap(-1, SMALL.size)
        self.words = memoryview(self.memory).cast("Q")
        self.sheet = FactSheet(self.memory, self.words, SMALL)

    def read(self) -> Facts | None:
        middle = SMALL.facts_at + SMALL.facts_size
        buffers = self.memory[SMALL.facts_at : middle], self.memory[middle : SMALL.ledger_at]
        return unpack_facts(buffers)


ORIGIN = Origin("e", None, 0, b"x" * 5000)


def test_the_last_facts_written_are_read() -> None:
    paper = Paper()
    for number in range(5):
        facts = Facts(threads=(f"{number}",), stopped="x")
        paper.sheet.write(facts)
        assert paper.read() == facts
        assert paper.words[COUNTERS_AT // 8 + Counter.FACTS] == number + 1


def test_the_names_of_threads_give_way_first() -> None:
    paper = Paper()
    paper.sheet.write(Facts(("t" * 4000,), (ORIGIN,)))
    assert paper.read() == Facts((), (ORIGIN,))


def test_then_only_the_names_of_origins_are_kept() -> None:
    paper = Paper()
    paper.sheet.write(Facts((), (ORIGIN, ORIGIN), "done"))
    assert paper.read() == Facts((), (Origin("e", None, 0),) * 2, "done")


def test_what_fits_in_no_form_leaves_the_older_facts() -> None:
    paper = Paper()
    paper.sheet.write(Facts(("a",)))
    paper.sheet.write(Facts((), (Origin("e" * 90),) * 200))
    assert paper.read() == Facts(("a",))
