"""The options of whatever listens for OTLP; told here so that help loads no gRPC."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from kvtrace.cli import options
from kvtrace.sources.otlp.address import GRPC_PORT, HOST, HTTP_PORT

HERE = f"{HOST}:{GRPC_PORT}"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for on the command line."""

    listen: str | None = None
    http: str | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    token_file: Path | None = None
    forward: str | None = None
    forward_protocol: str | None = None
    forward_headers: tuple[str, ...] = ()
    patience: int | None = None
    """Nanoseconds for which `live --once` waits for the first agent."""

    option: str = "--listen"
    """The one that said where to listen."""

    @property
    def is_anything(self) -> bool:
        """Whether any of it was given."""
        return self != Asked()


OPTIONS = (
    click.option(
        "--listen",
        metavar="[ADDR]",
        is_flag=False,
        flag_value=HERE,
        help=f"Receive OTLP over gRPC: 127.0.0.1:4317, :4317, [::1]:4317.  [default: {HERE}]",
    ),
    click.option(
        "--http",
        metavar="ADDR|off",
        help=f"Receive OTLP over HTTP there.  [default: the same host, port {HTTP_PORT}]",
    ),
    click.option(
        "--tls-cert", metavar="FILE", type=options.FILE, help="Our certificate, for TLS; PEM."
    ),
    click.option("--tls-key", metavar="FILE", type=options.FILE, help="Its private key; PEM."),
    click.option(
        "--tls-client-ca",
        metavar="FILE",
        type=options.FILE,
        help="Take only clients with a certificate of this authority; PEM.",
    ),
    click.option(
        "--token-file",
        metavar="FILE",
        type=options.FILE,
        help="Take only clients with the bearer token in this file; else KVTRACE_TOKEN, if set.",
    ),
    click.option(
        "--forward",
        metavar="ENDPOINT",
        help="Pass all that is received on to this OTLP endpoint, unchanged.",
    ),
    click.option(
        "--forward-protocol",
        type=click.Choice(["grpc", "http/protobuf"]),
        help="How to pass it on.  [default: grpc; http/protobuf to port 4318 or a path]",
    ),
    click.option(
        "--forward-header",
        "forward_headers",
        metavar="NAME=VALUE",
        multiple=True,
        help="Add this header to what is passed on; else OTEL_EXPORTER_OTLP_HEADERS.",
    ),
)


def listening_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a subcommand these options, and what they ask for as `asked`."""

    @functools.wraps(command)
    def listening(**given: Any) -> None:
        own = {name: given.pop(name) for name in Asked.__struct_fields__ if name in given}
        command(asked=Asked(**own), **given)

    for option in reversed(OPTIONS):
        listening = option(listening)
    return listening
