"""The receiver that the command line asks for; loads gRPC, so only what listens imports it."""

import os
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import unquote

from kvtrace.cli.listening import HERE, Asked
from kvtrace.errors import ReceiverError
from kvtrace.garbage import collect_seldom
from kvtrace.sources.otlp.access import Access, context_of, token_of
from kvtrace.sources.otlp.address import GRPC_PORT, HTTP_PORT, Address, address
from kvtrace.sources.otlp.passing_on import Target, target_of
from kvtrace.sources.otlp.receiver import Receiver, Setup
from kvtrace.sources.otlp.request import Headers


def setup_of(asked: Asked, *, environ: Mapping[str, str] = os.environ) -> Setup:
    """The receiver that was asked for; raises ReceiverError where that is none."""
    at = address(asked.listen or HERE, GRPC_PORT)
    access = Access(
        token=token_of(asked.token_file, environ.get("KVTRACE_TOKEN", "")),
        certificate=asked.tls_cert,
        key=asked.tls_key,
        client_ca=asked.tls_client_ca,
    )
    # What is wrong with the files shall be known before anything runs.
    context_of(access)
    return Setup(
        grpc=at,
        http=_web(asked.http, at),
        access=access,
        target=_target(asked, environ),
        option=asked.option,
    )


def listening(
    setup: Setup,
    warn: Callable[[str], object],
    tell: Callable[[str], object] | None = None,
) -> Receiver:
    """A receiver that listens; warns of what is too open. Raises ReceiverError.

    `tell`, or else `warn`, is told from another thread how passing on goes when that changes.
    """
    receiver = Receiver(setup, tell=tell or warn)
    receiver.start()
    collect_seldom()
    for message in warnings(setup):
        warn(message)
    return receiver


def warnings(setup: Setup) -> Iterator[str]:
    """What a person should know of who can reach what we listen on."""
    beyond = [str(at) for at in (setup.grpc, setup.http) if at is not None and not at.is_loopback]
    if not beyond:
        return
    where = " and ".join(beyond)
    if setup.access.is_open:
        yield (
            f"warning: whoever reaches {where} can send events: ask for a token with --token-file, "
            "or for client certificates with --tls-client-ca"
        )
    if setup.access.certificate is None:
        yield (
            f"warning: what is sent to {where} can be read on the way: "
            "use TLS, with --tls-cert and --tls-key"
        )


def places(receiver: Receiver) -> str:
    """Where it listens, in words."""
    found = [str(at) for at in (receiver.grpc, receiver.http) if at is not None]
    return "OTLP on " + " and ".join(found)


def _web(text: str | None, at: Address) -> Address | None:
    if text is None:
        return Address(at.host, HTTP_PORT)
    return None if text == "off" else address(text, HTTP_PORT)


def _target(asked: Asked, environ: Mapping[str, str]) -> Target | None:
    if asked.forward is None:
        if asked.forward_protocol or asked.forward_headers:
            raise ReceiverError("say with --forward ENDPOINT where to pass it on to")
        return None
    return target_of(asked.forward, asked.forward_protocol, _headers(asked, environ))


def _headers(asked: Asked, environ: Mapping[str, str]) -> Headers:
    """What is given, else what OpenTelemetry's variable holds: `a=b,c=d`, percent-encoded."""
    if asked.forward_headers:
        return tuple(_header(one) for one in asked.forward_headers)
    given = environ.get("OTEL_EXPORTER_OTLP_HEADERS", "")
    return tuple(_header(unquote(one)) for one in given.split(",") if one.strip())


def _header(text: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    name, value = name.strip().lower(), value.strip()
    allowed = name.replace("-", "").replace("_", "").replace(".", "")
    if (
        not found
        or not (allowed.isascii() and allowed.isalnum())
        or not value.isascii()
        or not value.isprintable()
    ):
        raise ReceiverError(f"{text!r} is no header to pass on: write NAME=VALUE")
    return name, value
