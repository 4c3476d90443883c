"""What a bot started by the server may use: its limits, and the part of the machine that it can see.

``docs/security.md`` has the rules. This module decides; ``server/bots/launcher.py`` enforces it in the bot's
own process before it becomes the bot, and ``server.bots.proc_usage`` measures usage.
"""

from __future__ import annotations

import functools
import os
import resource
import stat
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from server.bots.isolation import Bubblewrap, find_bubblewrap, links_among
from server.bots.launcher import landlock_version
from server.bots.proc_usage import count_tasks
from server.bots.readable_paths import ReadablePaths
from server.errors import ServerError

Strictness = Literal["auto", "require", "strict", "off"]

ROOT: Final = Path(__file__).resolve().parents[2]
#: The parts of pokerd that a bot may read: its code and the games.
_PACKAGES: Final = ("clients", "dealer", "games", "pokerd", "protocol", "server", "strategy", "studies")

#: What any program needs of the system. Of ``/etc`` and ``/proc`` only the listed files: the one has keys,
#: the other command lines of other processes.
SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives"),
    *("/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/localtime", "/etc/timezone"),
    *("/etc/os-release", "/etc/mime.types", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates"),
    *("/etc/pki/tls/certs", "/etc/pki/ca-trust", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies"),
    *sorted(map(str, Path("/etc").glob("java*"))),  # Debian's Java does not start without its settings there
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems"),
    *("/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu", "/sys/devices/system/node"),
    *("/dev/random", "/dev/urandom"),
)
#: Not ``/dev/zero``: memory mapped from it is not counted.
_WRITABLE: Final = ("/dev/null", "/dev/full")

#: Variables of the server's environment that bots get, and those that start with ``LC_``.
INHERITED: Final = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONPATH"),
        *("PYTHONUNBUFFERED", "PYTHONUTF8", "PYTHONWARNINGS"),
        *("MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
        *("SSL_CERT_DIR", "SSL_CERT_FILE"),
    }
)

#: Versions of Landlock from which on TCP connections can be refused, and of Linux from which on it counts the
#: processes of each user namespace apart.
_LANDLOCK_TCP: Final = 4
_COUNTED_APART: Final = (5, 14)
#: Maximum number of files and folders in a bot's folder; more would take too long to search.
MAX_FILES: Final = 10_000
#: CPU seconds above the limit after which a bot is killed by the kernel.
_CPU_SPARE: Final = 5
#: Processes of the server's user in addition to the existing ones and this bot's: other bots, and the user's
#: own.
_USER_SPARE: Final = 4096
#: Processes that an isolated bot can start above its limit, before it is noticed.
_ISOLATED_SPARE: Final = 32
#: How much more the kernel allows than the limit: normally a bot is noticed in between, and stopped with an
#: incident.
_DATA_SPARE: Final = 1.5
_MIB: Final = 1024 * 1024
#: Folders are searched again after so many seconds, and so many times the duration of a search.
_RECHECK_INTERVAL: Final = 1.0
_RECHECK_FACTOR: Final = 100


_NO_LANDLOCK: Final = "this system has no Landlock (Linux 5.13 or later with it switched on)"


class SandboxError(ServerError):
    """Bots cannot be confined as required: ``no_sandbox``."""

    code = "no_sandbox"
    at_fault = "environment"


