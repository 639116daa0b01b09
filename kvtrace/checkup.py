"""What is wrong with how engines are set up, before anything goes wrong with a transfer."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from uuid import UUID

import msgspec

from kvtrace.diagnosis.compatibility import HASHED
from kvtrace.differences import ALIKE
from kvtrace.events import ProcessStarted
from kvtrace.words import setting

SECOND = 1_000_000_000

HOMES = ("localhost", "127.", "::1")
"""How addresses begin that lead nowhere but to the host itself."""

SETTINGS = {
    "vllm_version": "Install the same release of vLLM for both.",
    "nixl_version": "Install the same release of NIXL for both.",
    "mode": "Start both with `NixlPushConnector`, or both with the one that pulls.",
    "model": "Name the model alike to both, by the same path or the same name.",
    "block_size": "Start both with the same `--block-size`.",
    "dtype": "Start both with the same `--dtype`.",
    "cache_dtype": "Start both with the same `--kv-cache-dtype`.",
    "attention_backend": "Start both with the same `--attention-backend`.",
    "speculation": "Start both with the same `--speculative-config`.",
    "kv_cache_layout": "Set the same `VLLM_KV_CACHE_LAYOUT` for both.",
    "backends": "Name the same `backends` in `kv_connector_extra_config` of both.",
    "UCX_TLS": "Set the same `UCX_TLS` for both.",
    "compatibility_hash": "They differ in what neither tells, and refuse each other. Start both "
    "with `VLLM_LOGGING_LEVEL=DEBUG`, and compare the lines `NIXL compatibility hash`; then their "
    "KV heads, head size and layers, `--disable-hybrid-kv-cache-manager` and the model’s name.",
}
"""What to do where both sides told of this, and differ in it."""


class Patient(msgspec.Struct, frozen=True, kw_only=True):
    """One engine, as it told of itself."""

    id: str
    name: str
    """What screens call it."""

    roles: str
    """`P`, `D` or `PD`."""

    clock: str
    """Its host's boot id: two hosts never share one."""

    settings: ProcessStarted

    def fact(self, name: str) -> str:
        """What it told of this, as text; empty where it did not."""
        told = getattr(self.settings, name, None)
        return str(told) if told else self.settings.facts.get(name, "")


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong, or may become so."""

    check: str
    wrong: bool
    """Whether transfers will fail, or can hang; otherwise it is a hint."""

    sentence: str
    remedy: str
    modes: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    """Names."""


def checkup(patients: Sequence[Patient]) -> list[Finding]:
    """Everything found, what is wrong first."""
    alone = (one for patient in patients for check in ALONE for one in check(patient))
    pairs = [
        (p, d)
        for p in patients
        for d in patients
        if "P" in p.roles and "D" in d.roles and p.id != d.id
    ]
    between = (one for p, d in pairs for check in BETWEEN for one in check(p, d))
    every = (one for check in TOGETHER for one in check(patients))
    found = {(one.check, one.sentence): one for one in (*every, *between, *alone)}
    return sorted(found.values(), key=lambda one: (not one.wrong, one.check, one.sentence))


def _no_way_to_it(patients: Sequence[Patient]) -> Iterator[Finding]:
    """An address that only its own host can reach, where there are several hosts."""
    if len({one.clock for one in patients}) < 2:
        return
    for one in patients:
        if one.settings.host.startswith(HOMES):
            yield Finding(
                check="side channel",
                wrong=True,
                sentence=f"{one.name} tells its peers to find it at {one.settings.host}, and there "
                "are engines on other hosts.",
                remedy=f"Set `VLLM_NIXL_SIDE_CHANNEL_HOST` on {one.name} to an address that the "
                "others can reach.",
                modes=("FM02", "FM03"),
                engines=(one.name,),
            )


def _same_port(patients: Sequence[Patient]) -> Iterator[Finding]:
    for one, other in combinations(patients, 2):
        here = one.clock == other.clock and one.settings.port
        if here and one.settings.port == other.settings.port and one.id != other.id:
            yield Finding(
                check="side channel",
                wrong=True,
                sentence=f"{one.name} and {other.name} on one host both have port "
                f"{one.settings.port} for handshakes.",
                remedy="Set `VLLM_NIXL_SIDE_CHANNEL_PORT` so that each engine, and each of its "
                "data-parallel ranks, has a port of its own.",
                modes=("FM04", "FM03"),
                engines=(one.name, other.name),
            )


def _one_for_both(patients: Sequence[Patient]) -> Iterator[Finding]:
    for one, other in combinations(patients, 2):
        cores, theirs = one.fact("cpus"), other.fact("cpus")
        if one.clock == other.clock and cores and cores == theirs and "," not in cores:
            yield Finding(
                check="processors",
                wrong=False,
                sentence=f"The first ranks of {one.name} and {other.name} share core {cores}.",
                remedy="Give each a core of its own (`VLLM_CPU_OMP_THREADS_BIND`, cpusets).",
                modes=("FM49", "FM48"),
                engines=(one.name, other.name),
            )


def _unlike(producer: Patient, consumer: Patient) -> Iterator[Finding]:
    """Facts that both sides must share."""
    differ = [name for name in ALIKE if _is_unlike(producer, consumer, name)]
    # It follows from factors: nobody can set it, and those that differ say more.
    follows = "compatibility_hash" in differ and not set(differ).isdisjoint(HASHED)
    for name in differ:
        if name == "compatibility_hash" and follows:
            continue
        mine, theirs = producer.fact(name), consumer.fact(name)
        yield Finding(
            check="alike",
            wrong=name not in ("UCX_TLS", "nixl_version"),
            sentence=f"{producer.name} and {consumer.name} differ in {name}: {mine}, {theirs}.",
            remedy=SETTINGS.get(name) or f"Start both with the same {name}.",
            modes=("FM12",) if name in ("block_size", "kv_cache_layout") else ("FM17",),
            engines=(producer.name, consumer.name),
        )


def _is_unlike(producer: Patient, consumer: Patient, name: str) -> bool:
    mine, theirs = producer.fact(name), consumer.fact(name)
    return bool(mine and theirs) and mine != theirs


def _ranks(producer: Patient, consumer: Patient) -> Iterator[Finding]:
    p, d = producer.settings.tp_size, consumer.settings.tp_size
    if d and p and (p > d or d % p):
        yield Finding(
            check="ranks",
            wrong=True,
            sentence=f"{producer.name} has tensor parallel size {p}, {consumer.name} has {d}: D’s "
            "must be P’s or a multiple of it.",
            remedy=f"Set `--tensor-parallel-size` of {consumer.name} to a multiple of {p}.",
            modes=("FM12",),
            engines=(producer.name, consumer.name),
        )


def _late_watchdog(producer: Patient, consumer: Patient) -> Iterator[Finding]:
    lease, timeout = producer.settings.lease, consumer.settings.registration_timeout
    if lease and timeout > 2 * lease:
        yield Finding(
            check="patience",
            wrong=False,
            sentence=f"{consumer.name} waits for {setting(timeout)} before it logs a word of a "
            f"registration that came to nothing; {producer.name} gives the blocks back after "
            f"{setting(lease)}.",
            remedy=f"Set `push_registration_timeout` on {consumer.name} near the lease, and a "
            "deadline in the router: the watchdog fails no request.",
            modes=("FM43",),
            engines=(consumer.name,),
        )


def _only_tcp(patient: Patient) -> Iterator[Finding]:
    lanes = patient.fact("UCX_TLS")
    if lanes and not set(lanes.split(",")) - {"tcp", "self"}:
        yield Finding(
            check="transport",
            wrong=False,
            sentence=f"{patient.name} lets UCX use nothing but TCP (`UCX_TLS={lanes}`).",
            remedy=f"Set `UCX_TLS` on {patient.name} so that it includes RDMA, or shared memory "
            "on one host.",
            modes=("FM01",),
            engines=(patient.name,),
        )


def _fixed_id(patient: Patient) -> Iterator[Finding]:
    try:
        UUID(patient.id.split("_dp")[0])
    except ValueError:
        yield Finding(
            check="identity",
            wrong=True,
            sentence=f"{patient.name} has the fixed engine id {patient.id!r}: after a restart its "
            "peers go on to use what they knew of the one before.",
            remedy=f"Leave `engine_id` of {patient.name} out, so that each start has its own.",
            modes=("FM10",),
            engines=(patient.name,),
        )


def _policy(patient: Patient) -> Iterator[Finding]:
    if "D" in patient.roles and not patient.fact("kv_load_failure_policy"):
        yield Finding(
            check="policy",
            wrong=False,
            sentence=f"{patient.name} was not told what to do when KV does not come.",
            remedy="Set `kv_load_failure_policy` to `fail` or `recompute`.",
            modes=("FM32",),
            engines=(patient.name,),
        )


def _short_lease(patient: Patient) -> Iterator[Finding]:
    if "P" in patient.roles and 0 < patient.settings.lease < 10 * SECOND:
        yield Finding(
            check="patience",
            wrong=True,
            sentence=f"{patient.name} holds blocks for {setting(patient.settings.lease)}: a D "
            "that queues longer gets none.",
            remedy=f"Raise `kv_lease_duration` of {patient.name} above D’s longest queue.",
            modes=("FM06", "FM44"),
            engines=(patient.name,),
        )


def _growing_memory(patient: Patient) -> Iterator[Finding]:
    unreleased = patient.fact("UCX_RCACHE_MAX_UNRELEASED")
    if unreleased in ("inf", ""):
        yield Finding(
            check="memory",
            wrong=False,
            sentence=f"{patient.name} runs without a bound on UCX’s registration cache.",
            remedy="Set `UCX_RCACHE_MAX_UNRELEASED=1024`.",
            modes=("FM38",),
            engines=(patient.name,),
        )


ALONE: tuple[Callable[[Patient], Iterator[Finding]], ...] = (
    _only_tcp,
    _fixed_id,
    _policy,
    _short_lease,
    _growing_memory,
)
BETWEEN: tuple[Callable[[Patient, Patient], Iterator[Finding]], ...] = (
    _unlike,
    _ranks,
    _late_watchdog,
)
TOGETHER: tuple[Callable[[Sequence[Patient]], Iterator[Finding]], ...] = (
    _no_way_to_it,
    _same_port,
    _one_for_both,
)
