"""What docs/opentelemetry.md tells to do with backends is done, as far as they can be had."""

import re
from pathlib import Path
from typing import Any

import pytest

from kvtrace.events import WriteFinished
from kvtrace.signals.spans import STALL
from tests.integration.agents import ROOT, Engines, agent, until
from tests.integration.clickhouse import clickhouse, rows
from tests.integration.clickhouse import why_not as no_clickhouse
from tests.integration.rotel import collector, to_clickhouse
from tests.integration.rotel import why_not as no_collector
from tests.unit.samples import CONSUMER_FIRST, PRODUCER_FIRST, WRITING
from tests.unit.signals.telling import WHOLE, recorded, spans_of

PAGE = (ROOT / "docs" / "opentelemetry.md").read_text(encoding="utf-8")

KEYS = {
    "receivers": {"otlp": {"protocols"}},
    "processors": {
        "filter": {"error_mode", "traces"},
        "tail_sampling": {"decision_wait", "policies"},
        "batch": set(),
    },
    "exporters": {"otlp_grpc": {"endpoint", "tls"}},
}
"""The Collector's components that the page names, and those of their keys that it uses."""

POLICIES = {"status_code": {"status_codes"}, "probabilistic": {"sampling_percentage"}}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def configuration() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="PyYAML, which reads the page, comes with vLLM")
    (found,) = [yaml.safe_load(block) for block in blocks("yaml")]
    assert isinstance(found, dict)
    return found


def test_the_collectors_components_are_defined_used_and_have_keys_that_it_knows(
    configuration: dict[str, Any],
) -> None:
    pipelines = configuration["service"]["pipelines"]
    assert {name.partition("/")[0] for name in pipelines} == {"traces", "logs"}
    for kind, known in KEYS.items():
        used = {name for pipeline in pipelines.values() for name in pipeline[kind]}
        assert used == set(configuration[kind])
        for name, settings in configuration[kind].items():
            assert set(settings) <= known[name.partition("/")[0]]
    for policy in configuration["processors"]["tail_sampling"]["policies"]:
        assert set(policy) == {"name", "type", policy["type"]}
        assert set(policy[policy["type"]]) == POLICIES[policy["type"]]


def test_each_span_goes_one_way_through_the_collector_and_no_stall_meets_a_sampler(
    configuration: dict[str, Any],
) -> None:
    ways = {
        name: pipeline["processors"]
        for name, pipeline in configuration["service"]["pipelines"].items()
        if name.startswith("traces")
    }
    drops = {
        name: settings["traces"]["span"]
        for name, settings in configuration["processors"].items()
        if name.startswith("filter/")
    }
    names = {span.name for path in WHOLE for span in _spans(path)}
    assert len(names) > 4
    for name in {*names, STALL, "llm_request"}:
        taken = {
            way
            for way, steps in ways.items()
            if not any(_holds(it, name) for step in steps for it in drops.get(step, ()))
        }
        assert len(taken) == 1
        sampled = any("tail_sampling" in ways[way] for way in taken)
        assert sampled == (name != STALL)


def _spans(path: Path) -> list[Any]:
    clock, moments = recorded(path)
    return spans_of(moments, clock=clock)


def _holds(condition: str, name: str) -> bool:
    """Whether a condition holds of a span of that name; it compares the name alone."""
    compared, said = re.fullmatch(r'name (==|!=) "([^"]+)"', condition).groups()  # type: ignore[union-attr]
    return (name == said) == (compared == "==")


@pytest.mark.skipif(bool(no_clickhouse()), reason=no_clickhouse())
@pytest.mark.skipif(bool(no_collector()), reason=no_collector())
def test_clickhouse_answers_what_hangs(tmp_path: Path) -> None:
    boxes = tmp_path / "boxes"
    boxes.mkdir()
    engines = Engines(boxes)
    engines.transfer("well")
    posted = [event for event in WRITING if not isinstance(event, WriteFinished)]
    engines.tell("hangs", *CONSUMER_FIRST, *PRODUCER_FIRST, *posted)
    with (
        clickhouse() as base,
        collector(to_clickhouse(base), tmp_path / "rotel.log") as port,
        agent(boxes, "--endpoint", f"http://127.0.0.1:{port}"),
    ):

        def found(query: str) -> list[dict[str, Any]]:
            return rows(base, query)

        hanging, one_request = blocks("sql")
        until(lambda: found(hanging), 40)
        (row, *_) = found(hanging)
        told = (row["request"], row["side"], row["phase"], row["waits_for"])
        assert told == ("hangs", "P", "write", "write.finished")
        assert row["seconds"] >= 5
        count = f"SELECT count() AS n FROM otel_logs WHERE {_ours()}"
        until(lambda: int(found(count)[0]["n"]) >= engines.events)
        assert int(found(count)[0]["n"]) == engines.events
        events = [row["event"] for row in found(one_request.replace("71cfd8c2", "hangs"))]
        assert events[:2] == ["request.admitted", "load.decided"]
    engines.close()


def _ours() -> str:
    return "LogAttributes['kvtrace.seq'] != ''"
