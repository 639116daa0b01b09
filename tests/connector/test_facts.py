from kvtrace_connector import facts

from kvtrace.model import Role
from tests.connector import host, host_worker

SECRETS = {"UCX_TLS": "tcp", "HF_TOKEN": "hush", "VLLM_API_KEY": "hush", "AWS_SECRET": "hush"}


def worker() -> host_worker.Worker:
    made = host_worker.Worker(host.config("P", "kv_producer", 2), "P", host_worker.Agent("a", {}))
    made.register_kv_caches({})
    return made


def test_a_worker_tells_what_it_is() -> None:
    told = facts.of_worker(worker(), {})
    assert (told.engine, told.rank, told.tp_size, told.agent) == ("P", 0, 2, "a")
    assert (told.blocks, told.regions, told.block_size) == (64, 4, 16)
    assert told.lease == 30_000_000_000
    assert told.facts["compatibility_hash"] == "c0ffee"


def test_a_scheduler_tells_where_it_listens() -> None:
    told = facts.of_scheduler(host.Scheduler(host.config("P", "kv_producer"), "P"), {})
    assert (told.rank, told.host, told.port) == (-1, "10.0.0.1", 5600)
    assert told.registration_timeout == 480_000_000_000


def test_no_secret_of_the_environment_is_told() -> None:
    told = facts.of_worker(worker(), SECRETS)
    assert told.facts["UCX_TLS"] == "tcp"
    assert "hush" not in str(told)


def test_an_engine_that_can_be_either_has_no_role() -> None:
    both = host.Scheduler(host.config("X", "kv_both"), "X")
    assert facts.speaker(both).role is None
    assert facts.speaker(worker(), 1) == facts.Speaker("P", Role.PRODUCER, 1)


def test_ranks_of_a_pipeline_are_counted_through() -> None:
    made = worker()
    made.vllm_config.parallel_config.pipeline_parallel_size = 2
    made.vllm_config.parallel_config.rank = 3
    assert facts.rank_of(made) == 3


class Draft:
    """A speculative configuration, as vLLM has it."""

    method = "mtp"
    num_speculative_tokens = 3

    def __init__(self, eagle: bool) -> None:
        self.use_eagle = lambda: eagle


def test_only_a_draft_that_reads_hidden_states_counts_as_speculation() -> None:
    made = worker()
    assert facts.of_worker(made, {}).facts["speculation"] == "none"
    made.vllm_config.speculative_config = Draft(eagle=False)
    assert facts.of_worker(made, {}).facts["speculation"] == "none"
    made.vllm_config.speculative_config = Draft(eagle=True)
    assert facts.of_worker(made, {}).facts["speculation"] == "mtp, 3 tokens"
