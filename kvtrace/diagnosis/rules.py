"""The rules in the order in which they are tried; the first that holds names the cause.

A rule that needs more evidence stands before one that is content with less.
"""

from collections.abc import Callable

from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.readiness import prefill_failed, prefill_ran_elsewhere
from kvtrace.diagnosis.registration import never_came
from kvtrace.diagnosis.slow import (
    goes_over_tcp,
    slow,
    some_ranks_write_slowly,
    too_many_descriptors,
    waits_for_steps,
)

RULES: tuple[Callable[[Case], Diagnosis | None], ...] = (
    prefill_failed,
    prefill_ran_elsewhere,
    never_came,
)
"""For a transfer in flight that stalled, and for one that failed or was given up."""

FINISHED_RULES: tuple[Callable[[Case], Diagnosis | None], ...] = (
    too_many_descriptors,
    some_ranks_write_slowly,
    goes_over_tcp,
    waits_for_steps,
    slow,
)
"""For a transfer that finished: late, or with what may be wrong values."""

ENGINE_RULES: tuple[Callable[[EngineCase], Diagnosis | None], ...] = ()
"""For an engine as a whole, whatever its transfers do."""
