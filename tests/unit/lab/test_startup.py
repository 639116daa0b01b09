import pytest
from lab.startup import last_words, step_begun

CORE = "(EngineCore pid=5368) INFO 12-01 22:12:34 [core.py:402] "


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (CORE + "init engine (profile, create kv cache, warmup model) took 9.75 s", "server"),
        ("(Worker pid=7) INFO 12-01 22:12:23 [r.py:68] Starting to load model /m...", "model"),
        ("INFO:     Application startup complete.", "/health"),
    ],
)
def test_a_line_of_the_log_tells_which_step_begins(line: str, step: str) -> None:
    assert step in (step_begun(line) or "")


def test_most_lines_begin_no_step() -> None:
    assert step_begun(CORE + "something else") is None


def test_the_last_words_are_the_errors_without_their_tracebacks() -> None:
    log = [
        "(APIServer pid=1) INFO 12-01 22:00:00 [a.py:1] all is well",
        "(EngineCore pid=2) ERROR 12-01 22:00:01 [core.py:9] Traceback (most recent call last):",
        '(EngineCore pid=2) ERROR 12-01 22:00:01 [core.py:9]   File "x.py", line 1, in f',
        "(EngineCore pid=2) ERROR 12-01 22:00:01 [core.py:9] OSError: no memory",
        "(APIServer pid=1) RuntimeError: Engine core initialization failed.",
    ]
    assert last_words(log) == [
        "OSError: no memory",
        "RuntimeError: Engine core initialization failed.",
    ]


def test_without_an_error_the_last_lines_must_do() -> None:
    assert last_words(["one", "", "two", "three"], limit=2) == ["two", "three"]


def test_an_engine_that_said_nothing_has_no_last_words() -> None:
    assert last_words([]) == []
