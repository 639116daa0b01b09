"""Rules for engines that reached each other, and do not fit together."""

import re
from collections.abc import Iterator

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.exchange import Failure
from kvtrace.events import ProcessStarted, WriterFailed, WriteStarted
from kvtrace.model import Role
from kvtrace.words import clean

HASHED = (
    "vllm_version",
    "mode",
    "model",
    "dtype",
    "attention_backend",
    "cache_dtype",
    "speculation",
)
"""What goes into vLLM's compatibility hash, as far as engines tell it."""

LAYOUT = ("block_size", "kv_cache_layout", "tp_size", "pp_size", "regions", "block_bytes")
"""What decides how a KV cache lies in memory, the most telling first."""


def engines_not_compatible(case: Case, failed: Failure) -> Diagnosis:
    """The two engines' compatibility hashes differ."""
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    differ = list(_differ(case, HASHED))
    if differ:
        told = "; ".join(f"{name}: {mine}, {theirs}" for name, mine, theirs in differ[:3])
        sentence = f"{p} and {d} differ in {told}."
        remedy = f"Start {p} and {d} with the same {' and '.join(name for name, _, _ in differ)}."
    else:
        told = ", ".join(one[:8] for one in _HASHES.findall(failed.error)[:2]) or "not told"
        sentence = (
            f"{p} and {d} have different compatibility hashes ({told}) for a factor not told."
        )
        remedy = (
            f"Compare how {p} and {d} are started: vLLM’s release, the model’s name as given, the "
            "KV cache’s type, hybrid cache and speculative settings."
        )
    return case.blame(
        Cause.ENGINES_NOT_COMPATIBLE,
        sentence,
        f"{remedy} Set `enforce_handshake_compat` to false only where you know that they fit.",
        [
            case.saw(failed.told, f"{case.place(failed.told.place)} refused the other’s hash."),
            *_facts(case, differ),
        ],
    )


def layouts_differ(case: Case, failed: Failure) -> Diagnosis:
    """The hashes agree, and the KV caches cannot be mapped onto each other."""
    named = _named(case, failed)
    differ = named or next(_differ(case, LAYOUT), None)
    where, error = case.place(failed.told.place), clean(failed.error) or "an error"
    shown = case.saw(failed.told, f"{where} refused the other’s layout: {error.rstrip('.')}.")
    doubt = "" if named is not None else "the error does not name what differs"
    return _layouts(case, differ, (shown, error), doubt)


def layouts_did_not_meet(case: Case) -> Diagnosis | None:
    """The handshake went well, and the write found more blocks on one side than on the other."""
    if not case.has(WriteStarted) or not case.has(WriterFailed):
        return None
    differ = next(_differ(case, ("block_size",)), None)
    if differ is None:
        return None
    for started in case.all(WriteStarted):
        if started.event.outcome == "raised" and started.event.error:
            where, error = case.place(started.place), clean(started.event.error)
            shown = case.saw(started, f"{where} could not map the blocks: {error.rstrip('.')}.")
            return _layouts(case, differ, (shown, error))
    return None


def _layouts(
    case: Case, differ: tuple[str, str, str] | None, said: tuple[Evidence, str], doubt: str = ""
) -> Diagnosis:
    shown, error = said
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    name = differ[0] if differ is not None else "layout"
    sentence = f"{p} and {d} do not fit together: {error.rstrip('.')}."
    if differ is not None:
        sentence = f"{p} and {d} differ in {name}: {differ[1]}, {differ[2]}."
    return case.blame(
        Cause.LAYOUTS_DIFFER,
        sentence,
        f"Start {p} and {d} with {_ALLOWED.get(name, f'the same {name}')}.",
        [shown, *_facts(case, [differ] if differ is not None else [])],
        doubt=doubt,
    )


def _named(case: Case, failed: Failure) -> tuple[str, str, str] | None:
    """What the error names, with P's value and D's."""
    for name, pattern in _IN_WORDS:
        found = pattern.search(failed.error)
        if found is None:
            continue
        values = found.groupdict()
        if "local" in values:
            local, remote = values["local"], values["remote"]
            mine, theirs = (local, remote) if failed.caller is Role.PRODUCER else (remote, local)
            return name, mine, theirs
        told = next(_differ(case, (name,)), None)
        if told is not None:
            return told
    return None


def _differ(case: Case, names: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """What both told and is not alike, with P's value and D's."""
    mine, theirs = (case.scene.settings(case.engine_id(role)) for role in Role)
    if mine is None or theirs is None:
        return
    for name in names:
        one, other = value(mine, name), value(theirs, name)
        if one and other and one != other:
            yield name, clean(one), clean(other)


def value(settings: ProcessStarted, name: str) -> str:
    """What an engine told of this, as text; empty where it did not."""
    told = getattr(settings, name, None)
    return str(told) if told else settings.facts.get(name, "")


def _facts(case: Case, differ: list[tuple[str, str, str]]) -> Iterator[Evidence]:
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    for name, mine, theirs in differ:
        text = f"{name} is {mine} on {p}, {theirs} on {d}."
        yield Evidence(text=text, event="process.started")


_HASHES = re.compile(r"\b[0-9a-f]{16,64}\b")

_IN_WORDS = (
    ("kv_cache_layout", re.compile(r"local (?P<local>\w+), remote (?P<remote>\w+)\)")),
    (
        "block_size",
        re.compile(r"Local block size (?P<local>\d+) .*remote block size (?P<remote>\d+)"),
    ),
    ("block_size", re.compile(r"block sizes")),
    (
        "tp_size",
        re.compile(
            r"Local tensor parallel size (?P<local>\d+) .*remote tensor parallel size "
            r"(?P<remote>\d+)"
        ),
    ),
    (
        "tp_size",
        re.compile(
            r"Remote tensor parallel size (?P<remote>\d+) .*local tensor parallel size "
            r"(?P<local>\d+)"
        ),
    ),
    ("tp_size", re.compile(r"P TP > D TP|decode TP greater|local TP|Heterogeneous TP head")),
    ("dcp_size", re.compile(r"local=(?P<local>\d+), remote=(?P<remote>\d+) \(engine")),
    ("dcp_size", re.compile(r"DCP sizes, got local=(?P<local>\d+), remote=(?P<remote>\d+)")),
    ("block_size", re.compile(r"block_size_ratio|block_len|KV cache sizes")),
    ("regions", re.compile(r"Number of KV layers")),
    (
        "block bytes",
        re.compile(r"region \d+: local=(?P<local>\d+), remote=(?P<remote>\d+)"),
    ),
    (
        "block bytes",
        re.compile(r"block_len (?P<remote>\d+) must equal local (?P<local>\d+)"),
    ),
)
"""What vLLM's errors speak of; where they give no values, the engines' facts do."""

_ALLOWED = {
    "block_size": "the same `--block-size`",
    "kv_cache_layout": "the same `VLLM_KV_CACHE_LAYOUT`",
    "tp_size": "a `--tensor-parallel-size` of D that is P’s or a multiple of it",
    "pp_size": "the same `--pipeline-parallel-size`",
    "regions": "the same model and the same number of KV layers",
    "dcp_size": "a `--decode-context-parallel-size` on one that divides the other’s",
}
