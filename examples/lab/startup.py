"""What an engine's log says about its start, and about its end."""

import re
from collections.abc import Iterable

FIRST_STEP = "importing vLLM"

STEPS = (
    ("non-default args", "reading the model's settings"),
    ("Resolved architecture", "starting the engine core"),
    ("Initializing a V1 LLM engine", "starting the workers"),
    ("Starting to load model", "loading the model"),
    ("Initializing model took", "making the KV cache"),
    ("Initializing NIXL worker", "registering memory with NIXL"),
    ("Registering KV_Caches", "warming up"),
    ("init engine (profile", "starting the server"),
    ("Application startup complete", "waiting for /health"),
)
"""Words of the log, and the step that begins where they appear, in the usual order."""

_PREFIX = re.compile(r"^\(.*? pid=\d+\)\s+")
_STAMP = re.compile(r"\b(DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d [\d:]+ \[[^\]]*\]\s*")
_BAD = re.compile(r"\b(ERROR|CRITICAL)\b|^\w*(Error|Exception|Exit)\b|\b\w+(Error|Exception): ")
_FRAME = re.compile(r"^(\s|Traceback|File |\^|During handling|The above exception)")


def step_begun(line: str) -> str | None:
    """Name the step of the start that a line of the log begins, if it begins one."""
    return next((step for words, step in STEPS if words in line), None)


def last_words(lines: Iterable[str], limit: int = 4) -> list[str]:
    """Pick the last lines that tell why an engine ended, without the frames of tracebacks."""
    bare = [(line, _STAMP.sub("", _PREFIX.sub("", line.rstrip()))) for line in lines]
    said = [(line, text) for line, text in bare if text and not _FRAME.match(text)]
    bad = [text for line, text in said if _BAD.search(line) or _BAD.search(text)]
    chosen = bad or [text for _, text in said]
    return list(dict.fromkeys(chosen))[-limit:]
