"""A vLLM of paper: modules that look, seam by seam, like a release that kvtrace knows."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from types import ModuleType

from kvtrace_connector.seams import OWNERS, SEAMS, Kind, Seam
from kvtrace_connector.signatures import STATIC, known

ROOT = Path(__file__).resolve().parents[2]

REGISTRY = """
def stock():
    from vllm.distributed.kv_transfer.kv_connector.v1.nixl.connector import NixlPushConnector
    return NixlPushConnector

KVConnectorFactory._registry = {"NixlPushConnector": stock}
"""


def write(room: Path, release: str, changes: Mapping[str, str | None] | None = None) -> Path:
    """Write a release to a directory, with some seams changed or (`None`) taken out."""
    looks = {**known().at(release), **(changes or {})}
    for path, seams in groupby(sorted(SEAMS, key=_path), key=_path):
        source = _owner(path.partition(":")[2], list(seams), looks)
        module = room / (path.partition(":")[0].replace(".", "/") + ".py")
        module.parent.mkdir(parents=True, exist_ok=True)
        with module.open("a") as file:
            file.write(source + (REGISTRY if module.name == "factory.py" else ""))
    (room / "vllm" / "__init__.py").write_text(f"__version__ = {release!r}\n")
    return room


def run(room: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a fresh interpreter that finds what is in the directory first."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KVTRACE")}
    path = os.pathsep.join(str(it) for it in (room, ROOT, ROOT / "connector"))
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**plain, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=True,
        cwd=room,
    )


def tool() -> ModuleType:
    """The tool that reads releases."""
    spec = importlib.util.spec_from_file_location("seams_tool", ROOT / "tools" / "seams.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _path(seam: Seam) -> str:
    return OWNERS[seam.owner]


def _owner(name: str, seams: list[Seam], looks: Mapping[str, str | None]) -> str:
    there = [seam for seam in seams if looks[seam.name] is not None]
    if not name:
        return "\n".join(_global(seam, looks) for seam in there) + "\n"
    bases = next((looks[seam.name] for seam in there if seam.kind is Kind.CLASS), "") or ""
    fields = [seam.member for seam in there if seam.kind is Kind.ATTRIBUTE]
    methods = {seam.member: looks[seam.name] or "" for seam in there if seam.kind is Kind.METHOD}
    texts = {seam.member: seam.text for seam in there if seam.kind is Kind.TEXT}
    lines = [f"class {base}:\n    pass" for base in bases.split(", ") if base]
    lines += [f"class {name}({bases}):", "    pass"]
    for method, look in {"__init__": "self", **methods}.items():
        lines += ["    " + line for line in _method(method, look)]
        lines += [f"        self.{field} = None" for field in fields if method == "__init__"]
        lines += [f"        return {texts.get(method)!r}"]
    return "\n".join(lines) + "\n"


def _method(name: str, look: str) -> list[str]:
    static = ["@staticmethod"] if look.startswith(STATIC) else []
    parameters = look.removeprefix(STATIC + ", ").replace("=", "=None")
    return [*static, f"def {name}({parameters}):"]


def _global(seam: Seam, looks: Mapping[str, str | None]) -> str:
    if seam.kind is Kind.METHOD:
        return "\n".join(_method(seam.member, looks[seam.name] or "")) + "\n    pass"
    if looks[seam.name] == "class":
        return f"class {seam.member}:\n    pass"
    return f"{seam.member} = {looks[seam.name]}"
