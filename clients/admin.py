"""The client of the administration API."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Final

from clients.errors import ClientError

#: Seconds to wait for an answer.
TIMEOUT: Final = 20.0


class AdminError(ClientError):
    """The server refused, with its code; or it is ``unreachable``, or not a pokerd server (``no_server``)."""


def call_admin(
    url: str, token: str, action: str = "", body: Mapping[str, Any] | None = None, *, ca: str | None = None
) -> Any:
    """Execute ``action`` with ``body``. Without a body, return what is at that address; without an action,
    the state. ``url`` is the web address; ``ca`` a file of certificates to trust with https instead of the
    system's. Raises ``AdminError``.
    """
    if not url.startswith(("http://", "https://")):
        raise AdminError("unreachable", f"{url} is not an address that begins with http:// or https://")
    if not (token.isascii() and (not token or token.isprintable())):
        # The header could not hold it, and the error of the library would print it.
        raise AdminError("bad_token", "the token has a line break, or another character that no token has")
    address = f"{url.rstrip('/')}/api/admin" + (f"/{action}" if action else "")
    try:
        request = urllib.request.Request(  # noqa: S310 (checked above)
            address,
            data=None if body is None or not action else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        secure = ssl.create_default_context(cafile=ca) if url.startswith("https:") else None
        with urllib.request.urlopen(request, timeout=TIMEOUT, context=secure) as answer:  # noqa: S310
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise _refusal(error, url) from None
    except (OSError, ValueError) as error:
        raise AdminError("unreachable", f"{url} cannot be reached: {error}") from None


def _refusal(error: urllib.error.HTTPError, url: str) -> AdminError:
    with error:
        try:
            reply = json.load(error)
            return AdminError(reply["code"], reply["message"])
        except (ValueError, KeyError, TypeError):
            return AdminError(
                "no_server", f"{url} answers {error.code}, but not as a pokerd server with administration"
            )
