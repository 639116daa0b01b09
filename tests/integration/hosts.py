"""Hosts of their own in namespaces of this one: network, clock and boot id."""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.integration.receiving import eventually

ROOT = Path(__file__).parents[2]
BOOT_ID = "/proc/sys/kernel/random/boot_id"
APART = ("unshare", "--net", "--mount", "--time", "--fork")
TOOLS = ("ip", "nsenter", "unshare", "mount")


class Host:
    """One host: commands run on it, and its link can be cut."""

    def __init__(self, name: str, folder: Path, stack: ExitStack, ahead: int) -> None:
        """`ahead` is how many seconds its monotonic clock is ahead of this host's."""
        self.name = name
        self.folder = folder / name
        self.folder.mkdir()
        boot = self.folder / "boot_id"
        boot.write_text(f"{ahead:08x}-0000-4000-8000-{ahead:012x}\n")
        keep = f"mount --bind {boot} {BOOT_ID} && ip link set lo up && exec sleep 1000000"
        self._stack = stack
        outer = stack.enter_context(
            _ended([*APART, "--kill-child", "--monotonic", str(ahead), "sh", "-c", keep])
        )
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
        self.pid = int(eventually(lambda: children.read_text().split(), "the host")[0])
        eventually(lambda: self.said("cat", BOOT_ID) == boot.read_text(), "its boot id")

    def command(self, *words: str) -> list[str]:
        """What runs that on this host."""
        return [
            "nsenter",
            "-t",
            str(self.pid),
            "--net",
            "--mount",
            "--time",
            f"--wd={ROOT}",
            *words,
        ]

    def said(self, *words: str) -> str:
        return subprocess.run(
            self.command(*words), check=True, capture_output=True, text=True, timeout=60
        ).stdout

    def runs(self, *words: str, **environ: str) -> "subprocess.Popen[str]":
        """Python on this host, until the test is over; its input is a pipe."""
        log = self._stack.enter_context((self.folder / f"{words[-1][-12:]}.err").open("w"))
        return self._stack.enter_context(
            _ended(
                self.command(sys.executable, *words),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/connector", **environ},
            )
        )

    def link(self, state: str) -> None:
        """Takes its link up or down."""
        self.said("ip", "link", "set", "eth0", state)


class _ended:  # noqa: N801 - used as a function
    """A process that is ended with the block."""

    def __init__(self, command: list[str], **how: Any) -> None:
        self._run: subprocess.Popen[Any] = subprocess.Popen(command, **how)

    def __enter__(self) -> "subprocess.Popen[Any]":
        return self._run

    def __exit__(self, *error: object) -> None:
        self._run.kill()
        self._run.wait()
        for stream in (self._run.stdin, self._run.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def joined(middle: Host, *others: Host) -> dict[str, str]:
    """Gives each other host a link to the one in the middle; where that is reached, by name."""
    found = {}
    for number, other in enumerate(others, 1):
        end = f"to{number}"
        middle.said(*f"ip link add {end} type veth peer name eth0 netns {other.pid}".split())
        for host, link, last in ((middle, end, 1), (other, "eth0", 2)):
            host.said(*f"ip address add 10.77.{number}.{last}/24 dev {link}".split())
            host.said("ip", "link", "set", link, "up")
        found[other.name] = f"10.77.{number}.1"
    return found


def bridged(middle: Host, *others: Host) -> dict[str, str]:
    """Puts all of them on one network, a bridge in the middle one; the address of each, by name."""
    middle.said("ip", "link", "add", "bridge", "type", "bridge")
    middle.said("ip", "address", "add", "10.78.0.1/24", "dev", "bridge")
    middle.said("ip", "link", "set", "bridge", "up")
    for number, other in enumerate(others, 2):
        end = f"to{number}"
        middle.said(*f"ip link add {end} type veth peer name eth0 netns {other.pid}".split())
        middle.said(*f"ip link set {end} master bridge up".split())
        other.said(*f"ip address add 10.78.0.{number}/24 dev eth0".split())
        other.said("ip", "link", "set", "eth0", "up")
    return {host.name: f"10.78.0.{number}" for number, host in enumerate((middle, *others), 1)}


def need_namespaces() -> None:
    """Skips the test where hosts cannot be made."""
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        pytest.skip(f"{missing[0]} is not installed, which hosts are made with")
    made = subprocess.run(
        [*APART, "sh", "-c", f"mount --bind /dev/null {BOOT_ID} && ip link add x type veth"],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("this user, or this kernel, may not make namespaces")
