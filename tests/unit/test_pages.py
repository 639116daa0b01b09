"""The pages of causes, wherever they are."""

from pathlib import Path

import pytest

from kvtrace.causes import Cause
from kvtrace.errors import KvtraceError
from kvtrace.pages import meaning, page


def test_the_first_place_that_has_the_page_gives_it(tmp_path: Path) -> None:
    (tmp_path / "slow.md").write_text("# slow")
    assert page(Cause.SLOW, (tmp_path / "none", tmp_path)) == "# slow"


def test_a_missing_page_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(KvtraceError, match="install it anew"):
        page(Cause.SLOW, (tmp_path,))


@pytest.mark.parametrize("cause", Cause)
def test_what_a_cause_means_is_one_sentence(cause: Cause) -> None:
    told = meaning(cause)
    assert told.endswith(".")
    assert "\n" not in told
    assert told in " ".join(page(cause).replace("`", "").split())
