import pytest
from lab.processes import role


@pytest.mark.parametrize(
    ("command_line", "name"),
    [
        ("/venv/bin/python /venv/bin/vllm serve /model --port 1", "api"),
        ("VLLM::EngineCore", "core"),
        ("VLLM::Worker", "worker 0"),
        ("VLLM::Worker_TP1", "worker 1"),
        ("VLLM::Worker_TP1_EP1", "worker 1"),
        ("python -c from multiprocessing.resource_tracker import main", None),
    ],
)
def test_a_process_is_known_by_its_command_line(command_line: str, name: str | None) -> None:
    assert role(command_line) == name
