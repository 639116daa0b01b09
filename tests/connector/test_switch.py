import pytest
from kvtrace_connector import switch


@pytest.mark.parametrize("word", ["1", "true", "yes", "on", "ON", " True "])
def test_words_that_ask_for_tracing(word: str) -> None:
    assert switch.asked({"KVTRACE": word}) is True


@pytest.mark.parametrize("word", ["0", "false", "no", "off", "OFF"])
def test_words_that_refuse_it(word: str) -> None:
    assert switch.asked({"KVTRACE": word}) is False


@pytest.mark.parametrize("environment", [{}, {"KVTRACE": ""}, {"KVTRACE": " "}])
def test_nothing_said_is_neither(environment: dict[str, str]) -> None:
    assert switch.asked(environment) is None


def test_any_other_word_refuses_it_and_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    assert switch.asked({"KVTRACE": "maybe"}) is False
    assert switch.asked({"KVTRACE": "maybe"}) is False
    assert [record.name for record in caplog.records] == ["vllm.kvtrace"]
    assert "maybe" in caplog.text
