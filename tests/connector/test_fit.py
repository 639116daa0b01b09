import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from kvtrace_connector.fit import Fit, judge
from kvtrace_connector.signatures import Known, known

from tests.connector.paper_vllm import run, tool, write

LATEST = known().releases[-1]

LOOK = """
import json
from kvtrace_connector import fit
print(json.dumps({seam.name: fit._look(seam) for seam in fit.SEAMS}))
"""


def changed(**looks: str | None) -> Fit:
    """The verdict on the latest release with some seams changed; `__` stands for the dot."""
    new = {name.replace("__", ".", 1): look for name, look in looks.items()}
    return judge("0.99.0", {**known().at(LATEST), **new})


@pytest.mark.parametrize("release", known().releases)
def test_a_known_release_fits(release: str) -> None:
    assert judge(release, known().at(release)).reasons == ()


@pytest.mark.parametrize("release", known().releases)
def test_live_classes_and_parsed_sources_read_alike(release: str, tmp_path: Path) -> None:
    write(tmp_path, release)
    live = json.loads(run(tmp_path, LOOK).stdout)
    assert live == known().at(release)
    module = tool()
    assert module.describe(module.reader(tmp_path)) == live


def test_a_renamed_method_does_not_fit() -> None:
    assert changed(scheduler__request_finished=None).reasons == (
        "scheduler.request_finished is missing",
    )


def test_a_removed_parameter_does_not_fit() -> None:
    fit = changed(worker__start_load_kv="self")
    assert not fit.fits
    assert "worker.start_load_kv is (self)" in fit.reasons[0]


def test_a_missing_global_does_not_fit() -> None:
    assert not changed(module__NixlPushConnectorWorker=None).fits


def test_a_new_parameter_that_can_be_left_out_fits() -> None:
    fit = changed(worker__start_load_kv="self, metadata, urgent=")
    assert fit.fits
    assert fit.parameters("worker.start_load_kv") == ("self", "metadata", "urgent")


@pytest.mark.parametrize("look", ["self, metadata, urgent", "self, urgent=, metadata="])
def test_a_new_parameter_that_moves_or_binds_others_does_not_fit(look: str) -> None:
    assert not changed(worker__start_load_kv=look).fits


def test_nothing_of_vllm_does_not_fit() -> None:
    fit = judge("0.1.0", {})
    assert not fit.fits
    assert fit.present == {}


def test_an_optional_seam_that_is_missing_is_named_with_its_events() -> None:
    fit = changed(worker___handle_heartbeat=None)
    assert fit.fits
    assert fit.missing == ("worker._handle_heartbeat",)
    assert fit.unseen == ("lease.renewed",)
    assert not fit.has("worker._handle_heartbeat")
    assert fit.has("worker._log_failure")


def test_an_optional_seam_of_unknown_shape_is_left_out() -> None:
    fit = changed(worker___log_failure="self, failure")
    assert fit.fits
    assert fit.missing == ("worker._log_failure",)


def test_a_renamed_prefix_costs_only_what_it_feeds() -> None:
    fit = changed(wire__PUSH_REG_NOTIF_PREFIX="b'REG:'")
    assert fit.fits
    assert "registration.sent" in fit.unseen


def test_either_way_of_asking_for_results_is_enough() -> None:
    assert changed(worker__get_transfer_results=None).missing == ()
    assert changed(worker__get_finished=None).missing == ()
    assert not changed(worker__get_finished=None, worker__get_transfer_results=None).fits


@pytest.mark.vllm
@pytest.mark.timeout(600)
def test_the_vllm_that_is_installed_here_fits(tmp_path: Path) -> None:
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed here")
    script = LOOK + "print(fit.check().release)\nprint(fit.check().reasons)"
    looks, release, reasons = run(tmp_path, script).stdout.splitlines()[-3:]
    assert reasons == "()"
    plain = release.partition("+")[0]
    ours: Known = known()
    live: dict[str, Any] = json.loads(looks)
    if plain in ours.releases:
        assert live == ours.at(plain)
