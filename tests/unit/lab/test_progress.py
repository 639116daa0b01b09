import io

from lab.progress import Coming, Progress, line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def coming(step: str, seconds: float = 3, *, ready: bool = False) -> Coming:
    return Coming(name="P producer", step=step, seconds=seconds, ready=ready)


def test_a_pipe_gets_one_line_for_each_step() -> None:
    out = io.StringIO()
    progress = Progress(out)
    for seconds, step in enumerate(["importing", "importing", "loading", "loading"]):
        progress.show([coming(step, seconds)])
    assert out.getvalue().splitlines() == [
        "P producer            0 s  importing",
        "P producer            2 s  loading",
    ]


def test_a_terminal_gets_the_same_lines_renewed() -> None:
    out = Terminal()
    progress = Progress(out, clock=lambda: 0.0)
    progress.show([coming("importing"), coming("importing")])
    progress.show([coming("loading"), coming("loading")])
    assert out.getvalue().count("\x1b[2F\x1b[J") == 1
    assert out.getvalue().count("\n") == 4


def test_a_ready_engine_is_ticked_off() -> None:
    assert line(coming("ready", ready=True), 0.5).startswith("✓ P producer")
