"""What becomes of a batch, by the endpoint's answer."""

from collections.abc import Sequence

from kvtrace.agent.outbox import Outbox
from kvtrace.agent.patience import Patience
from kvtrace.sinks.otlp.answer import Answer, Fate

TAKEN = Answer(fate=Fate.TAKEN)
LATER = Answer(fate=Fate.LATER, why="down")
NEVER = Answer(fate=Fate.NEVER, why="no")
SMALLER = Answer(fate=Fate.SMALLER, why="too large")


class Paper:
    """A route that goes nowhere."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.batch = 4
        self.answers = list(answers)
        self.told: list[str] = []

    def handing(self, items: Sequence[int]) -> None:
        self.told.append(f"handing {len(items)}")

    def send(self, items: Sequence[int], limit: float) -> Answer:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def settled(self, items: Sequence[int], answer: Answer) -> None:
        self.told.append(f"{answer.fate.value} {len(items)}")

    def dropped(self, items: Sequence[int], answer: Answer) -> None:
        self.told.append(f"dropped {len(items)}")

    def delayed(self, answer: Answer) -> None:
        self.told.append("delayed")


def outbox(route: Paper) -> Outbox[int]:
    return Outbox(route, room=10, patience=Patience(chance=lambda: 0.5))


def test_what_is_taken_is_settled_at_once() -> None:
    route = Paper(TAKEN)
    assert outbox(route).step([1, 2]) == 0.0
    assert route.told == ["handing 2", "taken 2"]


def test_what_is_to_come_later_is_kept_in_order() -> None:
    route = Paper(LATER)
    box = outbox(route)
    box.put([3])
    assert box.step([1, 2]) > 0
    assert route.told == ["handing 2", "delayed"]
    assert box.take() == [1, 2, 3]


def test_what_is_refused_is_given_up_and_the_next_waits() -> None:
    route = Paper(NEVER)
    box = outbox(route)
    assert box.step([1, 2]) > 0
    assert route.told == ["handing 2", "never 2"]
    assert box.unsent == 0


def test_what_is_too_much_at_once_is_halved_down_to_one() -> None:
    route = Paper(SMALLER, SMALLER, SMALLER, TAKEN)
    box = outbox(route)
    box.step([1, 2, 3, 4])
    assert box.unsent == 4
    assert box.step(box.take()) > 0
    assert box.step(box.take()) > 0
    assert route.told[-1] == "smaller 1"
    assert box.unsent == 3
    assert box.step(box.take()) == 0.0


def test_batches_grow_again_where_they_are_taken() -> None:
    route = Paper(SMALLER, TAKEN, TAKEN)
    box = outbox(route)
    box.put([5, 6, 7, 8])
    box.step([1, 2, 3, 4])
    assert len(box.take()) == 2
    box.step([1, 2])
    assert len(box.take()) == 4


def test_what_cannot_even_be_packed_ends_nothing() -> None:
    route = Paper(ValueError("no such field"), TAKEN)
    box = outbox(route)
    box.step([1])
    assert route.told == ["handing 1", "never 1"]
    assert box.step([2]) == 0.0


def test_it_is_full_while_the_endpoint_is_down() -> None:
    box = outbox(Paper(LATER))
    box.put(list(range(9)))
    assert not box.full
    box.put([9])
    assert box.full


def test_what_is_refused_as_a_whole_makes_room_for_what_is_new() -> None:
    route = Paper(NEVER)
    box = outbox(route)
    box.step([0])
    box.put(list(range(25)))
    assert not box.full
    assert box.unsent == 10
    assert route.told[-1] == "dropped 15"
