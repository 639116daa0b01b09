"""The entry point that vLLM calls in each of its processes, and the one gate to tracing.

vLLM calls plugins unguarded, and this module is imported by every vLLM that kvtrace is installed
beside. So it lets no exception out, and imports nothing more until tracing is asked for.
"""

import functools
import logging
import os
from collections.abc import Callable
from typing import Any, TypeVar

CONNECTOR = "NixlPushConnector"
"""The name by which launch commands ask for the push connector, and by which vLLM knows it."""

Answer = TypeVar("Answer")

logger = logging.getLogger("vllm.kvtrace")
"""Below vLLM's own logger, so that its configuration shows what we say."""


def install() -> None:
    """Put the traced connector in the place of vLLM's, if `KVTRACE=1` asks for it."""
    if os.environ.get("KVTRACE", "") in ("", "0"):
        return
    _guarded(_install, None)


def may_trace() -> bool:
    """Whether tracing is not refused and fits this vLLM; if not, says once why. Never raises."""
    return _guarded(_may_trace, False)


class TracedLoader:
    """Stands in vLLM's registry and gives the traced connector where it fits, else vLLM's own."""

    def __init__(self, stock: Any) -> None:
        self.stock = stock

    def __call__(self) -> Any:
        """The connector's class."""
        plain = self.stock()
        return _guarded(functools.partial(_traced, plain), plain)


def _install() -> None:
    # Imported here, since without KVTRACE=1 nothing of this may load.
    from kvtrace_connector import switch

    if not switch.asked():
        return
    from vllm.distributed.kv_transfer.kv_connector.factory import KVConnectorFactory

    registry = KVConnectorFactory._registry
    stock = registry.get(CONNECTOR)
    if stock is None:
        _step_aside(f"this vLLM has no {CONNECTOR}")
    elif not isinstance(stock, TracedLoader):
        registry[CONNECTOR] = TracedLoader(stock)


def _traced(plain: Any) -> Any:
    if not may_trace():
        return plain
    from vllm.distributed.kv_transfer.kv_connector.v1.nixl.connector import NixlPushConnector

    if plain is not NixlPushConnector:
        _step_aside(f"{CONNECTOR} is {plain.__module__}'s here, not vLLM's own")
        return plain
    from kvtrace_connector.connector import NixlPushConnector as Traced

    return Traced


def _may_trace() -> bool:
    from kvtrace_connector import fit, switch

    if switch.asked() is False:
        return False
    found = fit.check()
    if not found.fits:
        _step_aside(f"it does not fit vLLM {found.release}, where {found.reasons[0]}")
    elif found.missing:
        _say_missing(found.release, ", ".join(found.missing))
    return found.fits


def _guarded(work: Callable[[], Answer], otherwise: Answer) -> Answer:
    try:
        return work()
    except Exception as error:  # noqa: BLE001  (whatever it is, it must not reach vLLM)
        _step_aside(f"{type(error).__name__}: {error}")
        return otherwise


@functools.cache
def _step_aside(reason: str) -> None:
    logger.warning("kvtrace does not trace this process: %s. Transfers are not affected.", reason)


@functools.cache
def _say_missing(release: str, seams: str) -> None:
    logger.info("kvtrace sees less on vLLM %s, which does not have %s", release, seams)
