"""On a terminal without UTF-8 each screen, the newer ones too, draws ASCII alone."""

import pytest

from tests.tui.conftest import Start
from tests.tui.test_app import screen, settled

SIZES = [(80, 24), (120, 40), (20, 5)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "keys",
    [[], ["2"], ["2", "i"], ["3"], ["4"], ["5"], ["enter"], ["question_mark"]],
    ids=["fleet", "causes", "explain", "links", "engines", "events", "transfer", "help"],
)
async def test_without_utf8_only_ascii_is_drawn(
    start: Start, keys: list[str], size: tuple[int, int]
) -> None:
    app = start(language="C")
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press(*keys)
        await pilot.pause(0.15)
        text = screen(app)
        assert text.strip()
        assert [sign for sign in text if not sign.isascii()] == []
