"""The rules in the order in which they are tried; the first that holds names the cause.

A rule that needs more evidence stands before one that is content with less.
"""

from collections.abc import Callable

from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.compatibility import layouts_did_not_meet
from kvtrace.diagnosis.completion import (
    completion_lost,
    lease_never_reaped,
    send_never_reported,
    sends_never_reported,
    telemetry_raised,
    telemetry_raises,
)
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.first_handshake import first_handshake, handshake_lasts, handshakes_queue
from kvtrace.diagnosis.handshakes import consumer_could_not_ask, handshake_failed
from kvtrace.diagnosis.holding import (
    aborted_blocks_held,
    consumer_has_no_blocks,
    parked_hold_all_blocks,
    rejected_before_asking,
    siblings_never_fetched,
    watchdog_only_logs,
)
from kvtrace.diagnosis.lease import lease_never_renewed, lease_ran_out
from kvtrace.diagnosis.legs import legs_differ_in_id, legs_in_sequence
from kvtrace.diagnosis.listener import asks_a_dead_listener, listener_is_dead
from kvtrace.diagnosis.loading import full_hit_held_blocks, load_failed, loaded_twice
from kvtrace.diagnosis.parameters import (
    consumer_took_nothing,
    consumer_was_not_told,
    parameters_missing,
    ranks_told_wrong,
    stages_left_out,
)
from kvtrace.diagnosis.peers import dead_peers_kept, speculation_differs
from kvtrace.diagnosis.posting import rank_stands_still, writer_posts
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
from kvtrace.diagnosis.prompts import prompts_differ, prompts_differed
from kvtrace.diagnosis.ranks import rank_never_wrote
from kvtrace.diagnosis.readiness import prefill_failed, prefill_ran_elsewhere
from kvtrace.diagnosis.registration import never_came
from kvtrace.diagnosis.restarts import peer_restarted
from kvtrace.diagnosis.sending import registration_lost, registration_not_sent
from kvtrace.diagnosis.slow import (
    goes_over_tcp,
    slow,
    some_ranks_write_slowly,
    too_many_descriptors,
    waits_for_steps,
)
from kvtrace.diagnosis.steps_of_engines import (
    host_buffer,
    kv_shares_a_cpu,
    notifications_wait_for_steps,
    parked_engines_spin,
)
from kvtrace.diagnosis.tables import registrations_pile_up
from kvtrace.diagnosis.twins import (
    blocks_went_to_a_twin,
    crossed_with_a_twin,
    matched_a_twin,
    twins_wait,
)
from kvtrace.diagnosis.unaccompanied import consumer_computed_alone
from kvtrace.diagnosis.write import write_failed, write_never_lands, write_not_posted
from kvtrace.diagnosis.write_lease import (
    blocks_reused,
    lease_expired_during_write,
    peer_evicted,
    write_after_lease,
)
from kvtrace.diagnosis.writer import batch_lost, writer_behind, writer_starved

RULES: tuple[Callable[[Case], Diagnosis | None], ...] = (
    # Whose process does not run did nothing of what the others look for.
    parameters_missing,
    consumer_died,
    # The write did come, so that nobody waits for it, whatever became of the request.
    completion_lost,
    # One could not reach the other, or reached out to what it was before, whatever became of
    # the request.
    handshake_failed,
    consumer_could_not_ask,
    asks_a_dead_listener,
    handshakes_queue,
    registration_not_sent,
    peer_restarted,
    layouts_did_not_meet,
    ranks_told_wrong,
    # Who is gone or stands still did nothing, and a router that noticed gave up for that reason.
    engine_frozen,
    producer_died,
    producer_shut_down,
    aborted_blocks_held,
    writer_posts,
    handshake_lasts,
    # Writes that were refused, failed, or ran into blocks that were somebody else's by then.
    blocks_reused,
    write_after_lease,
    crossed_with_a_twin,
    prompts_differ,
    batch_lost,
    write_not_posted,
    write_failed,
    peer_evicted,
    lease_expired_during_write,
    write_never_lands,
    # Writes that landed, and of which one side was not told.
    telemetry_raised,
    send_never_reported,
    lease_never_reaped,
    rank_never_wrote,
    # Blocks and registration that are there, and do not meet.
    prefill_ran_elsewhere,
    blocks_went_to_a_twin,
    siblings_never_fetched,
    legs_differ_in_id,
    # Blocks that are not there.
    prefill_failed,
    writer_behind,
    registration_lost,
    consumer_was_not_told,
    consumer_took_nothing,
    loaded_twice,
    parked_hold_all_blocks,
    lease_never_renewed,
    lease_ran_out,
    prefill_never_finishes,
    consumer_has_no_blocks,
    rejected_before_asking,
    prefill_never_came,
    consumer_computed_alone,
    never_came,
    # What is said where nothing better is known.
    rank_stands_still,
    load_failed,
    twins_wait,
    watchdog_only_logs,
)
"""For a transfer in flight that stalled, and for one that failed or was given up."""

FINISHED_RULES: tuple[Callable[[Case], Diagnosis | None], ...] = (
    stages_left_out,
    speculation_differs,
    matched_a_twin,
    prompts_differed,
    write_after_lease,
    lease_expired_during_write,
    telemetry_raised,
    full_hit_held_blocks,
    consumer_took_nothing,
    handshakes_queue,
    first_handshake,
    prefill_decoded_on,
    host_buffer,
    too_many_descriptors,
    some_ranks_write_slowly,
    goes_over_tcp,
    legs_in_sequence,
    notifications_wait_for_steps,
    writer_starved,
    waits_for_steps,
    slow,
)
"""For a transfer that finished: late, or with what may be wrong values."""

ENGINE_RULES: tuple[Callable[[EngineCase], Diagnosis | None], ...] = (
    listener_is_dead,
    dead_peers_kept,
    registrations_pile_up,
    sends_never_reported,
    telemetry_raises,
    parked_engines_spin,
    kv_shares_a_cpu,
)
"""For an engine as a whole, whatever its transfers do."""
