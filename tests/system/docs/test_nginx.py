"""The how-to on nginx, with a real nginx before a real server."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import ssl
from collections.abc import Iterator
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.docs.pages import ROOT, blocks, code, prose
from tests.docs.workspace import shell
from tests.support.certificates import make_certificate
from tests.support.ports import free_port
from tests.support.programs import PYTHON, Program

PAGE = ROOT / "docs" / "howto" / "nginx.md"
NAME = "poker.example"
#: A client elsewhere, as a proxy before nginx tells it.
ELSEWHERE = {"X-Forwarded-For": "203.0.113.9"}


class Site(NamedTuple):
    """Two ports of nginx, and what trusts its certificate."""

    web: int
    bots: int
    #: The server's own port for pages, and a token of its administrator.
    web_behind: str
    admin: str
    trust: ssl.SSLContext

    def open(self, port: int, path: str, **more: Any) -> Any:
        """A websocket, as if the name led to this machine."""
        sock = socket.create_connection(("127.0.0.1", port), 30)
        return connect(f"wss://{NAME}{path}", sock=sock, ssl=self.trust, server_hostname=NAME, **more)

    def status(self, path: str, host: str = NAME) -> int:
        """What a browser that asks for a page gets."""
        client = HTTPSConnection("127.0.0.1", self.web, context=self.trust, timeout=30)
        client.request("GET", path, headers={"Host": host})
        answer = client.getresponse()
        answer.read()
        client.close()
        return answer.status


def configuration(folder: Path, ports: dict[str, int]) -> Path:
    """The page's configuration, with ports and files of the test, in what nginx needs around it."""
    (block,) = blocks(PAGE, "nginx")
    text = block.text.replace("/etc/ssl/", f"{folder}/")
    for documented, port in ports.items():
        assert documented in text
        text = text.replace(documented, documented.replace(re.findall(r"\d+", documented)[-1], str(port)))
    text = text.replace("listen ", "listen 127.0.0.1:")
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; pid {folder}/nginx.pid; worker_processes 1; error_log stderr notice;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary}\n{text}}}\n"
    )
    return file


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("nginx")
    certificate, _ = make_certificate(folder, NAME, host=NAME)
    (command,) = [one for one in code(prose(PAGE)) if " serve " in one]
    issued = shell(f"python -m pokerd token issue boss --admin --data {folder}/var", ROOT)
    (admin,) = re.findall(r"^\S{20,}$", issued, re.MULTILINE)
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    assert program is not None, "make system installs it"
    served = [*command.split()[4:], "--port", "0", "--web-port", "0", "--data", str(folder / "var")]
    with Program(PYTHON, "-m", "pokerd", "serve", *served) as server:
        behind = int(server.says(r"ws://127\.0\.0\.1:(\d+)")[1])
        web_behind = server.says(r"(http://127\.0\.0\.1:(\d+))")
        web, bots = free_port(), free_port()
        ports = {"listen 443": web, "listen 8443": bots, "127.0.0.1:8080": int(web_behind[2])}
        file = configuration(folder, {**ports, "127.0.0.1:8000": behind})
        with Program(program, "-p", folder, "-c", file, "-e", "stderr") as running:
            running.says("start worker process ")
            trust = ssl.create_default_context(cafile=certificate)
            yield Site(web, bots, web_behind[1], admin, trust)
            running.stop(signal.SIGTERM)


def hello(connection: ClientConnection) -> str:
    """The type of the server's answer."""
    connection.send(json.dumps({"type": "hello", "name": "far"}))
    message = json.loads(connection.recv(30))
    answer: str = (message[0] if isinstance(message, list) else message)["type"]
    return answer


def test_a_bot_comes_through_it_and_is_known_by_its_own_address(nginx: Site) -> None:
    show = f"python -m pokerd admin --url {nginx.web_behind} --token {nginx.admin} show"
    with nginx.open(nginx.bots, "/", additional_headers=ELSEWHERE) as connection:
        assert hello(connection) == "welcome"
        assert "203.0.113.9" in shell(show, ROOT)


@pytest.mark.parametrize(
    ("origin", "code"), [(f"https://{NAME}", None), ("https://elsewhere.example", 403)], ids=["own", "other"]
)
def test_the_pages_websocket_comes_through_it(nginx: Site, origin: str, code: int | None) -> None:
    def come() -> str:
        with nginx.open(nginx.web, "/ws", origin=origin, subprotocols=["pokerd.v1.json"]) as connection:
            return hello(connection)

    if code is None:
        assert come() == "welcome"
        return
    with pytest.raises(InvalidStatus) as failure:
        come()
    assert failure.value.response.status_code == code


@pytest.mark.parametrize(("host", "status"), [(NAME, 200), ("elsewhere.example", 421)])
def test_pages_come_by_their_name_alone(nginx: Site, host: str, status: int) -> None:
    assert nginx.status("/", host) == status
