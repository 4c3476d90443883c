"""TLS: a certificate and its key, reloaded when their files change."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from server.auth.tokens import file_stamp
from server.errors import ServerError
from server.telemetry.logger import get_logger

log = get_logger("pokerd.tls")

#: Seconds between two checks of the files.
POLL_INTERVAL: Final = 2.0


class TlsError(ServerError):
    """The certificate and key cannot be used: ``bad_certificate``."""

    code = "bad_certificate"


class TlsConfig:
    """The certificate of a server: ``certificate`` is a PEM file with the whole chain, ``key`` one with the
    key, without a password. Raises ``TlsError``.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self.files = certificate, key
        #: For every listening socket; a reloaded certificate applies to new connections.
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._stamps = [file_stamp(path) for path in self.files]
        self._load(self.context)

    def _load(self, context: ssl.SSLContext) -> None:
        certificate, key = self.files
        for path in self.files:
            try:
                path.read_bytes()
            except OSError as error:
                raise TlsError(f"{path} cannot be read: {error.strerror}") from None
        try:
            context.load_cert_chain(certificate, key, password=self._refuse_password)
        except ssl.SSLError as error:
            why = (error.reason or str(error)).lower().replace("_", " ")
            raise TlsError(f"{certificate} and {key} are not a certificate and its key: {why}") from None

    def _refuse_password(self) -> str:
        raise TlsError(f"{self.files[1]} has a password; use a key without one")

    async def run(self) -> None:
        """Reload changed files forever, and ignore failed handshakes. While the new files do not fit
        together, the old ones stay in use.
        """
        with ignore_failed_handshakes():
            await self._poll_files()

    async def _poll_files(self) -> None:
        while True:
            await asyncio.sleep(POLL_INTERVAL)
            stamps = [file_stamp(path) for path in self.files]
            if stamps != self._stamps:
                self._stamps = stamps
                try:
                    # Try them in another context first: half of a pair would stay in this one.
                    self._load(ssl.create_default_context(ssl.Purpose.CLIENT_AUTH))
                    self._load(self.context)
                except TlsError as error:
                    log.warning("cannot renew certificate", error=str(error))
                else:
                    log.warning("certificate renewed", certificate=str(self.files[0]))


@contextmanager
def ignore_failed_handshakes() -> Iterator[None]:
    """Ignore failed handshakes, such as those of port scanners, in the event loop's error handler."""
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()

    def handle(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if str(context.get("message", "")).startswith("SSL handshake failed"):
            log.debug("handshake failed", error=str(context.get("exception")))
        elif before is not None:
            before(loop, context)
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)
    try:
        yield
    finally:
        loop.set_exception_handler(before)


def load_tls(certificate: Path | None, key: Path | None) -> TlsConfig | None:
    """Return the TLS configuration, or None without a certificate. Raises ``TlsError``."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise TlsError("a certificate and its key belong together: give both, --tls-cert and --tls-key")
    return TlsConfig(certificate, key)
