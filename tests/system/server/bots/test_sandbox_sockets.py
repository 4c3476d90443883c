"""Sockets of bots: those to play by, and those by which they would reach what runs beside the server."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path
from uuid import uuid4

from server.bots.launcher import landlock_version
from server.bots.sandbox import Limits
from tests.support.bot_programs import until
from tests.support.cage import CONFINED, cage

KNOCK = """
import json, socket, sys
def tried(what):
    try:
        what()
    except OSError as error:
        return error.strerror
    return "done"
def knock(path):
    one = socket.socket(socket.AF_UNIX)
    one.connect(path)
def call(path):
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"gotcha", path)
def lead():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"gotcha", sys.argv[2])
print(json.dumps({
    "stream": tried(lambda: knock(sys.argv[1])),
    "datagram": tried(lambda: call(sys.argv[2])),
    "led elsewhere": tried(lead),
    "host of a machine": tried(lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)),
    "ciphers of the kernel": tried(lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)),
    "internet": tried(lambda: socket.create_connection(("localhost", int(sys.argv[3])))),
    "pair": tried(lambda: socket.socketpair()),
}))
"""


async def test_a_bot_reaches_the_server_and_no_socket_of_the_machine(tmp_path: Path) -> None:
    with (
        socket.socket(socket.AF_UNIX) as stream,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagram,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        stream.bind(str(tmp_path / "stream"))
        stream.listen()
        datagram.bind(str(tmp_path / "datagram"))
        datagram.setblocking(False)
        port = str(server.getsockname()[1])
        async with cage(tmp_path) as one:
            words = [str(tmp_path / "stream"), str(tmp_path / "datagram"), port]
            assert await one.outcome(KNOCK, *words) == 0
            told = json.loads(one.said())
        heard = tried_to_hear(datagram)
    assert (told.pop("internet"), told.pop("pair")) == ("done", "done")
    if CONFINED:
        assert told.pop("led elsewhere") == "Operation not permitted"
        assert set(told.values()) == {"Address family not supported by protocol"}
        assert not heard
    else:
        assert told["stream"] == told["datagram"] == "done"
        assert heard


def tried_to_hear(datagram: socket.socket) -> bytes:
    try:
        return datagram.recv(16)
    except BlockingIOError:
        return b""


DIAL = """
import json, os, socket, sys
def tried(what):
    try:
        what()
    except OSError as error:
        return os.strerror(error.errno)
    return "done"
seat = int(os.environ["POKERD_URL"].rpartition(":")[2])
print(json.dumps({
    "seat": tried(lambda: socket.create_connection(("127.0.0.1", seat))),
    "other": tried(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])))),
    "listening": tried(lambda: socket.create_server(("127.0.0.1", 0))),
    "datagram": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    "routes": tried(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
}))
"""


async def test_without_namespaces_an_upload_may_connect_to_the_port_of_its_seat_alone(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as seat, socket.create_server(("127.0.0.1", 0)) as other:
        (tmp_path / "upload").mkdir()
        (tmp_path / "upload" / "bot.py").write_text(DIAL)
        command = [sys.executable, "bot.py", str(other.getsockname()[1])]
        async with cage(tmp_path, strictness="auto") as one:
            await one.processes.start(
                "bot",
                command,
                {"POKERD_TOKEN": uuid4().hex, "POKERD_URL": f"ws://127.0.0.1:{seat.getsockname()[1]}"},
                lambda code: one.codes.update(bot=code),
                confinement=one.sandbox.for_upload(tmp_path / "upload", command, Limits()),
            )
            await until(lambda: "bot" in one.codes)
            told = json.loads(one.said())
    assert told.pop("seat") == "done"
    if landlock_version() >= 4:
        refusals = {
            "Permission denied",
            "Operation not permitted",
            "Address family not supported by protocol",
        }
        assert set(told.values()) <= refusals
    else:
        assert told["other"] == "done"


WELL_BEHAVED = """
import asyncio, multiprocessing, subprocess, threading
async def talk(run):
    async def answer(reader, writer):
        writer.write(await reader.readexactly(4))
        writer.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"over")
        print(run, "tcp", (await reader.read()).decode())
        writer.close()
    child = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    print(run, "child", (await child.communicate(b"there"))[0].decode())
    print(run, "thread", await asyncio.to_thread(lambda: "beside"))
def child(end):
    end.send(end.recv() * 2)
def process(kind):
    ours, theirs = multiprocessing.Pipe()
    one = multiprocessing.get_context(kind).Process(target=child, args=(theirs,))
    one.start()
    ours.send(21)
    print(kind, ours.recv())
    one.join()
if __name__ == "__main__":
    import uvloop
    asyncio.run(talk("asyncio"))
    uvloop.run(talk("uvloop"))
    print(subprocess.run(["echo", "subprocess"], capture_output=True, text=True).stdout, end="")
    process("fork")
    process("spawn")
"""


async def test_what_programs_usually_do_they_may(tmp_path: Path) -> None:
    """Event loops, children with pipes, threads."""
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "program.py").write_text(WELL_BEHAVED)
    async with cage(tmp_path) as one, asyncio.timeout(60):
        assert await one.run([str(tmp_path / "start" / "program.py")]) == 0, one.said()
        lines = one.said().splitlines()
    each = [
        f"{run} {what}"
        for run in ("asyncio", "uvloop")
        for what in ("tcp over", "child there", "thread beside")
    ]
    assert lines == [*each, "subprocess", "fork 42", "spawn 42"]
