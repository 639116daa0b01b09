"""Where to listen: what `4317`, `:4317`, `0.0.0.0:4317` and `[::1]:4317` mean."""

import errno
import ipaddress
import socket

import msgspec

from kvtrace.errors import ReceiverError

HOST = "127.0.0.1"
GRPC_PORT = 4317
HTTP_PORT = 4318


class Address(msgspec.Struct, frozen=True):
    """A host, by name or number, and a port; port 0 is any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this host reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def address(text: str, port: int) -> Address:
    """The address that the text means; with this port where it names none.

    Raises ReceiverError.
    """
    host, number = _parted(text.strip())
    if number and not (number.isascii() and number.isdigit() and int(number) < 1 << 16):
        raise _strange(text)
    if any(sign in host for sign in " /[]@") or (":" in host and not _is_six(host)):
        raise _strange(text)
    return Address(host, int(number) if number else port)


def _parted(text: str) -> tuple[str, str]:
    """Host and port, either of which may be empty in the text; an empty host is any."""
    if text.isdigit():
        return HOST, text
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or not host or (rest and not rest.startswith(":")):
            raise _strange(text)
        return host, rest[1:]
    if text.count(":") > 1:
        return text, ""
    host, colon, number = text.partition(":")
    return (host or ("0.0.0.0" if colon else HOST)), number


def _is_six(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.partition("%")[0]).version == 6
    except ValueError:
        return False


def _strange(text: str) -> ReceiverError:
    return ReceiverError(
        f"{text!r} is no address to listen on: write 127.0.0.1:4317, :4317 or [::1]:4317"
    )


def check_free(at: Address, otherwise: str = "name another port") -> None:
    """Raises ReceiverError, with what to do about it, where that address cannot be listened on.

    `otherwise` is how to listen elsewhere.
    """
    if not at.port:
        return
    try:
        found = socket.getaddrinfo(at.host, at.port, type=socket.SOCK_STREAM)
        family, kind, _, _, place = found[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
            probe.listen(1)
    except UnicodeError as error:
        raise _strange(str(at)) from error
    except OSError as error:
        raise ReceiverError(_why(at, error, otherwise)) from error


def _why(at: Address, error: OSError, otherwise: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {at.port} of {at.host} is taken by another program: stop that one, "
            f"or {otherwise}"
        )
    if error.errno == errno.EACCES:
        return f"port {at.port} of {at.host} may only be used by root: {otherwise}, above 1023"
    return (
        f"{at} cannot be listened on ({error.strerror}): name an address of this host, "
        "such as 127.0.0.1:4317"
    )
