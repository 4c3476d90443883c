"""Starts a bot: drops the privileges that a bot must not have, and becomes the bot.

python -I -S launcher.py REPORT FILE COMMAND ...

FILE, which is removed, has a JSON object: ``limits``, soft and hard values of resource limits by name;
``read``, ``write`` and ``list``, paths for Landlock (``null``: not used); ``port``, the only one to connect
to (``null``: any); ``isolated``, what is left to do in namespaces of its own (``server.bots.isolation``), or
``null``. It starts when it gets a byte from the socket REPORT, where errors are reported as ``ERRNO TEXT``;
closing it without a report means that the command runs. An isolated launcher first sends a message with the
socket at which the bot will look for the server, because it listens in a network of its own.

With REPORT -1 it reports nothing, waits for nothing and writes errors to standard error.

It is run by its path, and a bot waits for it; so it imports none of our modules, and no more than necessary.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

# System calls of Landlock (linux/landlock.h); the numbers are the same on every architecture.
_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1

_EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_DIR: Final = 1 << 3
_TRUNCATE: Final = 1 << 14
_IOCTL: Final = 1 << 15
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_READING: Final = _EXECUTE | _READ_FILE | _READ_DIR
#: Number of rights in each version of Landlock; later ones have no more for files.
_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_RIGHTS: Final = 16
#: From version 4 on: binding and connecting TCP sockets.
_BIND: Final = 1 << 0
_CONNECT: Final = 1 << 1
_PORT: Final = 2
#: From version 6 on: no signals and no abstract sockets to processes outside.
_SCOPES: Final = 0b11
#: Size of ``struct landlock_ruleset_attr`` by version.
_SIZES: Final = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}
_WHOLE: Final = 24

_PR_CAPBSET_DROP: Final = 24
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_CAP_AMBIENT: Final = 47
_PR_CAP_AMBIENT_CLEAR_ALL: Final = 4
_CAPABILITIES: Final = 64
#: Version 3 of ``struct __user_cap_header_struct`` (linux/capability.h), for this process.
_CAPABILITY_VERSION: Final = 0x20080522
#: Descriptors that a process can have, if no limit says so.
_MOST_DESCRIPTORS: Final = 1 << 20
#: Mount flags (linux/mount.h): no set-user-ID programs, no devices.
_MS_NOSUID: Final = 2
_MS_NODEV: Final = 4

# What Landlock does not cover: system calls that reach other processes of the user, or leave something
# behind.
_PR_SET_SECCOMP: Final = 22
_SECCOMP_FILTER: Final = 2
#: The machine's identifier in a filter (AUDIT_ARCH).
_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
#: Refused, with a number per machine, 0 if there is no such call: shared memory that nobody is charged for;
#: keys; io_uring, which would bypass the rest; priorities; modes, owners, times and attributes of files;
#: other processes' memory; namespaces and mounts; what only the owner of a machine needs.
_REFUSED_CALLS: Final = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "chmod": (90, 0),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, 0),
    "fchown": (93, 55),
    "lchown": (94, 0),
    "fchownat": (260, 54),
    "utime": (132, 0),
    "utimes": (235, 0),
    "futimesat": (261, 0),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "vhangup": (153, 58),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "swapon": (167, 224),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
}
#: No new namespaces (CLONE_NEW... in the first argument). A filter cannot see the flags of clone3: programs
#: are told that there is none, and use clone.
_CLONE: Final = (56, 220)
_CLONE3: Final = 435
_NAMESPACES: Final = 0x7E020000
#: Nothing may be typed for another program (TIOCSTI, TIOCLINUX).
_IOCTL_CALL: Final = (16, 29)
_TYPING: Final = (0x5412, 0x541C)
#: Refused unless the first argument, a process, is 0: itself.
_SELF_ONLY_CALLS: Final = {
    "prlimit64": (302, 261),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
}
#: Allowed address families (AF_INET, AF_INET6, AF_NETLINK: for host names). AF_UNIX would reach the user's
#: services on this machine; others, parts of the kernel that no bot needs.
_SOCKET: Final = (41, 198)
_FAMILIES: Final = (2, 10, 16)
#: Socket pairs are allowed, for child processes, but not those that could be redirected (SOCK_DGRAM).
_SOCKETPAIR: Final = (53, 199)
_TYPE_MASK, _STREAM, _DATAGRAM = 0xF, 1, 2
#: No anonymous shared memory (MAP_SHARED with MAP_ANONYMOUS): a process keeps what it unmaps, and nobody can
#: measure that. In a file of its own folder it is visible.
_MMAP: Final = (9, 222)
_MAP_MASK, _MAP_SHARED_ANONYMOUS = 0x2F, 0x21
#: Instructions and answers of the kernel's packet filter (linux/bpf_common.h, linux/seccomp.h).
_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ERROR: Final = 0x00050000
_ALLOW, _REFUSE, _NO_FAMILY = 0x7FFF0000, _ERROR | errno.EPERM, _ERROR | errno.EAFNOSUPPORT
_NO_CALL: Final = _ERROR | errno.ENOSYS
#: Offsets of the number of the call, the machine, and the lower halves of the arguments.
_NUMBER, _MACHINE, _FIRST, _SECOND, _FOURTH = 0, 4, 16, 24, 40


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _PortAttr(ctypes.Structure):
    _fields_ = (("access", ctypes.c_uint64), ("port", ctypes.c_uint64))


class _BpfInstruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("yes", ctypes.c_uint8),
        ("no", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class _BpfProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("code", ctypes.POINTER(_BpfInstruction)))


_libc: Final = ctypes.CDLL(None, use_errno=True)


def _syscall(*arguments: Any) -> int:
    """Make a system call. Raises ``OSError``."""
    result = int(_libc.syscall(*map(_syscall_argument, arguments)))
    _check(result < 0)
    return result


def _syscall_argument(argument: Any) -> Any:
    return ctypes.c_long(argument) if isinstance(argument, int) else argument


def landlock_version() -> int:
    """Return the version of Landlock that the kernel has enabled; 0: none."""
    if sys.platform != "linux":
        return 0
    try:
        return _syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    except OSError:
        return 0


class _Landlock:
    """A set of rules; after ``enforce``, nothing else can be opened. ``net``: the rights of TCP that rules
    must grant.
    """

    def __init__(self, net: int = 0) -> None:
        version = landlock_version()
        self._rights = (1 << _RIGHTS.get(version, _ALL_RIGHTS)) - 1
        attributes = _RulesetAttr(self._rights, net, _SCOPES)
        size = _SIZES.get(version, _WHOLE)
        self._fd = _syscall(_CREATE_RULESET, ctypes.byref(attributes), size, 0)

    def allow(self, path: str, rights: int) -> None:
        """Allow ``rights`` for a path and what is below. Missing and inaccessible paths are skipped."""
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            if not stat.S_ISDIR(os.fstat(place).st_mode):
                rights &= _OF_FILES
            rule = _PathAttr(rights & self._rights, place)
            _syscall(_ADD_RULE, self._fd, _PATH_BENEATH, ctypes.byref(rule), 0)
        finally:
            os.close(place)

    def allow_connecting(self, port: int) -> None:
        """Allow to connect to a TCP port, of any machine."""
        rule = _PortAttr(_CONNECT, port)
        _syscall(_ADD_RULE, self._fd, _PORT, ctypes.byref(rule), 0)

    def enforce(self) -> None:
        """Enforce the rules for this process and all that it starts."""
        _syscall(_RESTRICT_SELF, self._fd, 0)
        os.close(self._fd)


def _set_resource_limits(limits: Mapping[str, Sequence[int]]) -> None:
    """Set resource limits, never above our own."""
    for name, (soft, hard) in limits.items():
        kind = getattr(resource, name)
        _, most = resource.getrlimit(kind)
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)  # noqa: PLW2901
        resource.setrlimit(kind, (soft, hard))


def _drop_privileges(user: int | None = None) -> None:
    """Drop all privileges, also for programs started later, and become ``user``."""
    for capability in range(_CAPABILITIES):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):  # no privileges, or no such capability
            break
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    _check(_libc.capset((ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()))
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _check(result: int) -> None:
    """Raise ``OSError`` if a call of the C library failed."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _isolate(folder: str, megabytes: int, entries: int, user: int | None, port: int) -> int:
    """Finish what bubblewrap began: mount an empty ``folder`` in memory that holds so much, of ``user``.
    Return a socket that listens on ``port`` of our own network.
    """
    import socket  # others need not wait for it

    owner = "" if user is None else f",uid={user},gid={user}"
    options = f"size={megabytes}m,nr_inodes={entries},mode=0700{owner}".encode()
    _check(_libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", _MS_NOSUID | _MS_NODEV, options))
    return socket.create_server(("127.0.0.1", port)).detach()


def _send_socket(report: int, descriptor: int) -> None:
    """Send a socket to the server, and close it."""
    import socket

    with socket.socket(fileno=os.dup(report)) as wire:
        socket.send_fds(wire, [b"\n"], [descriptor])
    os.close(descriptor)


def _confine(read: Iterable[str], write: Iterable[str], lists: Iterable[str], port: int | None) -> None:
    landlock = _Landlock(0 if port is None else _BIND | _CONNECT)
    if port is not None:
        landlock.allow_connecting(port)
    for path in read:
        landlock.allow(path, _READING)
    for path in lists:
        landlock.allow(path, _READ_DIR)
    for path in write:
        landlock.allow(path, (1 << _ALL_RIGHTS) - 1)
    landlock.enforce()


def _install_seccomp_filter(*, streams_only: bool, pinned: bool) -> None:
    """Refuse the calls above, permanently; on other machines, none. ``streams_only``: and sockets that are no
    streams; ``pinned``: and any change of processor. Call ``_drop_privileges`` before. Raises ``OSError``.
    """
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        return
    which = list(_ARCHITECTURES).index(machine)
    refuse, allow = (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)
    # Programs of another architecture have other numbers, and get no calls; nor does x32.
    lines = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, _ARCHITECTURES[machine]), refuse, (_LOAD, 0, 0, _NUMBER)]
    lines += [(_AT_LEAST, 0, 1, 1 << 30), refuse]
    for call in filter(None, (numbers[which] for numbers in _REFUSED_CALLS.values())):
        lines += [(_EQUAL, 0, 1, call), refuse]
    if pinned:
        lines += [(_EQUAL, 0, 1, _SELF_ONLY_CALLS["sched_setaffinity"][which]), refuse]
    lines += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _NO_CALL)]
    lines += [
        (_EQUAL, 0, 4, _CLONE[which]),
        (_LOAD, 0, 0, _FIRST),
        (_ANY_OF, 0, 1, _NAMESPACES),
        refuse,
        allow,
    ]
    lines += [(_EQUAL, 0, 5, _IOCTL_CALL[which]), (_LOAD, 0, 0, _SECOND)]
    lines += [(_EQUAL, 1, 0, _TYPING[0]), (_EQUAL, 0, 1, _TYPING[1]), refuse, allow]
    for call in (numbers[which] for numbers in _SELF_ONLY_CALLS.values()):
        lines += [(_EQUAL, 0, 4, call), (_LOAD, 0, 0, _FIRST), (_EQUAL, 0, 1, 0), allow, refuse]
    lines += [(_EQUAL, 0, 5, _MMAP[which]), (_LOAD, 0, 0, _FOURTH), (_AND, 0, 0, _MAP_MASK)]
    lines += [(_EQUAL, 0, 1, _MAP_SHARED_ANONYMOUS), refuse, allow]
    checks = [(_LOAD, 0, 0, _SECOND), (_AND, 0, 0, _TYPE_MASK), (_EQUAL, 1, 0, _STREAM), refuse]
    checks = [*(checks if streams_only else []), allow]
    families = _FAMILIES[:2] if streams_only else _FAMILIES
    lines += [(_EQUAL, 0, len(families) + 2 + len(checks), _SOCKET[which]), (_LOAD, 0, 0, _FIRST)]
    lines += [
        (_EQUAL, left, 0, family) for left, family in zip(range(len(families), 0, -1), families, strict=True)
    ]
    lines += [(_RETURN, 0, 0, _NO_FAMILY), *checks]
    lines += [(_EQUAL, 0, 4, _SOCKETPAIR[which]), (_LOAD, 0, 0, _SECOND)]
    lines += [(_AND, 0, 0, _TYPE_MASK), (_EQUAL, 0, 1, _DATAGRAM), refuse, allow]
    program = _BpfProgram(
        len(lines), (_BpfInstruction * len(lines))(*(_BpfInstruction(*line) for line in lines))
    )
    _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, ctypes.byref(program), 0, 0))


