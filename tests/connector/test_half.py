import threading

from tests.connector.pair import Pair


def test_each_thread_knows_only_what_it_is_at() -> None:
    half = Pair().producer.worker._kvtrace
    half.here.side = "P"
    seen: list[str] = []
    other = threading.Thread(target=lambda: seen.append(half.here.side))
    other.start()
    other.join()
    assert (seen, half.here.side) == ([""], "P")


def test_an_agent_that_we_were_not_told_of_has_no_rank() -> None:
    half = Pair().producer.worker._kvtrace
    assert (half.rank_of("stranger"), half.engine_of("stranger")) == (-1, "")


def test_the_age_of_what_waits_longest_is_told_for_tables_that_we_date() -> None:
    pair = Pair()
    pair.prefill()
    pair.producer.step()
    worker = pair.producer.worker
    half = worker._kvtrace
    assert half.oldest(worker, half.queued["cmpl-1-aaaaaaaa"] + 7) == {"blocks": 7}
