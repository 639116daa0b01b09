"""Makes a black box' file: whole, locked, and only where nobody else can meddle with it."""

import contextlib
import errno
import fcntl
import mmap
import os
import resource
import stat
from collections.abc import Callable
from pathlib import Path

Allocate = Callable[[int, int, int], None]

MOUNTS = Path("/proc/self/mountinfo")
"""The kernel's list of what is mounted where."""

_COPIES_ON_WRITE = ("btrfs", "zfs", "bcachefs")
"""Where blocks once allocated do not stay so: a full disk would kill whoever writes."""

_MAY_HANG = ("9p", "afs", "beegfs", "ceph", "cifs", "fuse", "gpfs", "lustre", "nfs", "smb")
"""Whose files are served by another process or host: whoever writes may wait for it for ever."""


def open_directory(directory: Path, *, private: bool, mounts: Path = MOUNTS) -> int:
    """A descriptor of the directory, made if it is missing; the caller closes it.

    Raises OSError: where it is a link, no directory, or another user's; where its file system
    could harm a writer; and where it must be private and others may write there.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(directory, 0o700)
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _check_owner(opened, directory, private=private)
        _check_ground(opened, directory, mounts.read_text())
    except OSError:
        os.close(opened)
        raise
    return opened


def _check_owner(opened: int, directory: Path, *, private: bool) -> None:
    found = os.fstat(opened)
    if found.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "the directory belongs to another user", str(directory))
    if private and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(errno.EPERM, "others may write to the directory", str(directory))


def _check_ground(opened: int, directory: Path, mounts: str) -> None:
    kind = file_system(os.readlink(f"/proc/self/fd/{opened}"), mounts)
    if kind in _COPIES_ON_WRITE or kind.startswith(_MAY_HANG):
        why = f"a process that writes to mapped files on {kind} may be killed or hang"
        raise OSError(errno.ENOTSUP, f"{why}; name a directory in memory", str(directory))


def file_system(path: str, mounts: str) -> str:
    """The kind of file system that the path is on, by the kernel's list of mounts."""
    best, kind = "", ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        point = before.split()[4].replace("\\040", " ")
        within = path == point or path.startswith(point.rstrip("/") + "/")
        if within and len(point) >= len(best):
            best, kind = point, after.split()[0]
    return kind


def create(
    directory: int, name: str, size: int, allocate: Allocate = os.posix_fallocate
) -> mmap.mmap:
    """A new file of that size, zeroed, mapped and locked for as long as it stays mapped.

    Raises OSError; then no file is left.
    """
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if allowed != resource.RLIM_INFINITY and size > allowed:
        # Writing beyond the limit would send a signal that kills by default.
        raise OSError(errno.EFBIG, f"the limit for a file is {allowed} bytes", name)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    opened = os.open(name, flags, 0o600, dir_fd=directory)
    try:
        return _prepare(opened, size, allocate)
    except MemoryError as error:
        os.unlink(name, dir_fd=directory)
        raise OSError(errno.ENOMEM, "no memory to map the file", name) from error
    except OSError as error:
        os.unlink(name, dir_fd=directory)
        raise OSError(error.errno, error.strerror, name) from error
    finally:
        os.close(opened)


def _prepare(opened: int, size: int, allocate: Allocate) -> mmap.mmap:
    fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    # Without blocks of its own a page is found missing only when it is touched, which kills.
    allocate(opened, 0, size)
    # The map keeps a duplicate of the descriptor, and with it the lock, until it is closed.
    return mmap.mmap(opened, size, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
