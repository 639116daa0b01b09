"""Serves the screen of a subcommand to browsers, as --web asks."""

import functools
import os
import shlex
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from kvtrace.cli import options
from kvtrace.cli.interrupts import left_at_once
from kvtrace.cli.listening import Asked
from kvtrace.cli.streams import tell
from kvtrace.cli.view import View
from kvtrace.errors import KvtraceError

SECOND = 1_000_000_000

DEFAULT = "127.0.0.1:8000"


def address(text: str) -> tuple[str, int]:
    """What `8080`, `:8080`, `localhost:8080` or `[::1]:8080` means."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (port.isascii() and port.isdecimal() and 0 <= int(port) < 1 << 16):
        raise click.BadParameter(f"{text!r} is no address: write 8080 or 127.0.0.1:8080")
    return host, int(port)


def web_option(command: Callable[..., None]) -> Callable[..., None]:
    """Gives `live` the option that serves its screen; what else was asked for must allow it."""

    @click.option(
        "--web",
        metavar="[HOST:PORT]",
        type=address,
        is_flag=False,
        flag_value=DEFAULT,
        help=f"Serve the screen to browsers instead.  [default: {DEFAULT}]",
    )
    @functools.wraps(command)
    def served(web: tuple[str, int] | None = None, **asked: Any) -> None:
        if web is None:
            command(**asked)
        else:
            serve(web, _arguments(**asked))

    return served


def _arguments(
    *, view: View, asked: Asked, directory: Path | None, dead_for: int, **others: Any
) -> list[str]:
    """What each browser's own `kvtrace` is told."""
    if view.once or view.lines or asked.is_anything or others["record"] is not None:
        raise click.UsageError(
            "--web shows black boxes, each browser by itself: leave out --once, --plain, --json, "
            "--listen and --record"
        )
    # Told of a directory it does not listen, for which only one of them could have the port.
    where = options.readable(directory)
    return ["live", "--dir", str(where), "--dead", f"{dead_for / SECOND}s"]


def serve(where: tuple[str, int], arguments: Sequence[str]) -> None:
    """Serves `kvtrace` with these arguments until Ctrl-C.

    Raises KvtraceError where the address cannot be had, or what serves is not installed.
    """
    try:
        # Most installations never serve anything, so what it needs is an extra.
        from kvtrace.tui.browser import AppServer, is_loopback
    except ModuleNotFoundError as error:
        raise KvtraceError(
            f"--web needs the package {error.name}: pip install 'kvtrace[web]'"
        ) from error
    listening = _listening(where)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if not is_loopback(host):
        tell(
            f"kvtrace: anyone who reaches {shown} sees these transfers, and can use the screen as "
            "you can: there is no authentication"
        )
    command = shlex.join([sys.executable, "-m", "kvtrace", *arguments])
    with left_at_once():
        tell(f"kvtrace: open http://{shown} in a browser; Ctrl-C ends it")
        AppServer(command, listening, title="kvtrace").serve()


def _listening(where: tuple[str, int]) -> socket.socket:
    host, port = where
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except UnicodeError as error:
        raise KvtraceError(f"{host!r} is no name of a host: name another with --web") from error
    except OSError as error:
        raise KvtraceError(
            f"{host}:{port} cannot be listened on ({_why(error)}): name another with --web"
        ) from error


def _why(error: OSError) -> str:
    # What Python says of an address names it once more.
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror)
