"""The traced push connector: vLLM's own, with our hooks around it and its two halves.

Where tracing is refused or does not fit, `NixlPushConnector` is vLLM's own class.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vllm.distributed.kv_transfer.kv_connector.v1.nixl import connector as nixl

from kvtrace_connector import fit, plugin
from kvtrace_connector.launcher import Launcher
from kvtrace_connector.probe import Recorder
from kvtrace_connector.tracing import traced_connector, traced_scheduler, traced_worker

NixlPushConnector: Any = nixl.NixlPushConnector
"""What vLLM loads from here by this name."""

_RECORDER = Recorder(agent=Launcher())
"""One for the process, whose halves share a black box."""

_SWAP = threading.RLock()
"""Two connectors must not be built at once, since what they build is found by name."""


def _trace() -> None:
    global NixlPushConnector
    has = fit.check().has
    scheduler = traced_scheduler(nixl.NixlPushConnectorScheduler, _RECORDER, has)
    worker = traced_worker(nixl.NixlPushConnectorWorker, _RECORDER, has)

    @contextmanager
    def building() -> Iterator[None]:
        """While it lasts, vLLM's connector builds our halves in the place of its own."""
        with _SWAP:
            stock = nixl.NixlPushConnectorScheduler, nixl.NixlPushConnectorWorker
            nixl.NixlPushConnectorScheduler, nixl.NixlPushConnectorWorker = scheduler, worker
            try:
                yield
            finally:
                nixl.NixlPushConnectorScheduler, nixl.NixlPushConnectorWorker = stock

    NixlPushConnector = traced_connector(nixl.NixlPushConnector, _RECORDER, has, building)


if plugin.may_trace():
    _RECORDER.fuse.run(_trace)
