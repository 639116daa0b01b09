"""What installing kvtrace into an environment brings, and what it leaves alone."""

import importlib.util
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def canonical(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def pip(*arguments: str) -> str:
    """Run pip of this very environment; skips where it cannot reach an index."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"],
        capture_output=True,
        text=True,
    )
    if "Connection" in done.stderr and done.returncode:
        pytest.skip("pip reaches no package index here")
    assert done.returncode == 0, done.stderr
    return done.stdout


def plan(wheel: Path, *options: str) -> Mapping[str, str]:
    """The packages, with their versions, that pip would install for the wheel."""
    report = json.loads(
        pip("install", "--quiet", "--dry-run", "--report", "-", *options, str(wheel))
    )
    found: list[dict[str, Any]] = [one["metadata"] for one in report["install"]]
    return {canonical(one["name"]): one["version"] for one in found}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    room = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--wheel-dir", str(room), str(ROOT))
    return next(room.glob("kvtrace-*.whl"))


def test_the_wheel_holds_both_packages_and_the_signatures(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "kvtrace/__init__.py",
        "kvtrace/py.typed",
        "kvtrace_connector/plugin.py",
        "kvtrace_connector/signatures.json",
        "kvtrace_connector/py.typed",
    } <= names
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {
        "kvtrace",
        "kvtrace_connector",
    }


def test_the_wheel_tells_vllm_of_the_plugin(wheel: Path) -> None:
    file = zipfile.ZipFile(wheel)
    points = next(name for name in file.namelist() if name.endswith("entry_points.txt"))
    lines = file.read(points).decode().splitlines()
    section = lines[lines.index("[vllm.general_plugins]") :]
    assert "kvtrace = kvtrace_connector.plugin:install" in section


def test_without_its_dependencies_only_kvtrace_comes(wheel: Path) -> None:
    assert set(plan(wheel, "--no-deps", "--force-reinstall")) == {"kvtrace"}


@pytest.mark.vllm
@pytest.mark.timeout(300)
def test_beside_vllm_nothing_that_is_there_moves(wheel: Path) -> None:
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed here")
    listed = json.loads(pip("list", "--format", "json"))
    there = {canonical(one["name"]): one["version"] for one in listed}
    added = plan(wheel)
    moved = {name: (there[name], now) for name, now in added.items() if name in there}
    moved.pop("kvtrace", None)
    assert moved == {}
    print("beside vLLM", there.get("vllm", "?"), "would add", ", ".join(sorted(added)))
