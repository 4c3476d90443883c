"""A real PostgreSQL of our own, and databases in it.

``python -m tests.support.postgres COMMAND ...`` runs a command that finds one in POKERD_DATABASE.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from server.fleet.coordinator import prepare_database
from tests.support.ports import free_port
from tests.support.programs import Program, environment, eventually, outcome

_number = count(1)


def _program(name: str) -> Path:
    """Where Debian keeps it, if not in the PATH."""
    found = shutil.which(name)
    places = [Path(found)] if found else sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    assert places, "make system installs it"
    return places[-1]


def _as_somebody(*command: str | Path) -> tuple[str | Path, ...]:
    """The same command as another user than root, who may not run it; it ends with us, whatever ends us."""
    if os.geteuid() != 0:
        return command
    ids = ("--reuid=postgres", "--regid=postgres", "--clear-groups")
    return ("setpriv", *ids, "--pdeathsig=INT", *command)


class Postgres:
    """A server at a free port of this machine, in a new directory. It does not wait for the disk unless it is
    ``durable``. Its superuser needs no password.
    """

    def __init__(self, folder: Path, *, durable: bool = False, superuser: str = "pokerd") -> None:
        self.port = free_port()
        self.superuser = superuser
        self._folder = folder
        self.data = folder / "data"
        done = outcome(
            *_as_somebody(_program("initdb"), "-D", self.data, "-U", superuser, "-A", "trust", "-N"),
            *("-E", "UTF8", "--locale=C"),
            cwd=folder,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "hot_standby": "off",
            "max_connections": "200",
            "shared_buffers": "32MB",
            **({} if durable else {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}),
        }
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self._command = _as_somebody(_program("postgres"), "-D", self.data, "-p", str(self.port))
        self.program: Program | None = None

    def start(self) -> None:
        """Start it, and wait until it can be used."""
        self._launch("database system is ready to accept connections")

    def start_recovery(self) -> None:
        """Start it, and have it recover, and refuse everybody, until ``end_recovery``."""
        (self.data / "standby.signal").touch()
        self._launch("entering standby mode")

    def end_recovery(self) -> None:
        """Let it come out of recovery, and wait until it can be used."""
        assert self.program is not None
        (self.data / "promote").touch()
        self.program.process.send_signal(signal.SIGUSR1)
        self.program.says("database system is ready to accept connections")

    def _launch(self, until: str) -> None:
        self.program = Program(*self._command, cwd=self._folder)
        try:
            self.program.says(until)
        except AssertionError:
            self.stop()
            raise

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """End it, without waiting for those who are connected. SIGQUIT: as if it had crashed."""
        program, self.program = self.program, None
        if program is not None:
            with program:
                program.stop(number)

    def database(self, options: str = "") -> str:
        """A new database, made with these options: its address."""
        name = f"test_{os.getpid()}_{next(_number)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {options}")
        return self.url(name)

    def migrated(self) -> str:
        """A new database that has the tables of a fleet: its address."""
        return self.database(f"TEMPLATE {self._template}")

    @cached_property
    def _template(self) -> str:
        url = self.database()
        with ThreadPoolExecutor(1) as thread:  # the loop of this one may be running
            thread.submit(asyncio.run, prepare_database(url)).result()
        return url.rpartition("/")[2]

    def shell(self, lines: str, *typed: str) -> None:
        """Run lines of a shell as its administrator does, who types this when asked."""
        path = f"{_program('createuser').parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            _as_somebody("sh", "-euc", lines),
            cwd=self._folder,
            env=environment(PGHOST="127.0.0.1", PGPORT=str(self.port), PGUSER=self.superuser, PATH=path),
            # Without a terminal of its own a program reads passwords there.
            start_new_session=True,
            input="".join(f"{line}\n" for line in typed),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def url(self, name: str) -> str:
        """The address of a database."""
        return f"postgresql://{self.superuser}@127.0.0.1:{self.port}/{name}"


@contextmanager
def running(*, durable: bool = False, superuser: str = "pokerd") -> Iterator[Postgres]:
    """A server until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="pokerd-postgres-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        server = Postgres(folder, durable=durable, superuser=superuser)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    """What a query finds, read without any of our code."""
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(query).fetchall()


def until(url: str, query: str) -> None:
    """Wait until a query finds something."""
    with psycopg.connect(url, autocommit=True) as connection:
        eventually(lambda: connection.execute(query).fetchone())


if __name__ == "__main__":
    with running(durable=True) as postgres:
        found = {**os.environ, "POKERD_DATABASE": postgres.database()}
        code = subprocess.run(sys.argv[1:], env=found, check=False).returncode
    sys.exit(code)
