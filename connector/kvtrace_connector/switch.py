"""Whether the environment asks for tracing.

`KVTRACE` switches it on (1, true, yes, on) or off (0, false, no, off), and off always wins.
"""

import functools
import logging
import os
from collections.abc import Mapping

logger = logging.getLogger("vllm.kvtrace")

_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})


def asked(environment: Mapping[str, str] = os.environ) -> bool | None:
    """Whether tracing is asked for (`True`), refused (`False`) or not spoken of (`None`)."""
    return _read(environment.get("KVTRACE", "").strip().lower())


@functools.cache
def _read(word: str) -> bool | None:
    if not word:
        return None
    if word not in _ON | _OFF:
        logger.warning("KVTRACE=%s is neither 1 nor 0; kvtrace stays off", word)
    return word in _ON