class Limits(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``[limits]`` of a competition file: the resources of each managed bot, and additional paths to read and
    write.

    ``memory_mb``, ``cpu_s`` and ``processes`` (threads included) count for a bot and all that it started; 0
    seconds are no limit. ``file_mb`` is the maximum size of a file, ``files`` of open files per process,
    ``disk_mb`` of its own folder.
    """

    memory_mb: Annotated[int, Meta(ge=64, le=2**20)] = 4096
    cpu_s: Annotated[int, Meta(ge=0, le=2**30)] = 0
    processes: Annotated[int, Meta(ge=1, le=2**15)] = 256
    files: Annotated[int, Meta(ge=32, le=2**20)] = 1024
    file_mb: Annotated[int, Meta(ge=1, le=2**20)] = 256
    disk_mb: Annotated[int, Meta(ge=1, le=2**20)] = 1024
    read: list[str] = []
    write: list[str] = []
    sandbox: Strictness = "auto"


class Confinement(NamedTuple):
    """The decisions for one bot. ``read`` is None if nothing is hidden; ``listable`` are folders that it
    may list; ``start`` the directory in which it starts. ``isolated``: in namespaces of its own.
    ``seat_only``: it may connect to the server alone, as far as that can be enforced.
    """

    limits: Limits
    environment: Mapping[str, str]
    read: tuple[str, ...] | None
    write: tuple[str, ...]
    listable: tuple[str, ...]
    start: str | None = None
    isolated: Bubblewrap | None = None
    seat_only: bool = False

    def launch(self, folder: Path, port: int) -> tuple[Path, list[str]]:
        """Write the launcher's file for a bot with this folder, whose server has this port. Return its path,
        and the words that come before the launcher's.
        """
        limits, tool = self.limits, self.isolated
        landlock = landlock_version()
        isolated = tool and {
            "folder": str(folder),
            "megabytes": limits.disk_mb,
            "entries": MAX_FILES,
            "user": tool.next_user(),
            "port": port,
        }
        spec = {
            "limits": _resource_limits(limits, isolated=tool is not None),
            "read": self.read if landlock else None,
            "write": (*self.write, str(folder)),
            "list": self.listable,
            "port": port if self.seat_only and landlock >= _LANDLOCK_TCP else None,
            "isolated": isolated,
        }
        file = folder / ".confinement"
        file.write_bytes(msgspec.json.encode(spec))
        if tool is None:
            return file, []
        links = list(links_among(SYSTEM))
        return file, tool.command(self.read or (), links, self.write, str(folder), self.start or "/")


def _resource_limits(limits: Limits, *, isolated: bool = False) -> dict[str, tuple[int, int]]:
    """Return limits enforced by the kernel per process. ``server.bots.proc_usage`` measures the sums."""
    data, size = int(limits.memory_mb * _MIB * _DATA_SPARE), limits.file_mb * _MIB
    found = {
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_DATA": (data, data),
        "RLIMIT_FSIZE": (size, size),
        "RLIMIT_NOFILE": (limits.files, limits.files),
    }
    if limits.cpu_s:
        found["RLIMIT_CPU"] = (limits.cpu_s, limits.cpu_s + _CPU_SPARE)
    user = os.geteuid()
    if isolated and _kernel() >= _COUNTED_APART:  # its user is its own, or counted in its namespace
        found["RLIMIT_NPROC"] = (limits.processes + _ISOLATED_SPARE,) * 2
    elif user:  # the kernel does not count root's
        _, most = resource.getrlimit(resource.RLIMIT_NPROC)
        needed = count_tasks(user) + limits.processes + _USER_SPARE
        least = needed if most == resource.RLIM_INFINITY else min(needed, most)
        found["RLIMIT_NPROC"] = (least, least)
    return found


def _kernel() -> tuple[int, ...]:
    """Return the first two parts of the kernel's version."""
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in os.uname().release.split(".")[:2])


def allowed_paths(path: Path, secret: Collection[Path]) -> Iterator[Path]:
    """Return the parts of ``path`` without what is secret. Links are skipped: their targets are allowed by
    themselves, or not.
    """
    if any(path.is_relative_to(one) for one in secret):
        return
    inside = [one for one in secret if one.is_relative_to(path)]
    if not inside:
        yield path
        return
    try:
        entries = sorted(path.iterdir())
    except OSError:
        return
    for entry in entries:
        if not entry.is_symlink():
            yield from allowed_paths(entry, inside)


