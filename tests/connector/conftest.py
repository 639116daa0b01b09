"""What holds for all tests of what runs inside vLLM."""

import logging

import pytest


@pytest.fixture(autouse=True)
def _warnings_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """vLLM, once imported, keeps what its loggers say to itself; tests want to hear it."""
    monkeypatch.setattr(logging.getLogger("vllm"), "propagate", True)
