"""Which facts engines tell of themselves, and where two that must be alike are not."""

from collections.abc import Iterable

import msgspec

from kvtrace.snapshot import EngineLine

ALIKE = (
    "vllm_version",
    "nixl_version",
    "mode",
    "model",
    "block_size",
    "dtype",
    "cache_dtype",
    "attention_backend",
    "speculation",
    "kv_cache_layout",
    "compatibility_hash",
    "backends",
    "UCX_TLS",
)
"""Facts that P and D should share, the most telling first."""

FIRST = (*ALIKE[:5], "tp_size", "pp_size", "blocks", "lease", "registration_timeout")
"""What one looks for first."""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that engines told of themselves."""

    name: str
    values: dict[str, str]
    """By the engine's id; only of those that told."""

    differs: bool
    """Whether a producer and a consumer told what should be alike and is not."""


def facts(engines: Iterable[EngineLine]) -> tuple[Fact, ...]:
    """Every fact that any of them told: what one looks for first, then by name."""
    told: dict[str, dict[str, str]] = {}
    sides: dict[str, str] = {}
    for engine in engines:
        sides[engine.id] = engine.roles
        for name, value in engine.facts:
            told.setdefault(name, {})[engine.id] = value
    order = sorted(told, key=lambda name: (_rank(name), name))
    return tuple(
        Fact(name=name, values=told[name], differs=name in ALIKE and _differ(told[name], sides))
        for name in order
    )


def _rank(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)


def _differ(values: dict[str, str], sides: dict[str, str]) -> bool:
    producers = {value for engine, value in values.items() if "P" in sides[engine]}
    consumers = {value for engine, value in values.items() if "D" in sides[engine]}
    return bool(producers and consumers) and len(producers | consumers) > 1
