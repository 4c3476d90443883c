"""What a bot that the server starts may have: its limits, and the part of the machine that it can see.

``docs/security.md`` has the rules. Here it is decided; ``server/bots/launcher.py`` carries it out in the
bot's own process, just before it becomes the bot, and ``server.bots.proc_usage`` looks how much it takes.
"""

from __future__ import annotations

import functools
import os
import resource
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from server.bots.launcher import landlock_version
from server.bots.proc_usage import count_tasks
from server.bots.readable_paths import ReadablePaths
from server.errors import ServerError

__all__ = [
    "INHERITED",
    "SYSTEM",
    "Confinement",
    "Limits",
    "Sandbox",
    "SandboxError",
    "Strictness",
    "allowed_paths",
]

Strictness = Literal["auto", "require", "off"]

ROOT: Final = Path(__file__).resolve().parents[2]
#: What of pokerd a bot may read: its code, and the games. ``pokerd.egg-info`` and the like it need not.
_PACKAGES: Final = ("clients", "dealer", "games", "pokerd", "protocol", "server", "strategy", "studies")

#: What a program needs of the system to run at all. Of ``/etc`` and ``/proc`` no more than is listed: there
#: are keys in the one, and the command lines of others in the other.
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
#: Not ``/dev/zero``: who maps it has memory that is counted for nobody.
_WRITABLE: Final = ("/dev/null", "/dev/full")

#: Of the server's environment a bot gets these, and what begins with ``LC_``.
INHERITED: Final = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
        *("PYTHONASYNCIODEBUG", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONPATH"),
        *("PYTHONUNBUFFERED", "PYTHONUTF8", "PYTHONWARNINGS"),
        *("MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
        *("SSL_CERT_DIR", "SSL_CERT_FILE"),
    }
)

#: Seconds of computing after which a bot that does not end when it is told is killed.
_CPU_SPARE: Final = 5
#: Processes of the server's user beyond those that there are and those that this bot may have: other bots,
#: and what the user does besides.
_USER_SPARE: Final = 4096
#: How much more a process may ask for than it may use: who grows is seen to, and ended with an incident that
#: says why, before the kernel gives him no more; what nobody could see in time the kernel refuses.
_DATA_SPARE: Final = 1.5
_MIB: Final = 1024 * 1024
#: Folders are looked at again after so many seconds, and after so many times the time that a look takes.
_RECHECK_INTERVAL: Final = 1.0
_RECHECK_FACTOR: Final = 100


class SandboxError(ServerError):
    """Bots cannot be confined as it was asked for: ``no_sandbox``."""

    code = "no_sandbox"
    at_fault = "environment"


