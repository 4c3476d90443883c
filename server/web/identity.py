"""Recognises browsers by a cookie that only this server can create."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Final

#: Prefix of the cookie's name.
COOKIE: Final = "pokerd_id_"
#: Seconds that a browser keeps the cookie: a year.
MAX_AGE: Final = 365 * 24 * 3600
#: Seconds for which a link takes somebody to another device.
DEVICE_SECONDS: Final = 900
_SECRET_BYTES: Final = 32
_DOMAIN: Final = b"pokerd cookie 1\x00"
_DEVICE_DOMAIN: Final = b"pokerd device 1\x00"
_NAME_DOMAIN: Final = b"pokerd cookie name 1\x00"


class Identities:
    """Issues and verifies identities. A cookie is ``ID.SIGNATURE`` (HMAC-SHA256 of the id).

    The cookie's name ends with 8 hex digits derived from the secret. Browsers send cookies to all ports of a
    host, so two servers there would otherwise take each other's cookie for a forgery and replace it.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.cookie: Final = COOKIE + hashlib.sha256(_NAME_DOMAIN + secret).hexdigest()[:8]

    def issue(self, *, secure: bool, identity: str = "") -> str:
        """Return the ``Set-Cookie`` header for an identity, by default a new one; ``secure``: the request
        came by https.

        Lax and not Strict: with Strict, a link from another site would arrive without the cookie, and the
        response would create a new identity. Requests that change something are checked by their origin
        instead.
        """
        identity = identity or secrets.token_urlsafe(16)
        value = f"{identity}.{self._signature(identity.encode())}"
        flags = "Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if secure else "")
        return f"{self.cookie}={value}; Max-Age={MAX_AGE}; {flags}"

    def identity(self, cookies: str) -> str:
        """Return the identity in a ``Cookie`` header; empty if it has no valid cookie of this server."""
        for part in cookies.split(";"):
            name, _, value = part.strip().partition("=")
            identity, _, signature = value.partition(".")
            if name == self.cookie and identity:
                right = self._signature(identity.encode())
                if hmac.compare_digest(right.encode(), signature.encode()):
                    return identity
        return ""

    def device_token(self, identity: str, now: float) -> str:
        """Return what makes another browser this person's for ``DEVICE_SECONDS`` from ``now`` on (seconds
        since 1970): ``ID.END.SIGNATURE``.
        """
        signed = f"{identity}.{int(now + DEVICE_SECONDS)}"
        return f"{signed}.{self._signature(signed.encode(), _DEVICE_DOMAIN)}"

    def identity_of_device(self, token: str, now: float) -> str:
        """Return the identity in such a token; empty if it is not of this server, or too old."""
        signed, _, signature = token.rpartition(".")
        identity, _, end = signed.partition(".")
        right = self._signature(signed.encode(), _DEVICE_DOMAIN)
        if not identity or not hmac.compare_digest(right.encode(), signature.encode()):
            return ""
        return identity if now < int(end) else ""

    def _signature(self, identity: bytes, domain: bytes = _DOMAIN) -> str:
        return urlsafe_b64encode(hmac.digest(self._secret, domain + identity, "sha256")).decode().rstrip("=")


def load_secret(folder: Path, name: str = "cookie.secret") -> bytes:
    """Load the secret ``name`` in ``folder``, or create one that only its owner can read. Raises
    ``OSError``.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / name
    if not path.exists():
        # Written to another file and linked, so that two servers that start at once share the first secret.
        fresh = folder / f".{path.name}.{secrets.token_hex(8)}"
        with open(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:  # noqa: PTH123
            file.write(secrets.token_bytes(_SECRET_BYTES))
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        fresh.unlink()
    path.chmod(0o600)
    return path.read_bytes()
