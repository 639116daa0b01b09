import importlib.util
from pathlib import Path

import pytest
from kvtrace_connector.signatures import known

from tests.connector.paper_vllm import run, write

LATEST = known().releases[-1]

FOREIGN = ("kvtrace", "kvtrace_connector", "vllm", "msgspec", "grpc", "textual", "torch", "google")

IMPORTS = f"""
import sys
before = set(sys.modules)
from kvtrace_connector import plugin
plugin.install()
new = set(sys.modules) - before
print(sorted(name for name in new if name.partition(".")[0] in {FOREIGN!r}))
"""

SETUP = """
import sys, types
ours = types.ModuleType("kvtrace_connector.connector")
class NixlPushConnector: pass
ours.NixlPushConnector = NixlPushConnector
sys.modules["kvtrace_connector.connector"] = ours
from kvtrace_connector import plugin
"""

ASK = """
plugin.install()
plugin.install()
from vllm.distributed.kv_transfer.kv_connector.factory import KVConnectorFactory
load = KVConnectorFactory._registry["NixlPushConnector"]
load(); load()
print("traced" if load() is NixlPushConnector else "plain")
"""


def answer(room: Path, script: str = SETUP + ASK, **environment: str) -> tuple[str, list[str]]:
    """What the script printed last, and the lines that were logged."""
    done = run(room, script, **environment)
    return done.stdout.splitlines()[-1], done.stderr.splitlines()


@pytest.mark.parametrize("environment", [{}, {"KVTRACE": "0"}, {"KVTRACE": ""}])
def test_off_nothing_else_is_imported(tmp_path: Path, environment: dict[str, str]) -> None:
    write(tmp_path, LATEST)
    printed, logged = answer(tmp_path, IMPORTS, **environment)
    assert printed == "['kvtrace_connector', 'kvtrace_connector.plugin']"
    assert logged == []


@pytest.mark.parametrize("environment", [{}, {"KVTRACE": "0"}, {"KVTRACE": "Off"}])
def test_off_the_registry_is_left_alone(tmp_path: Path, environment: dict[str, str]) -> None:
    write(tmp_path, LATEST)
    assert answer(tmp_path, **environment) == ("plain", [])


@pytest.mark.parametrize("word", ["1", "true", "yes", "ON"])
def test_on_the_traced_connector_is_in_its_place(tmp_path: Path, word: str) -> None:
    write(tmp_path, LATEST)
    assert answer(tmp_path, KVTRACE=word) == ("traced", [])


def test_installed_twice_it_wraps_once(tmp_path: Path) -> None:
    write(tmp_path, LATEST)
    script = SETUP + ASK + "print(type(load.stock).__name__)"
    assert answer(tmp_path, script, KVTRACE="1") == ("function", [])


def test_a_word_that_is_neither_is_off_with_one_warning(tmp_path: Path) -> None:
    write(tmp_path, LATEST)
    printed, logged = answer(tmp_path, KVTRACE="perhaps")
    assert printed == "plain"
    assert logged == ["KVTRACE=perhaps is neither 1 nor 0; kvtrace stays off"]


def test_where_it_does_not_fit_vllms_own_stays_with_one_warning(tmp_path: Path) -> None:
    write(tmp_path, LATEST, {"scheduler.request_finished": None})
    printed, logged = answer(tmp_path, KVTRACE="1")
    assert printed == "plain"
    assert logged == [
        f"kvtrace does not trace this process: it does not fit vLLM {LATEST}, where "
        "scheduler.request_finished is missing. Transfers are not affected."
    ]


def test_a_broken_connector_of_ours_is_one_warning(tmp_path: Path) -> None:
    write(tmp_path, LATEST)
    script = SETUP + "del ours.NixlPushConnector\n" + ASK
    printed, logged = answer(tmp_path, script, KVTRACE="1")
    assert printed == "plain"
    assert len(logged) == 1
    assert "ImportError" in logged[0]


def test_a_push_connector_that_is_not_vllms_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, LATEST)
    other = "\nclass Other: pass\nKVConnectorFactory._registry['NixlPushConnector'] = lambda: Other"
    factory = tmp_path / "vllm/distributed/kv_transfer/kv_connector/factory.py"
    factory.write_text(factory.read_text() + other)
    printed, logged = answer(tmp_path, KVTRACE="1")
    assert printed == "plain"
    assert len(logged) == 1
    assert "not vLLM's own" in logged[0]


def test_an_error_of_the_host_s_own_loader_comes_through(tmp_path: Path) -> None:
    write(tmp_path, LATEST)
    script = SETUP + (
        "plugin.CONNECTOR\n"
        "def broken(): raise KeyError('host')\n"
        "try: plugin.TracedLoader(broken)()\n"
        "except KeyError as error: print(error)\n"
    )
    assert answer(tmp_path, script, KVTRACE="1") == ("'host'", [])


def test_a_vllm_without_the_push_connector_is_one_warning(tmp_path: Path) -> None:
    write(tmp_path, LATEST)
    factory = tmp_path / "vllm/distributed/kv_transfer/kv_connector/factory.py"
    factory.write_text(factory.read_text() + "\nKVConnectorFactory._registry.clear()\n")
    printed, logged = answer(tmp_path, SETUP + "plugin.install()\nprint('up')", KVTRACE="1")
    assert printed == "up"
    assert len(logged) == 1
    assert "has no NixlPushConnector" in logged[0]


def test_a_vllm_that_has_no_factory_is_one_warning(tmp_path: Path) -> None:
    (tmp_path / "vllm").mkdir()
    (tmp_path / "vllm" / "__init__.py").touch()
    printed, logged = answer(tmp_path, SETUP + "plugin.install()\nprint('up')", KVTRACE="1")
    assert printed == "up"
    assert len(logged) == 1
    assert "ModuleNotFoundError" in logged[0]


@pytest.mark.parametrize(
    ("environment", "may"), [({}, "True"), ({"KVTRACE": "1"}, "True"), ({"KVTRACE": "0"}, "False")]
)
def test_named_by_its_module_it_traces_unless_refused(
    tmp_path: Path, environment: dict[str, str], may: str
) -> None:
    write(tmp_path, LATEST)
    assert answer(tmp_path, SETUP + "print(plugin.may_trace())", **environment) == (may, [])


REAL = """
from vllm import logger
if hasattr(logger, "configure_logging"):
    from vllm.config.logging import LoggingConfig
    logger.configure_logging(LoggingConfig())
from vllm.plugins import load_general_plugins
from vllm.distributed.kv_transfer.kv_connector.factory import KVConnectorFactory
load_general_plugins()
load_general_plugins()
from kvtrace_connector import plugin
loader = KVConnectorFactory._registry["NixlPushConnector"]
plugin._step_aside("a test says so")
made = KVConnectorFactory.get_connector_class_by_name("NixlPushConnector")
print(type(loader).__name__, made.__name__)
"""


@pytest.mark.vllm
@pytest.mark.timeout(600)
def test_the_real_vllm_finds_the_entry_point_and_shows_our_warning(tmp_path: Path) -> None:
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed here")
    metadata = tmp_path / "kvtrace_entry-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: kvtrace-entry\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[vllm.general_plugins]\nkvtrace = kvtrace_connector.plugin:install\n"
    )
    done = run(tmp_path, REAL, KVTRACE="1")
    assert done.stdout.splitlines()[-1] == "TracedLoader NixlPushConnector"
    assert "WARNING" in done.stdout + done.stderr
    assert "a test says so" in done.stdout + done.stderr