def launch(confinement: Mapping[str, Any], command: list[str]) -> NoReturn:
    """Become ``command``. Raises ``OSError``."""
    # Python ignores these signals, and child processes would inherit that.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    port, isolated = confinement["port"], confinement["isolated"]
    _drop_privileges(isolated and isolated["user"])
    if confinement["read"] is not None:
        _confine(confinement["read"], confinement["write"], confinement["list"], port)
    _set_resource_limits(confinement["limits"])
    if isolated or confinement["read"] is not None:
        _install_seccomp_filter(streams_only=port is not None, pinned=isolated is not None)
    try:
        os.execvp(command[0], command)  # noqa: S606 (that is what it is for)
    except OSError as error:
        raise OSError(error.errno, f"{command[0]}: {error.strerror}") from None


def _close_descriptors(report: int) -> None:
    """Close what the server left open for its child processes: event loops leave more than they should."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    end = _MOST_DESCRIPTORS if most == resource.RLIM_INFINITY else most
    os.closerange(3, max(report, 3))
    os.closerange(max(report + 1, 3), end)
    if report >= 0:
        os.set_inheritable(report, False)


def _main() -> int:
    report, path = int(sys.argv[1]), sys.argv[2]
    _close_descriptors(report)
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 (pathlib would cost a third of the start)
            confinement = json.load(file)
        os.unlink(path)  # noqa: PTH108
        listening = _isolate(**confinement["isolated"]) if confinement["isolated"] else -1
        if report >= 0:
            if listening >= 0:
                _send_socket(report, listening)
            if not os.read(report, 1):
                return 127  # the server is gone
        launch(confinement, sys.argv[3:])
    except OSError as error:
        os.write(2 if report < 0 else report, f"{error.errno} {error.strerror}".encode())
    return 127


if __name__ == "__main__":
    sys.exit(_main())