class Sandbox:
    """The permissions of a server's bots. ``secret``: what no bot may read, with everything below.
    ``strictness`` overrides that of ``Limits``. ``start``: the directory where the server was started.
    """

    def __init__(
        self, secret: Iterable[Path] = (), *, strictness: Strictness | None = None, start: Path | None = None
    ) -> None:
        self._start = (start or Path.cwd()).resolve()
        self._secret = tuple(path.absolute().resolve() for path in secret)
        self._strictness = strictness
        self._version = landlock_version()
        self._readable = ReadablePaths(self._secret, self._start)
        self._cache: dict[tuple[str, ...], Confinement] = {}
        self._checked_at = 0.0
        self._fresh_for = 0.0

    def explain_missing(self, limits: Iterable[Limits]) -> str:
        """Return a warning if bots can see more than they should, or "". Raises ``SandboxError`` if full
        confinement is required.
        """
        levels = {self._strictness or one.sandbox for one in limits}
        if "strict" in levels:
            self._isolation()
        if self._version or not levels - {"off", "strict"}:
            return ""
        if "require" in levels:
            raise SandboxError(f"bots cannot be kept from the server's files: {_NO_LANDLOCK}")
        return f"bots have limits, but can read the server's files: {_NO_LANDLOCK}"

    def describe(self, limits: Iterable[Limits]) -> str:
        """Return what confines such bots: ``bubblewrap``, ``Landlock``, ``nothing``; or several of these."""
        levels = {self._strictness or one.sandbox for one in limits}
        weaker = "Landlock" if self._version else "nothing"
        found = {
            "bubblewrap" if level == "strict" else "nothing" if level == "off" else weaker for level in levels
        }
        return ", ".join(sorted(found))

    def describe_uploads(self) -> str:
        """Return what confines strangers' programs, as ``describe``. Raises ``SandboxError``."""
        strict = (self._strictness or "strict") == "strict"
        if strict:
            self._isolation()
        return self.describe([Limits(sandbox="strict" if strict else "auto")])

    def for_house_bot(self, limits: Limits) -> Confinement:
        """Return the confinement of a house bot, which may also store what it compiles."""
        return self._confinement((), limits, trusted=True)

    def for_program(self, command: Sequence[str], limits: Limits) -> Confinement:
        """Return the confinement of any other program. Raises ``SandboxError``."""
        return self._confinement(command, limits, trusted=False)

    def for_upload(self, folder: Path, command: Sequence[str], limits: Limits) -> Confinement:
        """Return the confinement of a stranger's program, which is started in its ``folder``, and sees
        nothing else. Unless this sandbox was made with a ``strictness``, it is isolated; with a weaker one it
        may connect to any machine that listens on the server's port. Raises ``SandboxError``.
        """
        level = self._strictness or "strict"
        tool = self._isolation() if level == "strict" else None
        read: tuple[str, ...] | None = None
        if tool is not None or (level != "off" and self._version):
            own = self._without_secrets([folder])
            read = (*self._system, *self._without_secrets([self._start / one for one in limits.read]), *own)
        elif level == "require":
            raise SandboxError(f"bots cannot be kept from the server's files: {_NO_LANDLOCK}")
        write = (*_WRITABLE, *self._without_secrets([self._start / path for path in limits.write]))
        seat_only = read is not None and tool is None
        start = str(folder.resolve())
        return Confinement(limits, _environment(), read, write, (str(ROOT),), start, tool, seat_only)

    def _isolation(self) -> Bubblewrap:
        """Return what isolates bots. Raises ``SandboxError``."""
        tool, why = find_bubblewrap()
        if tool is None:
            raise SandboxError(f"bots cannot be kept from the network: {why}")
        return tool

    def _confinement(self, command: Sequence[str], limits: Limits, *, trusted: bool) -> Confinement:
        """Recomputed when folders may have changed, but rarely enough that searching costs almost nothing."""
        began = time.monotonic()
        if began >= self._checked_at + self._fresh_for:
            self._cache.clear()
            self._checked_at, self._fresh_for = began, _RECHECK_INTERVAL
        key = (*command, str(trusted), repr(limits))
        if key not in self._cache:
            self._cache[key] = self._build(command, limits, trusted=trusted)
            self._fresh_for = max(self._fresh_for, _RECHECK_FACTOR * (time.monotonic() - began))
        return self._cache[key]

    def _build(self, command: Sequence[str], limits: Limits, *, trusted: bool) -> Confinement:
        environment = _environment()
        caches, variables = _compile_caches() if trusted else ([], {})
        level = self._strictness or limits.sandbox
        tool = self._isolation() if level == "strict" and not trusted else None
        if level == "off" or not (self._version or tool):
            return Confinement(limits, {**environment, **variables}, None, (), ())
        tops = list(dict.fromkeys(self._program_paths(command, alone=tool is not None)))
        own = {top: self._readable.paths_in(top) for top in tops}
        mine = [self._start / path for path in limits.write]
        return Confinement(
            limits,
            {**environment, **variables},
            tuple(
                dict.fromkeys(
                    [
                        *self._system,
                        *self._without_secrets([*_virtual_environments(command, self._start)]),
                        *(path for paths in own.values() for path in paths),
                        *self._without_secrets([self._start / path for path in limits.read]),
                    ]
                )
            ),
            (*_WRITABLE, *self._without_secrets([*mine, *caches])),
            # Python lists a folder to find modules, even if not all of it may be read.
            (
                *(str(top) for top, paths in own.items() if paths != [str(top)] and self._may_list(top)),
                *([str(ROOT)] if tool else []),
            ),
            tool and str(self._start),
            tool,
        )

    def _may_list(self, top: Path) -> bool:
        return top.is_dir() and not self._readable.is_secret(top)

    @functools.cached_property
    def _system(self) -> tuple[str, ...]:
        """Return what every program needs, without the working directory of the server."""
        rooms = (ROOT / room for room in _PACKAGES)
        # Libraries may be elsewhere: in the user's home, or where a ``.pth`` file points.
        libraries = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
        pythons = map(Path, dict.fromkeys([sys.prefix, sys.base_prefix, sys.exec_prefix, *libraries]))
        system = [
            str(path)
            for one in dict.fromkeys(Path(name).resolve() for name in SYSTEM)
            # If pokerd is elsewhere, say in /opt, its folder is searched like any other.
            for path in allowed_paths(
                one, [*self._secret, *([self._start] if one in self._start.parents else [])]
            )
        ]
        return (*system, *self._without_secrets([*rooms, *pythons]))

    def _without_secrets(self, wanted: Iterable[Path]) -> list[str]:
        """Return these paths without what is secret."""
        return [str(path) for one in wanted for path in allowed_paths(one.resolve(), self._secret)]

    def _program_paths(self, command: Sequence[str], *, alone: bool) -> Iterator[Path]:
        """Return what a program may see of its owner's files, without what is private: the working directory
        of the server, and the folders of files in the command; of the home directory, and if ``alone``, only
        these, and of folders that are closed to others the file alone.
        """
        home = Path.home().resolve()
        kept = (home, self._start) if alone else (home,)
        for word in command:
            path = (self._start / word).resolve()
            if os.path.isfile(path):  # noqa: PTH113 (false also for what can be no path: words may be whole programs)
                yield path
                private = alone and not path.parent.stat().st_mode & stat.S_IXOTH
                if not private and not any(one.is_relative_to(path.parent) for one in kept):
                    yield path.parent
        if not alone and not home.is_relative_to(self._start):
            yield self._start


