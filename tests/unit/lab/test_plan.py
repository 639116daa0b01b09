from itertools import islice

from lab.plan import LENGTHS, Planned, plan


def first(count: int, seed: int, rate: float = 1) -> list[Planned]:
    return list(islice(plan(rate, seed), count))


def test_one_seed_gives_one_sequence() -> None:
    assert first(20, seed=1) == first(20, seed=1)
    assert first(20, seed=1) != first(20, seed=2)


def test_prompts_are_of_mixed_lengths() -> None:
    lengths = [len(planned.ask.prompt) for planned in first(200, seed=1)]
    assert min(lengths) < 20
    assert max(lengths) > 1000
    assert max(lengths) <= max(LENGTHS)


def test_the_rate_is_met_on_average() -> None:
    took = sum(planned.after for planned in first(1000, seed=1, rate=4))
    assert 200 < took < 300


def test_no_two_requests_share_an_id() -> None:
    assert len({planned.ask.request_id for planned in first(200, seed=1)}) == 200
