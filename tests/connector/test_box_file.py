import ctypes
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kvtrace_connector import box_file
from kvtrace_connector.black_box import BlackBox

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def small_tmpfs(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory that has room for half a box."""
    libc = ctypes.CDLL(None, use_errno=True)
    where = str(tmp_path).encode()
    if libc.mount(b"tmpfs", where, b"tmpfs", 0, b"size=4m") != 0:
        pytest.skip(f"a file system cannot be mounted here ({os.strerror(ctypes.get_errno())})")
    yield tmp_path
    libc.umount2(where, 2)


def test_a_full_file_system_is_an_error_and_leaves_nothing(small_tmpfs: Path) -> None:
    with pytest.raises(OSError, match="No space left") as caught:
        BlackBox.open(small_tmpfs / "boxes")
    assert caught.value.errno == errno.ENOSPC
    assert not list((small_tmpfs / "boxes").iterdir())


def test_a_file_system_that_fills_up_later_harms_no_writer(small_tmpfs: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=9m", small_tmpfs], check=True)
    script = (
        "import sys; from pathlib import Path; from kvtrace.events import StepSampled\n"
        "from kvtrace_connector.black_box import BlackBox\n"
        "box = BlackBox.open(Path(sys.argv[1]) / 'boxes')\n"
        "try: open(sys.argv[1] + '/filler', 'wb').write(bytes(9 << 20))\n"
        "except OSError as error: print(error.errno)\n"
        "for _ in range(30_000): box.record(StepSampled(), 0)\n"
        "box.close('')\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, str(small_tmpfs)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, str(errno.ENOSPC)), done.stderr


def test_a_link_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OSError, match="link") as caught:
        BlackBox.open(tmp_path / "link")
    assert caught.value.errno in (errno.ELOOP, errno.ENOTDIR)
    assert not list((tmp_path / "real").iterdir())


def test_a_file_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        BlackBox.open(tmp_path / "file")


@as_root
def test_another_users_directory_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, NOBODY, NOBODY)
    with pytest.raises(PermissionError, match="belongs to another user"):
        BlackBox.open(tmp_path)


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_where_it_must_be_private_others_may_not_write(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(PermissionError, match="others may write"):
        box_file.open_directory(tmp_path, private=True)
    os.close(box_file.open_directory(tmp_path, private=False))


@as_root
def test_a_read_only_directory_is_an_error(small_tmpfs: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_tmpfs], check=True)
    with pytest.raises(OSError, match="Read-only file system"):
        BlackBox.open(small_tmpfs)


def test_a_link_planted_at_the_files_name_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("keep")
    (tmp_path / "box").symlink_to(target)
    directory = box_file.open_directory(tmp_path, private=False)
    with pytest.raises(FileExistsError):
        box_file.create(directory, "box", 4096)
    os.close(directory)
    assert target.read_text() == "keep"


def test_a_file_planted_at_the_files_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "box").write_text("keep")
    directory = box_file.open_directory(tmp_path, private=False)
    with pytest.raises(FileExistsError):
        box_file.create(directory, "box", 4096)
    os.close(directory)
    assert (tmp_path / "box").read_text() == "keep"


def test_what_cannot_be_allocated_is_removed_again(tmp_path: Path) -> None:
    def refuse(*_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    directory = box_file.open_directory(tmp_path, private=False)
    with pytest.raises(OSError, match="No space left on device: 'box'"):
        box_file.create(directory, "box", 4096, refuse)
    os.close(directory)
    assert not list(tmp_path.iterdir())


def test_no_memory_is_an_error_like_any_other(tmp_path: Path) -> None:
    def refuse(*_: int) -> None:
        raise MemoryError

    directory = box_file.open_directory(tmp_path, private=False)
    with pytest.raises(OSError, match="no memory") as caught:
        box_file.create(directory, "box", 4096, refuse)
    os.close(directory)
    assert caught.value.errno == errno.ENOMEM
    assert not list(tmp_path.iterdir())


MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
25 22 0:22 / /dev/shm rw,nosuid - tmpfs tmpfs rw
40 22 0:40 / /home rw shared:7 master:3 - btrfs /dev/sdb rw,subvol=/home
41 40 0:41 / /home/a\\040b rw - nfs4 server:/x rw
42 22 0:42 / /dev/shm rw - ramfs ramfs rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/tmp", "ext4"),
        ("/", "ext4"),
        ("/dev/shm", "ramfs"),
        ("/dev/shm/kvtrace-0", "ramfs"),
        ("/dev/shmoo", "ext4"),
        ("/home/me", "btrfs"),
        ("/home/a b/c", "nfs4"),
    ],
)
def test_the_kind_of_file_system_is_that_of_the_innermost_mount(path: str, kind: str) -> None:
    assert box_file.file_system(path, MOUNTS) == kind


@pytest.mark.parametrize("kind", ["btrfs", "nfs4", "fuse.sshfs"])
def test_a_file_system_that_could_harm_the_writer_is_refused(tmp_path: Path, kind: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"22 1 254:0 / / rw - {kind} /dev/root rw\n")
    with pytest.raises(OSError, match=rf"on {kind} may .* directory in memory"):
        box_file.open_directory(tmp_path, private=False, mounts=mounts)