def _environment() -> dict[str, str]:
    """Return the variables that bots get from the server's."""
    found = {name: value for name, value in os.environ.items() if name in INHERITED or name.startswith("LC_")}
    # If several pokerds are installed, bots use the one that starts them.
    before = found.get("PYTHONPATH")
    found["PYTHONPATH"] = os.pathsep.join([str(ROOT), *([before] if before else [])])
    return found


def _virtual_environments(command: Sequence[str], start: Path) -> Iterator[Path]:
    """Return the virtual environments whose programs a command names."""
    for word in command:
        environment = (start / word).parent.parent
        if os.path.isfile(environment / "pyvenv.cfg"):  # noqa: PTH113 (as above)
            yield environment


def _compile_caches() -> tuple[list[Path], dict[str, str]]:
    """Return the folders for compiled functions of house bots, with the variables that name them: beside the
    source, or if that is not writable in the user's cache, or in ``NUMBA_CACHE_DIR``.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given)], {"NUMBA_CACHE_DIR": given}
    source = ROOT / "strategy"
    if os.access(source, os.W_OK):
        folders = [Path(top) / "__pycache__" for top, _, names in os.walk(source) if _has_code(top, names)]
        for folder in folders:
            folder.mkdir(exist_ok=True)
        return folders, {}
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cache = base / "numba"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        return [], {}
    return [cache], {"XDG_CACHE_HOME": str(base)}


def _has_code(folder: str, names: Collection[str]) -> bool:
    return any(name.endswith(".py") for name in names) and not folder.endswith("__pycache__")
