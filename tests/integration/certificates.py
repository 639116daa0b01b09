"""An authority with a server's and a client's certificate, made by openssl for one test."""

import shutil
import subprocess
from pathlib import Path

import pytest

_EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Certificates:
    """Files in a directory; the server's is for localhost and 127.0.0.1."""

    def __init__(self, directory: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not installed")
        self._directory = directory
        self.authority = directory / "authority.pem"
        self._run("req", "-x509", *_EC, "-subj", "/CN=tests", "-days", "2", *self._out("authority"))
        self.server, self.server_key = self._signed("server")
        self.client, self.client_key = self._signed("client")

    def _signed(self, name: str) -> tuple[Path, Path]:
        names = self._directory / "names"
        names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        request = self._directory / f"{name}.csr"
        key = self._directory / f"{name}.key"
        made = self._directory / f"{name}.pem"
        self._run("req", *_EC, "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(request))
        self._run(
            *("x509", "-req", "-in", str(request), "-CA", str(self.authority)),
            *("-CAkey", str(self._directory / "authority.key"), "-CAcreateserial"),
            *("-extfile", str(names), "-days", "2", "-out", str(made)),
        )
        return made, key

    def _out(self, name: str) -> tuple[str, ...]:
        return (
            "-keyout",
            str(self._directory / f"{name}.key"),
            "-out",
            str(self._directory / f"{name}.pem"),
        )

    def _run(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=30)
