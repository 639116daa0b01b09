"""The rules in the order in which they are tried; the first that holds names the cause.

A rule that needs more evidence stands before one that is content with less.
"""

from collections.abc import Callable

from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.holding import (
    aborted_blocks_held,
    consumer_has_no_blocks,
    rejected_before_asking,
    siblings_never_fetched,
    watchdog_only_logs,
)
from kvtrace.diagnosis.lease import lease_never_renewed, lease_ran_out
from kvtrace.diagnosis.legs import legs_differ_in_id, legs_in_sequence
from kvtrace.diagnosis.prefill import (
    prefill_decoded_on,
    prefill_never_came,
    prefill_never_finishes,
)
from kvtrace.diagnosis.processes import (
    consumer_died,
    engine_frozen,
    producer_died,
    producer_shut_down,
)
from kvtrace.diagnosis.readiness import prefill_failed, prefill_ran_elsewhere
from kvtrace.diagnosis.registration import never_came
from kvtrace.diagnosis.slow import (
    goes_over_tcp,
    slow,
    some_ranks_write_slowly,
    too_many_descriptors,
    waits_for_steps,
)
from kvtrace.diagnosis.tables import registrations_pile_up
from kvtrace.diagnosis.twins import (
    blocks_went_to_a_twin,
    crossed_with_a_twin,
    matched_a_twin,
    twins_wait,
)

RULES: tuple[Callable[[Case], Diagnosis | None], ...] = (
    # Whose process does not run did nothing of what the others look for.
    consumer_died,
    aborted_blocks_held,
    engine_frozen,
    producer_died,
    producer_shut_down,
    # Blocks and registration that are there, and do not meet.
    crossed_with_a_twin,
    prefill_ran_elsewhere,
    blocks_went_to_a_twin,
    siblings_never_fetched,
    legs_differ_in_id,
    # Blocks that are not there.
    prefill_failed,
    lease_never_renewed,
    lease_ran_out,
    prefill_never_finishes,
    consumer_has_no_blocks,
    rejected_before_asking,
    prefill_never_came,
    never_came,
    # What is said where nothing better is known.
    twins_wait,
    watchdog_only_logs,
)
"""For a transfer in flight that stalled, and for one that failed or was given up."""

FINISHED_RULES: tuple[Callable[[Case], Diagnosis | None], ...] = (
    matched_a_twin,
    prefill_decoded_on,
    too_many_descriptors,
    some_ranks_write_slowly,
    goes_over_tcp,
    legs_in_sequence,
    waits_for_steps,
    slow,
)
"""For a transfer that finished: late, or with what may be wrong values."""

ENGINE_RULES: tuple[Callable[[EngineCase], Diagnosis | None], ...] = (registrations_pile_up,)
"""For an engine as a whole, whatever its transfers do."""
