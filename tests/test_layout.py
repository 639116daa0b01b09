"""The shape of the code itself: sizes, names, docstrings, and a test for each module."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {"kvtrace": ROOT / "kvtrace", "kvtrace_connector": ROOT / "connector/kvtrace_connector"}
CODE = sorted(
    path
    for folder in (*SOURCES.values(), ROOT / "benchmarks", ROOT / "examples", ROOT / "tools")
    for path in folder.rglob("*.py")
)
PACKAGES = sorted(path for folder in SOURCES.values() for path in folder.rglob("*.py"))

LINES_OF_A_MODULE = 300
LINES_OF_A_CLASS = 200
LINES_OF_A_FUNCTION = 40
PARAMETERS = 5
NESTING = 4

FORBIDDEN = {
    "base",
    "common",
    "core",
    "data",
    "do",
    "handler",
    "helper",
    "helpers",
    "info",
    "manager",
    "misc",
    "processor",
    "service",
    "util",
    "utils",
}
"""Words that say nothing in a name. `base_id` is a term of the vocabulary."""

CATCH_ALL = {"fuse.py", "plugin.py", "outbox.py"}
"""Where `except Exception` keeps the host from harm, or the agent's sending from one bad batch."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", CODE, ids=name_of)
def test_a_module_says_its_job_in_its_first_line_and_is_short(path: Path) -> None:
    text = path.read_text()
    said = ast.get_docstring(tree_of(path)) or ""
    first = said.partition("\n\n")[0].replace("\n", " ")
    assert first.rstrip("`)").endswith((".", ":", "?", "!")), f"its first line is {first!r}"
    assert len(text.splitlines()) <= LINES_OF_A_MODULE


@pytest.mark.parametrize("path", CODE, ids=name_of)
def test_classes_and_functions_are_short(path: Path) -> None:
    tree = tree_of(path)
    long = [
        f"{node.name}: {length(node)} lines"
        for node in ast.walk(tree)
        if (isinstance(node, ast.ClassDef) and length(node) > LINES_OF_A_CLASS)
        or (isinstance(node, Function) and length(node) > LINES_OF_A_FUNCTION)
    ]
    assert long == []


@pytest.mark.parametrize("path", CODE, ids=name_of)
def test_functions_take_few_parameters_and_are_not_deep(path: Path) -> None:
    found = [
        f"{function.name}: {parameters(function)} parameters, {depth(function)} deep"
        for function in functions(tree_of(path))
        if parameters(function) > PARAMETERS or depth(function) > NESTING
    ]
    assert found == []


def parameters(function: Function) -> int:
    """Without self and cls, and without what commands take as options."""
    if any("option" in ast.dump(one) for one in function.decorator_list):
        return 0
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return len([one for one in every if one.arg not in ("self", "cls")])


def depth(function: Function) -> int:
    return max((_depth(statement) for statement in function.body), default=0)


def _depth(node: ast.AST) -> int:
    inside = [_depth(child) for child in ast.iter_child_nodes(node)]
    deeper = isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match)
    return max(inside, default=0) + deeper


@pytest.mark.parametrize("path", CODE, ids=name_of)
def test_names_say_something(path: Path) -> None:
    tree = tree_of(path)
    named = [path.stem, *(n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef))]
    named += [function.name for function in functions(tree)]
    assert [name for name in named if words(name) & FORBIDDEN and name != "base_id"] == []


def words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


@pytest.mark.parametrize("path", PACKAGES, ids=name_of)
def test_what_is_public_says_what_it_gives(path: Path) -> None:
    tree = tree_of(path)
    public = [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_")
    ]
    assert [node.name for node in public if not ast.get_docstring(node)] == []


@pytest.mark.parametrize("path", PACKAGES, ids=name_of)
def test_imports_are_absolute_and_at_the_top(path: Path) -> None:
    allowed = path.parts[-2:] == ("cli", "__init__.py")
    inner = [
        node.lineno
        for function in functions(tree_of(path))
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and not allowed
    ]
    assert inner == [] or gives_a_reason(path, inner)


def gives_a_reason(path: Path, lines: list[int]) -> bool:
    """Whether the module says that it imports late, or each late import why."""
    if "import" in (ast.get_docstring(tree_of(path)) or "").lower():
        return True
    text = path.read_text().splitlines()
    return all("#" in "".join(text[max(0, line - 3) : line]) for line in lines)


@pytest.mark.parametrize("path", PACKAGES, ids=name_of)
def test_everything_is_caught_only_where_the_host_must_not_be_harmed(path: Path) -> None:
    caught = [
        node.lineno
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or "Exception" in {n.id for n in _names(node.type)})
    ]
    assert caught == [] or path.name in CATCH_ALL


def _names(node: ast.AST) -> list[ast.Name]:
    return [one for one in ast.walk(node) if isinstance(one, ast.Name)]


@pytest.mark.parametrize("path", PACKAGES, ids=name_of)
def test_an_init_holds_a_docstring(path: Path) -> None:
    if path.name != "__init__.py" or path.parts[-2] == "cli":
        return
    rest = [node for node in tree_of(path).body[1:] if not isinstance(node, ast.Assign)]
    assert rest == []


def has_code(path: Path) -> bool:
    """Whether there is anything to test: a function, a method, or a class that raises none."""
    return any(functions(tree_of(path)))


def test_each_module_outside_the_screen_has_its_test_file() -> None:
    wanted = {name_of(path): mirror_of(path) for path in PACKAGES if needs_test(path)}
    assert [name for name, mirror in wanted.items() if not mirror.exists()] == []


def needs_test(path: Path) -> bool:
    return path.name != "__init__.py" and "tui" not in path.parts and has_code(path)


def mirror_of(path: Path) -> Path:
    """The test file that belongs to the module."""
    if ROOT / "connector" in path.parents:
        folder = ROOT / "tests/connector"
        within = path.relative_to(SOURCES["kvtrace_connector"])
    else:
        folder = ROOT / "tests/unit"
        within = path.relative_to(SOURCES["kvtrace"])
    return folder / within.parent / f"test_{path.stem.strip('_')}.py"


def test_contracts_on_imports_are_named_by_sentences() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    names = [contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]]
    assert all(len(name.split()) >= 5 and name[0].isupper() for name in names)


STEPS = re.compile(r'"([a-z]+\.[a-z_]+)"')


def test_events_that_are_named_by_a_string_exist() -> None:
    from kvtrace.wire import KINDS  # the subject of this one test

    subjects = {name.partition(".")[0] for name in KINDS}
    for path in (ROOT / "kvtrace").glob("*.py"):
        named = STEPS.findall(path.read_text())
        wrong = [n for n in named if n.partition(".")[0] in subjects and n not in KINDS]
        assert wrong == [], name_of(path)
