"""Stories of engines that reached each other and do not fit together."""

import pytest

from kvtrace.causes import Cause
from tests.unit.samples import (
    CONSUMER_FIRST,
    D_REQUEST,
    P_REQUEST,
    PRODUCER_FIRST,
    failure_logged,
    match_made,
    process_started,
    receive_failed,
    registration_noticed,
    write_started,
    writer_failed,
)
from tests.unit.story import D, P, Story

HASHES = (
    "NIXL compatibility hash mismatch. Local: 799eb33200bd0cf8a10d, Remote: 78cc76d41d9174f98d22."
)


def engines(p: dict[str, object], d: dict[str, object]) -> Story:
    """A pair that is started with these settings."""
    story = Story().at(0, process_started(rank=0, **p), by=P)  # type: ignore[arg-type]
    return story.at(0, process_started(rank=0, **d), by=D)  # type: ignore[arg-type]


def consumer_refuses(story: Story, error: str, kind: str = "RuntimeError") -> Story:
    """The handshake that the consumer began fails."""
    story.at(1, *CONSUMER_FIRST[:-1])
    failure = "push_reg_handshake_failed"
    told = failure_logged(request=D_REQUEST, failure=failure, error=error, error_type=kind)
    return story.at(1.1, told, by=D).at(1.2, receive_failed())


def producer_refuses(story: Story, error: str, kind: str = "AssertionError") -> Story:
    """The handshake that the producer began fails."""
    story.at(1, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    failure = "push_handshake_failed"
    told = failure_logged(request=P_REQUEST, failure=failure, error=error, error_type=kind)
    return story.at(1.1, told, by=P).at(7)


def test_a_hash_that_differs_is_told_by_its_factor() -> None:
    story = engines({"facts": {"dtype": "bfloat16"}}, {"facts": {"dtype": "float32"}})
    consumer_refuses(story, HASHES)
    story.is_blamed_on(Cause.ENGINES_NOT_COMPATIBLE, "differ in dtype: bfloat16, float32").is_sure()


def test_several_factors_are_told() -> None:
    story = engines({"vllm_version": "0.31", "model": "a"}, {"vllm_version": "0.32", "model": "b"})
    consumer_refuses(story, HASHES)
    story.is_blamed_on(Cause.ENGINES_NOT_COMPATIBLE, "vllm_version: 0.31, 0.32; model: a, b")


def test_a_factor_that_nobody_told_is_not_made_up() -> None:
    story = consumer_refuses(engines({}, {}), HASHES)
    story.is_blamed_on(Cause.ENGINES_NOT_COMPATIBLE, "(799eb332, 78cc76d4) for a factor not told")


def test_where_only_the_consumer_is_heard_its_error_is_enough() -> None:
    story = consumer_refuses(Story(), HASHES)
    story.is_blamed_on(Cause.ENGINES_NOT_COMPATIBLE, "for a factor not told")


def test_a_block_size_that_does_not_divide_the_other_is_a_layout() -> None:
    error = "Local block size 64 is not divisible by remote block size 128 or vice versa."
    story = consumer_refuses(engines({}, {}), error, "AssertionError")
    story.is_not_blamed_on(Cause.ENGINES_NOT_COMPATIBLE)
    story.is_blamed_on(Cause.LAYOUTS_DIFFER, "P0 and D0 differ in block_size: 128, 64.").is_sure()


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            "Heterogeneous TP expects same kv_cache_layout (local LBHNC, remote LBNHC). Or",
            "kv_cache_layout: LBHNC, LBNHC",
        ),
        (
            "Local tensor parallel size 3 is not divisible by remote tensor parallel size 2.",
            "tp_size: 3, 2",
        ),
        (
            "Remote tensor parallel size 3 is not divisible by local tensor parallel size 2.",
            "tp_size: 2, 3",
        ),
        ("DCP sizes must divide one another: local=2, remote=3 (engine D0).", "dcp_size: 2, 3"),
        ("Attention-HMA push requires identical P/D block sizes.", "block_size: 16, 32"),
        ("Number of KV layers must match between prefill and decode", "regions: 4, 8"),
    ],
)
def test_a_producer_s_refusal_is_told_by_its_field(error: str, says: str) -> None:
    story = engines({"block_size": 16, "regions": 4}, {"block_size": 32, "regions": 8})
    producer_refuses(story, error)
    story.is_blamed_on(Cause.LAYOUTS_DIFFER, f"P0 and D0 differ in {says}.").is_sure()


@pytest.mark.parametrize(
    "error",
    [
        "SPLIT region 0: remote P KV block_len 512 must equal local 1024 * remote_heads 2",
        "KV cache sizes must match between P and D when replicated (region 0: local=1024, "
        "remote=512, bsr=1).",
    ],
)
def test_blocks_of_other_bytes_are_told_where_their_tokens_are_alike(error: str) -> None:
    alike = producer_refuses(engines({"block_size": 16}, {"block_size": 16}), error)
    alike.is_blamed_on(Cause.LAYOUTS_DIFFER, "P0 and D0 differ in block bytes: 1024, 512.")
    other = producer_refuses(engines({"block_size": 32}, {"block_size": 16}), error)
    other.is_blamed_on(Cause.LAYOUTS_DIFFER, "P0 and D0 differ in block_size: 32, 16.")


def test_a_refusal_without_a_word_is_told_by_the_facts_and_unsure() -> None:
    story = producer_refuses(engines({"tp_size": 2}, {"tp_size": 1}), "AssertionError")
    story.is_blamed_on(Cause.LAYOUTS_DIFFER, "differ in tp_size: 2, 1")
    story.is_unsure("does not name what differs")


def test_a_refusal_without_a_word_or_a_fact_is_told_as_it_is() -> None:
    story = producer_refuses(Story(), "AssertionError")
    story.is_blamed_on(Cause.LAYOUTS_DIFFER, "do not fit together: AssertionError")
    story.is_unsure("does not name what differs")


def chokes(story: Story) -> Story:
    """The producer's writer finds other blocks than it has."""
    story.at(1, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    error = "push block-count mismatch for r1 group 0: 4 local vs 2 remote blocks"
    raised = {"error": error, "error_type": "AssertionError"}
    story.at(1.1, writer_failed(request=P_REQUEST, seam="start write", **raised), by=P)
    return story.at(1.1, write_started(outcome="raised", error=error)).at(7)


def test_blocks_of_two_sizes_that_do_not_map_are_a_layout() -> None:
    story = chokes(engines({"block_size": 128}, {"block_size": 64}))
    story.is_blamed_on(Cause.LAYOUTS_DIFFER, "block_size: 128, 64").is_sure()


def test_blocks_of_one_size_that_do_not_map_are_not() -> None:
    chokes(engines({"block_size": 64}, {"block_size": 64})).is_not_blamed_on(Cause.LAYOUTS_DIFFER)


def test_pairs_of_unequal_ranks_that_work_are_not_blamed() -> None:
    story = engines({"tp_size": 1}, {"tp_size": 2}).at(1, *CONSUMER_FIRST, *PRODUCER_FIRST).at(40)
    story.is_not_blamed_on(Cause.LAYOUTS_DIFFER)
