import json
from pathlib import Path

from lab.launch import RUN_VARIABLE, Launch, command, environment

RUN = Path("/run")
CACHE = Path("/cache")


def launch(**changes: object) -> Launch:
    given = {"engine_id": "P", "role": "kv_producer", "port": 8100, "side_port": 5600}
    return Launch(**(given | changes))


def transfer_config(words: list[str]) -> dict[str, object]:
    return json.loads(words[words.index("--kv-transfer-config") + 1])


def test_the_command_names_role_engine_and_connector() -> None:
    words = command(launch(), Path("vllm"), Path("/model"))
    assert transfer_config(words) == {
        "kv_connector": "NixlPushConnector",
        "kv_role": "kv_producer",
        "kv_buffer_device": "cpu",
        "engine_id": "P",
    }
    assert words[words.index("--port") + 1] == "8100"


def test_settings_of_the_connector_are_passed_on() -> None:
    words = command(launch(extra={"kv_lease_duration": 5}), Path("vllm"), Path("/model"))
    assert transfer_config(words)["kv_connector_extra_config"] == {"kv_lease_duration": 5}


def test_a_traced_engine_writes_its_black_boxes_where_we_want_them() -> None:
    variables = environment(launch(boxes=Path("/boxes")), {}, RUN, CACHE)
    assert (variables["KVTRACE"], variables["KVTRACE_DIR"]) == ("1", "/boxes")


def test_a_plain_engine_does_not_inherit_that_we_are_traced() -> None:
    variables = environment(launch(), {"KVTRACE": "1", "PATH": "/bin"}, RUN, CACHE)
    assert "KVTRACE" not in variables
    assert variables["PATH"] == "/bin"


def test_every_process_of_a_run_can_be_recognised() -> None:
    assert environment(launch(), {}, RUN, CACHE)[RUN_VARIABLE] == "/run"


def test_each_rank_has_its_core() -> None:
    variables = environment(launch(tp=2, cores=(0, 1)), {}, RUN, CACHE)
    assert variables["VLLM_CPU_OMP_THREADS_BIND"] == "0|1"


def test_the_launch_has_the_last_word_on_the_environment() -> None:
    variables = environment(launch(env={"UCX_TLS": "tcp"}), {"UCX_TLS": "ib"}, RUN, CACHE)
    assert variables["UCX_TLS"] == "tcp"
