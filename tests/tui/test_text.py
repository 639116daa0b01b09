from rich.text import Text

from kvtrace.tui.text import beside, cells, clean_signs, cut, flow, pad, wrap


def test_wide_characters_are_measured_by_cells() -> None:
    assert cells("转移") == 4
    assert cut("转移转移", 5) == "转移…"
    assert pad("转", 5) == "转   "
    assert clean_signs("a转\u0301b") == "a??b"


def test_cut_text_ends_in_a_sign_and_whole_text_does_not() -> None:
    assert cut("cmpl-71cfd8c2-0b5e", 10) == "cmpl-71cf…"
    assert cut("cmpl-71cfd8c2-0b5e", 10, "..") == "cmpl-71c.."
    assert cut("short", 10) == "short"
    assert cut("anything", 0) == ""


def test_items_are_dropped_whole() -> None:
    items = [Text("one"), Text("two"), Text("three")]
    assert flow(items, 10).plain == "one   two"


def test_two_ends_of_a_line_never_overlap() -> None:
    line = beside(Text("left and long"), Text("right"), 14)
    assert line.plain == "left an… right"


def test_text_is_wrapped_at_spaces() -> None:
    assert wrap("one two three", 7) == ["one two", "three"]


def test_a_word_that_is_longer_than_the_line_is_cut_up() -> None:
    assert wrap("one abcdefghij k", 4) == ["one", "abcd", "efgh", "ij k"]
    assert wrap("日本語", 5) == ["日本", "語"]
