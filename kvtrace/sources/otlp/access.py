"""Who may send: bearer token, TLS certificate and client certificates."""

import hmac
import ssl
from pathlib import Path

import msgspec

from kvtrace.errors import ReceiverError
from kvtrace.sources.otlp.quiet import grpc

LONGEST = 4096
"""Bytes of a token."""


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """What a client has to show, and what we show it."""

    token: str = ""
    """Empty where none is asked for."""

    certificate: Path | None = None
    key: Path | None = None
    client_ca: Path | None = None
    """Whose certificates a client must have; None where it needs none."""

    @property
    def is_open(self) -> bool:
        """Whether anyone who reaches the port may send."""
        return not self.token and self.client_ca is None

    def allows(self, shown: str | bytes | None) -> bool:
        """Whether this authorization header will do; takes as long for any wrong one."""
        if not self.token:
            return True
        given = shown.encode("utf-8", "replace") if isinstance(shown, str) else shown or b""
        scheme, _, token = given.partition(b" ")
        right = hmac.compare_digest(token.strip(), self.token.encode())
        return right and scheme.lower() == b"bearer"


def token_of(file: Path | None, environment: str) -> str:
    """The token in the file, else that of the environment; raises ReceiverError."""
    if file is None:
        return environment.strip()
    try:
        with file.open(encoding="utf-8") as stream:
            token = stream.read(LONGEST + 1).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(file, error, "with one line of text") from error
    if not token or len(token) > LONGEST or not token.isprintable():
        raise ReceiverError(f"{file} holds no token: put one line of text there")
    return token


def context_of(access: Access) -> ssl.SSLContext | None:
    """TLS as HTTP's server wants it; None without a certificate. Raises ReceiverError."""
    _check(access)
    if access.certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(access.certificate, access.key, password=_no_password)
    except (OSError, ssl.SSLError, ValueError) as error:
        raise _unusable(access.certificate, error) from error
    if access.client_ca is not None:
        try:
            context.load_verify_locations(access.client_ca)
        except (OSError, ssl.SSLError, ValueError) as error:
            raise _unusable(access.client_ca, error) from error
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def credentials_of(access: Access) -> grpc.ServerCredentials | None:
    """TLS as gRPC's server wants it, of what `context_of` found usable."""
    if access.certificate is None or access.key is None:
        return None
    try:
        chain, key = access.certificate.read_bytes(), access.key.read_bytes()
        root = access.client_ca.read_bytes() if access.client_ca is not None else None
    except OSError as error:
        raise _unusable(access.certificate, error) from error
    return grpc.ssl_server_credentials(
        [(key, chain)], root_certificates=root, require_client_auth=root is not None
    )


def _check(access: Access) -> None:
    if (access.certificate is None) != (access.key is None):
        raise ReceiverError("TLS needs both: say --tls-cert FILE and --tls-key FILE")
    if access.client_ca is not None and access.certificate is None:
        raise ReceiverError(
            "client certificates need TLS: say --tls-cert and --tls-key with --tls-client-ca"
        )


def _no_password() -> str:
    raise ValueError("it is encrypted")


def _unusable(file: Path, error: Exception, form: str = "in PEM form") -> ReceiverError:
    said = getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error)
    return ReceiverError(f"{file} cannot be used ({said}): name another file, {form}")
