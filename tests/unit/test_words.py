from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace import words

US, MS, S = 1_000, 1_000_000, 1_000_000_000


@pytest.mark.parametrize(
    ("nanoseconds", "expected"),
    [
        (None, "–"),
        (0, "0 s"),
        (1, "1.00 ns"),
        (812 * US, "812 µs"),
        (999_600, "1.00 ms"),
        (3_140_000, "3.14 ms"),
        (9_999_000, "10.0 ms"),
        (41_200_000, "41.2 ms"),
        (999_499_999, "999 ms"),
        (999_500_000, "1.00 s"),
        (1_840 * MS, "1.84 s"),
        (58_100 * MS, "58.1 s"),
        (59_949 * MS, "59.9 s"),
        (59_960 * MS, "1m 00s"),
        (134 * S, "2m 14s"),
        (3_600 * S - 1, "59m 59s"),
        (3_780 * S, "1h 03m"),
        (187_200 * S, "2d 04h"),
        (400 * 86_400 * S, "400d"),
        (-1_840_000, "−1.84 ms"),
    ],
)
def test_a_duration_has_three_digits_or_two_units(nanoseconds: int | None, expected: str) -> None:
    assert words.duration(nanoseconds) == expected


@pytest.mark.parametrize(
    ("nanoseconds", "expected"),
    [
        (None, "–"),
        (3_140_000, "3.14 ms"),
        (664 * MS, "660 ms"),
        (999 * MS, "990 ms"),
        (S, "1.00 s"),
    ],
)
def test_a_live_wait_moves_in_steps_of_ten_milliseconds(
    nanoseconds: int | None, expected: str
) -> None:
    assert words.wait(nanoseconds) == expected


@pytest.mark.parametrize(
    ("bytes_", "expected"),
    [
        (None, "–"),
        (0, "0 B"),
        (999, "999 B"),
        (4_100, "4.1 kB"),
        (99_960, "100 kB"),
        (999_600, "1.00 MB"),
        (38_200_000, "38.2 MB"),
        (1_840_000_000_000, "1.84 TB"),
    ],
)
def test_a_size_is_decimal(bytes_: int | None, expected: str) -> None:
    assert words.size(bytes_) == expected


@pytest.mark.parametrize(
    ("bytes_", "nanoseconds", "expected"),
    [
        (38_200_000, 3_237_288, "11.8 GB/s"),
        (42, 100, "0.42 GB/s"),
        (996, 1_000, "1.0 GB/s"),
        (1, 1_000, "<0.01 GB/s"),
        (0, 1_000, "0 GB/s"),
        (112, 1, "112 GB/s"),
        (1, 0, "–"),
    ],
)
def test_a_throughput_is_always_in_gigabytes(bytes_: int, nanoseconds: int, expected: str) -> None:
    assert words.throughput(bytes_, nanoseconds) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (163, "163"),
        (4_812, "4,812"),
        (9_999, "9,999"),
        (10_000, "10.0k"),
        (18_204, "18.2k"),
        (999_500, "1.00M"),
        (3_410_000, "3.41M"),
    ],
)
def test_a_count_has_commas_and_then_a_unit(number: int, expected: str) -> None:
    assert words.count(number) == expected


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (0.0, "0/s"),
        (0.25, "0.25/s"),
        (41.2, "41.2/s"),
        (999.7, "1,000/s"),
        (4_812.4, "4,812/s"),
        (18_204.0, "18.2k/s"),
    ],
)
def test_a_rate_has_three_digits(rate: float, expected: str) -> None:
    assert words.per_second(rate) == expected


def test_an_offset_never_comes_without_its_error() -> None:
    assert words.offset(-1_840_000, 210_000) == "−1.84 ms ± 0.21 ms"
    assert words.offset(0, 0) == "0.00 ns ± 0.00 ns"


def test_shares_are_whole_and_a_small_part_is_not_nothing() -> None:
    assert words.shares((1, 1, 1)) == (34, 33, 33)
    assert words.shares((0, 0)) == (0, 0)
    assert words.share(62) == "62%"
    assert words.share(0, part=5) == "<1%"
    assert words.share(0, part=0) == "0%"


def test_times_of_day_are_of_the_zone_asked_for() -> None:
    wall = 1_767_276_157_412_999_999
    assert words.time_of_day(wall, UTC) == "14:02:37"
    assert words.moment_of_day(wall, UTC) == "14:02:37.412"


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("cmpl-1", "cmpl-1"),
        ("größe-转", "größe-转"),
        ("\x1b[31mred\x07", "�[31mred�"),
        ("a\u202eb\nc\u200b", "a�b�c�"),
        ("\ud800", "�"),
    ],
)
def test_a_name_from_outside_cannot_move_the_cursor(given_text: str, expected: str) -> None:
    assert words.clean(given_text) == expected


@pytest.mark.parametrize(
    ("nanoseconds", "expected"),
    [(6 * S, "6 s"), (3600 * S, "3600 s"), (S // 4, "0.25 s"), (30 * S + S // 2, "30.5 s")],
)
def test_what_somebody_set_is_told_as_it_was_set(nanoseconds: int, expected: str) -> None:
    assert words.setting(nanoseconds) == expected


@given(st.integers(min_value=0, max_value=10_000 * 86_400 * S))
def test_a_duration_is_never_wider_than_its_column(nanoseconds: int) -> None:
    assert len(words.duration(nanoseconds)) <= 7
    assert len(words.wait(nanoseconds)) <= 7


@given(st.integers(min_value=0, max_value=10**17))
def test_a_size_and_a_count_are_never_wider_than_their_columns(number: int) -> None:
    assert len(words.size(number)) <= 7
    assert len(words.count(number)) <= 5
    assert len(words.per_second(float(number))) <= 7


@given(st.lists(st.integers(min_value=0, max_value=10**18), min_size=1))
def test_shares_add_up_to_the_whole(parts: list[int]) -> None:
    assert sum(words.shares(parts)) == (100 if any(parts) else 0)


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0 blocks"), (1, "1 block"), (2, "2 blocks"), (4_812_000, "4,812,000 blocks")],
)
def test_so_many_is_told_exactly_and_one_is_not_many(number: int, expected: str) -> None:
    assert words.many(number, "block") == expected
    assert words.many(number, "process", "processes").endswith("s")
