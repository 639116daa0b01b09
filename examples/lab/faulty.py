"""The push connector, traced or not, over a NIXL agent that can be told to go wrong.

For `kv_connector_module_path`: vLLM finds its own connector here, or the one that a plugin put in
its place, and the agent that the connector makes is the one of `lab.nixl_faults`.
"""

import os
from pathlib import Path
from typing import Any

from vllm.distributed import get_tensor_model_parallel_rank
from vllm.distributed.kv_transfer.kv_connector.factory import KVConnectorFactory
from vllm.distributed.kv_transfer.kv_connector.v1.nixl import base_worker

from lab.faults import VARIABLE, FaultFile
from lab.nixl_faults import faulty

base_worker.NixlWrapper = faulty(
    base_worker.NixlWrapper,
    FaultFile(Path(os.environ[VARIABLE])).now,
    get_tensor_model_parallel_rank,
)

NixlPushConnector: Any = KVConnectorFactory.get_connector_class_by_name("NixlPushConnector")
