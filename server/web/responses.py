"""HTTP responses: JSON, CSV, files and refusals."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from server.errors import ServerError
from server.web.schemas import ProblemResponse
from server.web.static_files import File

#: Maximum number of list entries in a response.
MAX_LIMIT: Final = 200

#: Responses may depend on the client and change at any moment.
_FRESH: Final = {"Cache-Control": "no-store"}

#: Files that are worth packing (RFC 9110, 8.4.1.3). None holds a secret, so their lengths tell nothing.
_PACKED: Final = ("text/", "application/json", "image/svg")

#: A refusal as an HTML page for people.
PROBLEM_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{status} · pokerd</title>
<link rel="stylesheet" href="/static/lib/style.css">
<main class="naming"><div class="box">
  <h1>{status}</h1>
  <p>{text}</p>
  <a class="button main" href="/">Back to the home page</a>
</div></main>
</html>
"""


class HttpError(ServerError):
    """The request cannot be answered: the HTTP ``status``, a ``code`` for programs, and a text for people."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(code, text)
        self.status = status


def problem(path: str, status: int, code: str, text: str) -> Response:
    """Return a refusal: as JSON below ``/api/``, elsewhere as a page."""
    if path.startswith("/api/"):
        return json_response(ProblemResponse(code, text), status)
    return Response(PROBLEM_PAGE.format(status=status, text=escape(text)), status, _FRESH, "text/html")


def json_response(data: msgspec.Struct | Mapping[str, Any], status: int = 200) -> Response:
    """Return data as JSON."""
    return Response(msgspec.json.encode(data), status, _FRESH, "application/json")


def csv_response(name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Response:
    """Return a table as CSV (RFC 4180) under a file name."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return attachment(f"{name}.csv", text.getvalue(), "text/csv")


def _cell(value: Any) -> Any:
    """Return a cell. Quote texts that a spreadsheet would take for formulas."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def attachment(name: str, text: str, kind: str) -> Response:
    """Return text as a download. In the file name, replace all but letters, digits and ``._-``."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "-", name)
    return Response(text, 200, {**_FRESH, "Content-Disposition": f'attachment; filename="{safe}"'}, kind)


def cached_response(request: Request, file: File, policy: str) -> Response:
    """Return a file, packed if the browser takes that, or 304 if it has it already."""
    is_packed = _takes_gzip(request) and file.kind.startswith(_PACKED)
    etag = f'{file.etag[:-1]}-gzip"' if is_packed else file.etag
    headers = {"ETag": etag, "Cache-Control": policy, "Vary": "Accept-Encoding"}
    known = request.headers.get("if-none-match", "")
    if etag in [tag.strip().removeprefix("W/") for tag in known.split(",")]:
        return Response(status_code=304, headers=headers)
    if is_packed:
        headers["Content-Encoding"] = "gzip"
    body = _pack(file.body) if is_packed else file.body
    return Response(body, 200, {**headers, "Content-Type": file.kind})


def _takes_gzip(request: Request) -> bool:
    """Return whether the browser takes packed files (RFC 9110, 12.5.3)."""
    wishes = request.headers.get("accept-encoding", "").lower().replace(" ", "").split(",")
    return any(re.fullmatch(r"gzip(;q=(0\.\d*[1-9]\d*|1(\.0*)?))?", wish) for wish in wishes)


@lru_cache(maxsize=1024)
def _pack(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


def int_parameter(request: Request, name: str, default: int, *, least: int = 0, most: int) -> int:
    """Return a number from the query string. Raises ``HttpError`` (``bad_parameter``)."""
    text = request.query_params.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= 15 and least <= int(text) <= most):
        raise HttpError(
            400, "bad_parameter", f"{name} must be a number from {least} to {most}, not {text[:40]!r}"
        )
    return int(text)
