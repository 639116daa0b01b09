"""What others send is read, refused, or unknown; nothing else comes of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.moments import Ended, Record
from kvtrace.signals.logs import Log, SpanEvent
from kvtrace.signals.reading import news_of
from tests.unit import samples
from tests.unit.signals.test_logs import record_of


def test_a_newer_kind_is_told_apart_from_a_broken_record() -> None:
    with pytest.raises(UnknownKindError):
        news_of("kvtrace.tea.brewed", 1, {}, {})
    with pytest.raises(WireError) as raised:
        news_of("kvtrace.request.resumed", 1, {}, {})
    assert not isinstance(raised.value, UnknownKindError)


def test_a_count_that_is_negative_is_refused() -> None:
    with pytest.raises(WireError, match="negative"):
        news_of("kvtrace.lost", 1, {"kvtrace.overwritten": -1}, {})


values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.binary(max_size=9)
    | st.lists(st.integers() | st.text(max_size=3) | st.none(), max_size=3)
    | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
)


@given(st.data())
def test_nothing_but_a_wire_error_comes_of_hostile_attributes(data: st.DataObject) -> None:
    record = record_of(data.draw(st.sampled_from(samples.SAMPLES)))
    log = SpanEvent(record)
    hostile: dict[str, Any] = dict(log.attributes)
    for name in data.draw(st.lists(st.sampled_from(sorted(hostile)), max_size=4)):
        hostile[name] = data.draw(values)
    for name in data.draw(st.lists(st.sampled_from(sorted(hostile)), max_size=1)):
        del hostile[name]
    try:
        news = news_of(log.name, data.draw(st.integers()), hostile, {})
    except WireError:
        return
    assert isinstance(news, Record)
    assert type(news.seq) is type(news.at) is int
    assert type(news.process) is type(news.engine) is type(news.clock) is str
    assert Log(news, 5).attributes


@given(st.dictionaries(st.sampled_from(["kvtrace.process", "kvtrace.goodbye"]), values))
def test_nor_of_a_hostile_end(hostile: dict[str, Any]) -> None:
    try:
        news = news_of("kvtrace.ended", 1, hostile, {})
    except WireError:
        return
    assert isinstance(news, Ended)