class Limits(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``[limits]`` of a competition file: what each managed bot may take, and may read and write besides.

    ``memory_mb``, ``cpu_s`` and ``processes`` (threads included) count for a bot with all that it started;
    0 seconds of computing are no limit. ``file_mb`` is the size of any one file, ``files`` those open at once
    in a process, ``disk_mb`` all that it keeps in its own folder.
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
    """All that is decided for one bot. ``read`` is None where nothing is hidden from it; ``lists`` are
    folders whose names it may see.
    """

    limits: Limits
    environment: Mapping[str, str]
    read: tuple[str, ...] | None
    write: tuple[str, ...]
    listable: tuple[str, ...]

    def write_spec(self, folder: Path) -> Path:
        """Write down what the launcher must know, for a bot whose own folder this is. Returns where."""
        spec = {
            "limits": _resource_limits(self.limits),
            "read": self.read,
            "write": (*self.write, str(folder)),
            "list": self.listable,
        }
        file = folder / ".confinement"
        file.write_bytes(msgspec.json.encode(spec))
        return file


def _resource_limits(limits: Limits) -> dict[str, tuple[int, int]]:
    """Limits that the kernel keeps, for each process by itself. ``server.bots.proc_usage`` sees to the
    sums."""
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
    if user:  # the kernel does not count root's
        _, most = resource.getrlimit(resource.RLIMIT_NPROC)
        asked = count_tasks(user) + limits.processes + _USER_SPARE
        least = asked if most == resource.RLIM_INFINITY else min(asked, most)
        found["RLIMIT_NPROC"] = (least, least)
    return found


def allowed_paths(path: Path, secret: Collection[Path]) -> Iterator[Path]:
    """What of ``path`` may be told: itself, or what is in it without what is secret. Links are passed over:
    what they lead to is allowed by itself, or not.
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
    """What the bots of one server may have. ``secret``: what none of them may read; its directory and all in
    it, if it is one. ``strictness`` goes before that of ``Limits``. ``start``: the directory where the server
    was started.
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
        """What to tell where bots see more than they should; empty if they do not. Raises ``SandboxError``
        where that was required.
        """
        asked = {self._strictness or one.sandbox for one in limits}
        if self._version or not asked - {"off"}:
            return ""
        why = "this system has no Landlock (Linux 5.13 or later with it switched on)"
        if "require" in asked:
            raise SandboxError(f"bots cannot be kept from the server's files: {why}")
        return f"bots have limits, but can read the server's files: {why}"

    def for_house_bot(self, limits: Limits) -> Confinement:
        """For a bot of ours: it also keeps what it has compiled."""
        return self._confinement((), limits, trusted=True)

    def for_program(self, command: Sequence[str], limits: Limits) -> Confinement:
        """For somebody else's program."""
        return self._confinement(command, limits, trusted=False)

    def _confinement(self, command: Sequence[str], limits: Limits, *, trusted: bool) -> Confinement:
        """Made anew when folders may have changed, but so seldom that looking costs next to nothing."""
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
        environment = {
            name: value for name, value in os.environ.items() if name in INHERITED or name.startswith("LC_")
        }
        # Of several pokerds that may be installed, bots use the one that plays with them.
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *([before] if before else [])])
        caches, variables = _compile_caches() if trusted else ([], {})
        if (self._strictness or limits.sandbox) == "off" or not self._version:
            return Confinement(limits, {**environment, **variables}, None, (), ())
        tops = list(dict.fromkeys(self._program_paths(command)))
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
            # Python finds modules in a folder by listing it, also where not all in it may be read.
            tuple(str(top) for top, paths in own.items() if paths != [str(top)] and self._may_list(top)),
        )

    def _may_list(self, top: Path) -> bool:
        return top.is_dir() and not self._readable.is_secret(top)

    @functools.cached_property
    def _system(self) -> tuple[str, ...]:
        """What every program needs, with nothing of the place where the server was started."""
        rooms = (ROOT / room for room in _PACKAGES)
        # Libraries may lie elsewhere: in the user's home, or where a ``.pth`` file leads.
        libraries = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
        pythons = map(Path, dict.fromkeys([sys.prefix, sys.base_prefix, sys.exec_prefix, *libraries]))
        system = [
            str(path)
            for one in dict.fromkeys(Path(name).resolve() for name in SYSTEM)
            # It may lie in /opt, say: then it is looked through as anywhere else.
            for path in allowed_paths(
                one, [*self._secret, *([self._start] if one in self._start.parents else [])]
            )
        ]
        return (*system, *self._without_secrets([*rooms, *pythons]))

    def _without_secrets(self, wanted: Iterable[Path]) -> list[str]:
        """These, as they were asked for, without what is secret."""
        return [str(path) for one in wanted for path in allowed_paths(one.resolve(), self._secret)]

    def _program_paths(self, command: Sequence[str]) -> Iterator[Path]:
        """What the program may see of its owner's, without what is private there: where the server was
        started, and the folders of files that the command names; of what is at home these alone.
        """
        home = Path.home().resolve()
        for word in command:
            path = (self._start / word).resolve()
            if os.path.isfile(path):  # noqa: PTH113 (false also for what can be no path: words may be whole programs)
                yield path
                if not home.is_relative_to(path.parent):
                    yield path.parent
        if not home.is_relative_to(self._start):
            yield self._start


def _virtual_environments(command: Sequence[str], start: Path) -> Iterator[Path]:
    """The virtual environments whose programs a command names."""
    for word in command:
        environment = (start / word).parent.parent
        if os.path.isfile(environment / "pyvenv.cfg"):  # noqa: PTH113 (as above)
            yield environment


def _compile_caches() -> tuple[list[Path], dict[str, str]]:
    """Where house bots keep what they have compiled, and variables that say so: beside the source, or where
    that cannot be written to in the user's cache, or where ``NUMBA_CACHE_DIR`` says.
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
