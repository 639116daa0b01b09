"""Request ids are hashed, and everything else stays as it was."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.events import AnyEvent, kind
from kvtrace.fleet import Fleet
from kvtrace.identity import base_id
from kvtrace.moments import Ended, Moment, News, Record
from kvtrace.signals.hashing import IDS, KNOWN, TEXTS, Hasher
from kvtrace.signals.logs import Log, SpanEvent
from kvtrace.signals.spans import Span
from kvtrace.wire import KINDS
from tests.unit import samples
from tests.unit.signals.telling import WHOLE, recorded, spans_of

STRUCTURE = {
    # Names of engines, agents and places, and words of a closed set: no id gets there.
    *("producer", "consumer", "peer", "engine", "host", "agent", "model", "trace"),
    *("side", "kv_role", "mode", "outcome", "first", "looked_for", "stage", "role_sent"),
    *("vllm_version", "nixl_version", "kvtrace_version"),
}

EACH = pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)


def test_of_every_text_it_is_known_whether_an_id_can_be_in_it() -> None:
    fields = {
        f.name for cls in KINDS.values() for f in msgspec.structs.fields(cls) if f.type is str
    }
    assert fields == IDS | TEXTS | STRUCTURE


def test_ids_that_share_a_base_do_so_still() -> None:
    hasher = Hasher("secret")
    mine, theirs = hasher.of(samples.P_REQUEST), hasher.of(samples.D_REQUEST)
    assert mine != theirs
    assert base_id(mine) == base_id(theirs) == hasher.of("r1")
    assert len(hasher.of("r1")) == 16


def test_the_same_secret_gives_the_same_hash_and_another_another() -> None:
    assert Hasher("a").of("r1") == Hasher("a").of("r1")
    assert Hasher("a").of("r1") != Hasher("b").of("r1")
    assert Hasher("a").of("") == ""


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6), st.randoms())
def test_the_hash_of_an_id_does_not_depend_on_what_was_hashed_before(
    names: list[str], random: object
) -> None:
    hasher = Hasher("secret")
    for name in names:
        hasher.of(name)
    assert [hasher.of(name) for name in names] == [Hasher("secret").of(name) for name in names]


@pytest.mark.parametrize(
    "text",
    [
        "no such request {0}",
        "request_id={0}, blocks=7",
        "KeyError('{0}')",
        "lost {0}:2",
        "chatcmpl-{0}-3 was cut",
        "cut short after {0}-8e9",
    ],
)
def test_ids_in_texts_are_found(text: str) -> None:
    hasher = Hasher("secret")
    full = "demo-7ce42c8218072e8c-0-a9b8ec5a"
    made = hasher.of(full)
    assert hasher.text(text.format(full)) == text.format(made)
    assert hasher.text(text.format(base_id(full))) == text.format(base_id(made))


def test_so_are_ids_with_signs_in_them() -> None:
    hasher = Hasher("secret")
    made = hasher.of("user/a.b@c:1-a9b8ec5a")
    assert hasher.text("lost user/a.b@c:1-a9b8ec5a!") == f"lost {made}!"
    assert "user/a.b@c" not in hasher.text("and user/a.b@c:1 as well")


def test_other_words_stay() -> None:
    hasher = Hasher("secret")
    hasher.of("r1-aaaaaaaa")
    assert hasher.text("r2-aaaaaaaa of r11 timed-out") == "r2-aaaaaaaa of r11 timed-out"


@pytest.mark.parametrize("event", samples.SAMPLES, ids=kind)
def test_an_event_keeps_all_but_its_ids(event: AnyEvent) -> None:
    hasher = Hasher("secret")
    record = Record(process="a", seq=1, at=1, wall=1, clock="c", engine="E", role=None, event=event)
    hashed = hasher.news(record)
    assert isinstance(hashed, Record)
    for field in event.__struct_fields__:
        if field not in IDS | TEXTS:
            assert getattr(hashed.event, field) == getattr(event, field)
    assert hasher.of(event.request) == hashed.event.request


def test_what_is_no_event_stays() -> None:
    ended = Ended(process="a", goodbye=True)
    assert Hasher("secret").news(ended) is ended


def test_so_many_ids_are_remembered() -> None:
    hasher = Hasher("secret")
    for number in range(KNOWN + 1):
        hasher.of(f"request {number}")
    assert hasher.text("request 0 and") == "request 0 and"
    assert str(KNOWN) not in hasher.text(f"request {KNOWN}")


def joined(moments: list[Moment], clock: str) -> list[tuple[object, ...]]:
    fleet = Fleet(clock)
    for moment in moments:
        fleet.take(moment)
    every = [*fleet.table.live.values(), *(fleet.table.ended[name] for name in fleet.table.ended)]
    return [
        (
            transfer.joined,
            len(transfer.rivals),
            sorted((k[0], k[1], k[2], k[3]) for k in transfer.producer.told)
            if transfer.producer
            else None,
            sorted((k[0], k[1], k[2], k[3]) for k in transfer.consumer.told)
            if transfer.consumer
            else None,
        )
        for transfer in every
    ]


def hashed(moments: list[Moment], hasher: Hasher) -> list[Moment]:
    return [Moment(m.at, hasher.news(m.news) if m.news is not None else None) for m in moments]


@EACH
def test_halves_of_a_hashed_recording_join_exactly_as_those_of_the_plain_one(path: Path) -> None:
    clock, moments = recorded(path)
    assert joined(hashed(moments, Hasher("secret")), clock) == joined(moments, clock)


def ids_in(moments: list[Moment]) -> set[str]:
    found = set()
    for moment in moments:
        if isinstance(moment.news, Record):
            for field in IDS:
                name = getattr(moment.news.event, field, "")
                found |= {name, base_id(name)}
    return found - {""}


def said(span: Span) -> list[str]:
    logs: list[Log] = list(span.events)
    maps = [
        span.attributes,
        *(log.attributes for log in logs),
        *(li.attributes for li in span.links),
    ]
    return [str(value) for attributes in maps for value in attributes.values()] + [span.error]


@EACH
def test_no_id_survives_in_any_attribute(path: Path) -> None:
    clock, moments = recorded(path)
    plain = ids_in(moments)
    assert plain
    changed = hashed(moments, Hasher("secret"))
    texts = [text for span in spans_of(changed, clock=clock) for text in said(span)]
    for moment in changed:
        if isinstance(moment.news, Record):
            texts += [str(v) for v in SpanEvent(moment.news).attributes.values()]
    everything = "\n".join(texts)
    assert [name for name in plain if name in everything] == []


ids = st.sampled_from(["r1-aaaaaaaa", "demo-1-0", "cmpl-demo-1-0-bbbbbbbb", "a/b-cccccccc"])
forms = st.sampled_from(["{}", "('{}')", "{}:2", "chatcmpl-{}-3", "id={},", "lost"])
texts = st.lists(st.builds(str.format, forms, ids), max_size=6).map(" ".join)


@given(st.lists(ids, min_size=4, unique=True), texts)
def test_no_known_id_survives_in_any_text(known: list[str], text: str) -> None:
    hasher = Hasher("secret")
    for name in known:
        hasher.of(name)
    event = samples.failure_logged(request=known[0], message=text, error=text)
    news: News = Record(
        process="a", seq=1, at=1, wall=1, clock="c", engine="E", role=None, event=event
    )
    changed = hasher.news(news)
    assert isinstance(changed, Record)
    words = " ".join(str(v) for v in SpanEvent(changed).attributes.values())
    assert [name for name in known if name in words] == []
