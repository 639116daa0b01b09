"""What a scenario file says: what to do to real engines, and what must be named for it."""

from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from kvtrace.causes import Cause
from lab.errors import LabError
from lab.faults import Fault
from lab.knobs import LegKnobs

FOLDER = Path(__file__).parent / "scenarios"

EngineName = Literal["P", "P2", "D"]


class _Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True):
    """One thing to do."""


class Send(_Step, kw_only=True, frozen=True, tag="send"):
    """Send requests, and do not wait for their answers."""

    name: str = "a"
    """What the scenario calls it; `$a` stands for its id in later steps."""
    count: int = 1
    prompt: int = 100
    answer: int = 8
    """Tokens asked for."""
    seconds: float = 12
    """Its client gives up after so many."""
    same_id_as: str = ""
    """Sent under the id of that one."""
    same_prompt_as: str = ""
    producer: LegKnobs = LegKnobs()
    consumer: LegKnobs = LegKnobs()


class Break(_Step, kw_only=True, frozen=True, tag="break"):
    """Let a NIXL call of an engine go wrong, until it is mended or the scenario is over."""

    engine: EngineName
    fault: Fault


class Mend(_Step, kw_only=True, frozen=True, tag="mend"):
    """Let all NIXL calls of an engine go well again."""

    engine: EngineName


class Signal(_Step, kw_only=True, frozen=True, tag="signal"):
    """Send a signal to processes of an engine; those that were stopped go on at the end."""

    engine: EngineName
    process: str = ""
    """`api`, `core`, `worker 0`; all where empty."""
    signal: Literal["SIGSTOP", "SIGCONT", "SIGKILL", "SIGTERM"]


class Restart(_Step, kw_only=True, frozen=True, tag="restart"):
    """Kill an engine and start it anew under the same id."""

    engine: EngineName
    gently: bool = False
    """Whether it is told to end, rather than killed."""


class Visit(_Step, kw_only=True, frozen=True, tag="visit"):
    """Let a stranger send an engine a registration with only these words."""

    engine: EngineName
    words: dict[str, Any]


class Knock(_Step, kw_only=True, frozen=True, tag="knock"):
    """Say to an engine's side channel what it cannot understand."""

    engine: EngineName


class Wait(_Step, kw_only=True, frozen=True, tag="wait"):
    """Wait until the engines told of an event of a request, or so many seconds."""

    event: str = ""
    """By its name on the wire; `write.posted`."""
    of: str = "a"
    seconds: float = 8


class Serve(_Step, kw_only=True, frozen=True, tag="serve"):
    """Send so many healthy requests, one after the other, and wait for their answers."""

    count: int = 1
    prompt: int = 60
    at_once: int = 1


Step: TypeAlias = Send | Break | Mend | Signal | Restart | Visit | Knock | Wait | Serve


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which engines a scenario needs; scenarios that need the same ones share them."""

    tp_producer: int = 1
    tp_consumer: int = 1
    second_producer: bool = False
    lease: int = 6
    """Seconds."""
    watchdog: int = 4
    """Seconds: `push_registration_timeout`."""
    extra: dict[str, Any] = {}
    """More of `kv_connector_extra_config`."""
    flags: tuple[str, ...] = ()
    """Of `vllm serve`, for all engines."""
    consumer_flags: tuple[str, ...] = ()
    env: dict[str, str] = {}
    consumer_env: dict[str, str] = {}
    alone: bool = False
    """Whether the engines are of no use afterwards."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fault on real engines."""

    title: str
    modes: tuple[str, ...] = ()
    cause: Cause | None = None
    """What must be named in the end; none where all is well."""
    also: tuple[Cause, ...] = ()
    """What may be named on the way there, or beside it, for the same requests."""
    of: tuple[str, ...] = ("a",)
    """Requests it must be named for; empty where it is about an engine."""
    within: float = 25
    """Seconds from the last step until it is named."""
    router_speaks: bool = False
    """Whether the router tells kvtrace which legs it sends, and how they end."""
    stand_in: bool = False
    """Whether a NIXL call was told to go wrong, rather than a real part broken."""
    setup: Setup = Setup()
    step: tuple[Step, ...]
    name: str = ""
    """Of its file."""


def load(path: Path) -> Scenario:
    """The scenario in this file.

    Raises:
        LabError: if it is none.
    """
    try:
        found = msgspec.toml.decode(path.read_bytes(), type=Scenario)
    except (OSError, msgspec.MsgspecError) as error:
        raise LabError(f"{path} is no scenario: {error}") from error
    return msgspec.structs.replace(found, name=path.stem)


def every(folder: Path = FOLDER) -> list[Scenario]:
    """All scenarios, in the order of their names."""
    return [load(path) for path in sorted(folder.glob("*.toml"))]


def chosen(names: tuple[str, ...], folder: Path = FOLDER) -> list[Scenario]:
    """Those of these names.

    Raises:
        LabError: if there is no such one.
    """
    known = {one.name: one for one in every(folder)}
    for name in names:
        if name not in known:
            raise LabError(f"No scenario is called {name}: `list` tells them all.")
    return [known[name] for name in names]
