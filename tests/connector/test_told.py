"""What `kvtrace doctor` asks of the connector."""

import json
import subprocess
import sys

import pytest


@pytest.mark.vllm
def test_it_tells_as_json_whether_it_fits_the_vllm_here() -> None:
    asked = [sys.executable, "-m", "kvtrace_connector.told"]
    done = subprocess.run(asked, capture_output=True, timeout=100, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["fits"] is True
    assert told["reasons"] == []
