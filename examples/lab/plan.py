"""Decides which requests the traffic consists of: mixed prompt lengths, one seed, one sequence."""

import random
from collections.abc import Iterator

import msgspec

from lab.client import Ask, random_prompt

LENGTHS = (16, 60, 130, 300, 700, 1500, 3000)
WEIGHTS = (3, 4, 4, 4, 3, 2, 1)
"""Prompts are short more often than long."""

ANSWERS = range(2, 17)
"""Tokens asked for."""


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """One request to come."""

    after: float
    """Seconds after the one before."""
    ask: Ask


def plan(rate: float, seed: int) -> Iterator[Planned]:
    """Yield requests without end, `rate` a second on average; one seed gives one sequence."""
    chance = random.Random(seed)
    while True:
        (length,) = chance.choices(LENGTHS, WEIGHTS)
        yield Planned(
            after=chance.expovariate(rate),
            ask=Ask(
                prompt=random_prompt(chance.randint(length // 2, length), chance),
                max_tokens=chance.choice(ANSWERS),
                request_id=f"demo-{chance.getrandbits(64):016x}",
            ),
        )
