"""Programs of strangers who want to do harm; each is started in its own folder, beside a bot that plays.

``FACTS`` tells them what no stranger knows: processes, ports and paths outside. What is attempted prints
``HARM`` if it works and ``refused`` if not. If the sandbox failed, this machine would survive them: what is
not theirs is opened and not changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from server.telemetry.incidents import Incident

PRELUDE = """
import ctypes, errno, json, os, resource, signal, socket, subprocess, sys, threading, time
FACTS = json.loads(os.environ["POKERD_PARAMETERS"])
HOME = os.environ["HOME"]
libc = ctypes.CDLL(None, use_errno=True)
def attempt(what, *words):
    try:
        result = what(*words)
    except BaseException as error:
        print("refused:", type(error).__name__, error, flush=True)
    else:
        print("HARM:", what, words, result, flush=True)
def call(name, *words):
    if getattr(libc, name)(*words) < 0:
        raise OSError(ctypes.get_errno(), name)
def system(number, *words):
    if libc.syscall(number, *words) < 0:
        raise OSError(ctypes.get_errno(), str(number))
def read(path):
    with open(path, "rb") as file:
        return file.read(100)
def write(path, size=1):
    with open(path, "ab") as file:
        file.write(bytes(size))
def open_to_write(path):
    open(path, "ab").close()
def seat():
    return socket.create_connection(("127.0.0.1", FACTS["port"]), 5)
OTHERS = FACTS["server"], FACTS["victim"]
"""

#: The end of programs that stay: until they are ended.
STAY = "\nprint('done', flush=True)\nwhile True: time.sleep(60)\n"


class Hostile(NamedTuple):
    """A program. ``ends``: the limit for which it is stopped; None: it stays, or ends by itself.
    ``attempts``: whether it attempts what is refused.
    """

    code: str
    ends: Incident | None = None
    attempts: bool = True


def _bomb(code: str, ends: Incident | None = None) -> Hostile:
    return Hostile(code, ends, attempts=False)


HOSTILE: dict[str, Hostile] = {
    # What they take.
    "fork_bomb": _bomb("while True:\n  try: os.fork()\n  except OSError: pass", Incident.PROCESS_LIMIT),
    "thread_bomb": _bomb(
        "def more(): time.sleep(60)\n"
        "threading.stack_size(2**16)\n"
        "while True:\n"
        "  try: threading.Thread(target=more, daemon=True).start()\n"
        "  except RuntimeError: time.sleep(0.01)",
        Incident.PROCESS_LIMIT,
    ),
    "memory_bomb": _bomb(
        "for _ in range(3): os.fork()\nkept = []\nwhile True:\n  try: kept.append(b'x' * 2**20)\n"
        "  except MemoryError: time.sleep(0.01)",
        Incident.MEMORY_LIMIT,
    ),
    "disk_in_its_folder": Hostile(
        "attempt(lambda: [write(f'{HOME}/{number}', 2**20) for number in range(20)])"
    ),
    "disk_elsewhere": Hostile(
        "for place in (*FACTS['places'], '.'):\n  attempt(write, place + '/' + FACTS['mark'], 2**20)"
    ),
    "huge_file": Hostile(
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "open(HOME + '/x', 'w').close()\n"
        "attempt(os.truncate, HOME + '/x', 2**40)\n"
        "attempt(lambda: [write(HOME + '/x', 2**20) for _ in range(9)])"
    ),
    "inode_flood": Hostile(
        "attempt(lambda: [os.mkdir(f'{HOME}/{number}') for number in range(20_000)])\n"
        "attempt(lambda: [open(f'{HOME}/f{number}', 'w').close() for number in range(20_000)])"
    ),
    "output_flood": _bomb("while True: sys.stdout.write('x' * 100_000 + '\\n')"),
    "endless_line": _bomb("while True: os.write(2, b'x' * 65536)"),
    "processor": Hostile(
        "attempt(os.sched_setaffinity, 0, range(64))\n"
        "attempt(os.setpriority, os.PRIO_PROCESS, 0, -20)\n"
        "attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))\n"
        "children = [os.fork() for _ in range(4)]\n"
        "if 0 in children: os.setsid()\n"
        "print('done', flush=True)\n"
        "while True: pass"
    ),
    "shared_memory": Hostile(
        "import mmap\n"
        "attempt(lambda: os.memfd_create('x'))\n"
        "attempt(lambda: mmap.mmap(-1, 4096))\n"
        "attempt(call, 'shmget', 7, 4096, 0o1600)\n"
        "attempt(call, 'msgget', 7, 0o1600)\n"
        "attempt(call, 'semget', 7, 1, 0o1600)"
    ),
    # Files.
    "symbolic_link": Hostile(
        "for path in FACTS['secrets']:\n"
        "  os.symlink(path, HOME + '/' + path.replace('/', '-'))\n"
        "  attempt(read, HOME + '/' + path.replace('/', '-'))\n"
        "  attempt(open_to_write, HOME + '/' + path.replace('/', '-'))\n"
        "os.symlink(FACTS['data'], HOME + '/all')"
    ),
    "hard_link": Hostile(
        "for path in (*FACTS['secrets'], sys.executable, '/etc/passwd'):\n"
        "  attempt(os.link, path, HOME + '/x')\n"
        "  attempt(os.rename, path, path)"
    ),
    "secrets": Hostile(
        "for path in (*FACTS['secrets'], '/etc/shadow', '/etc/hostname', '/home', '/var/log'):\n"
        "  attempt(read, path)\n"
        "  attempt(os.listdir, path)"
    ),
    "another_bot": Hostile(
        "for place in (FACTS['uploads'] + '/victim', FACTS['victim_home']):\n"
        "  attempt(os.listdir, place)\n"
        "attempt(lambda: [name for name in os.listdir(FACTS['uploads']) if name != 'hostile'][0])\n"
        "attempt(read, FACTS['uploads'] + '/victim/bot.py')"
    ),
    "writing": Hostile(
        "for path in (*FACTS['secrets'], FACTS['uploads'] + '/victim/bot.py', 'bot.py', 'more.py',\n"
        "             FACTS['data'] + '/new', FACTS['victim_home'] + '/x', '/etc/passwd', sys.executable):\n"
        "  attempt(open_to_write, path)\n"
        "attempt(os.unlink, 'bot.py')\n"
        "attempt(os.chmod, 'bot.py', 0o4777)\n"
        "attempt(os.utime, 'bot.py')"
    ),
    # Processes.
    "trace": Hostile(
        "for number in (*OTHERS, 1):\n"
        "  attempt(call, 'ptrace', 16, number, None, None)\n"
        "  attempt(call, 'process_vm_readv', number, None, 0, None, 0, 0)\n"
        "  attempt(read, f'/proc/{number}/mem')"
    ),
    "kill": Hostile(
        "for number in OTHERS:\n"
        "  attempt(os.kill, number, signal.SIGKILL)\n"
        "  attempt(os.killpg, number, signal.SIGKILL)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "try: os.kill(0, signal.SIGTERM)\n"  # bubblewrap may be of its group: then it ends, and all with it
        "except OSError: pass"
    ),
    "parent": Hostile(
        "for number in signal.valid_signals() - {signal.SIGKILL}:\n"
        "  try: os.kill(os.getppid(), number)\n"
        "  except OSError: pass\n"
        "attempt(os.kill, FACTS['server'], 0)\n"
        "attempt(resource.prlimit, FACTS['server'], resource.RLIMIT_CPU, (0, 0))"
    ),
    "proc": Hostile(
        "for number in (*OTHERS, 1, 'self'):\n"
        "  for name in ('environ', 'cmdline', 'maps', 'root', 'cwd', 'fd'):\n"
        "    attempt(read, f'/proc/{number}/{name}')\n"
        "attempt(lambda: [name for name in os.listdir('/proc') if name.isdigit()][0])\n"
        "attempt(open_to_write, '/proc/sysrq-trigger')\n"
        "attempt(open_to_write, '/proc/sys/kernel/core_pattern')"
    ),
    "environment": Hostile(
        "attempt(lambda: os.environ['PASSWORD_OF_THE_SERVER'])\n"
        "attempt(lambda: [text for text in os.environ.values() if 'hidden' in text][0])"
    ),
    "daemon": _bomb(
        "if os.fork() == 0:\n"
        "  os.setsid()\n"
        "  if os.fork() == 0:\n"
        "    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "      signal.signal(number, signal.SIG_IGN)\n"
        "    os.execve('/bin/sleep', ['sleep', FACTS['mark']], {})\n"
        "  os._exit(0)\n"
        "print('done', flush=True)\n"
    ),
    "deaf": _bomb(
        "for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "  signal.signal(number, signal.SIG_IGN)\n"
        "for _ in range(3): os.fork()" + STAY
    ),
    "sleeper": _bomb("kept = seat()" + STAY),
    "inherited": Hostile(
        "for number in range(3, 1024): attempt(os.fstat, number)\n"
        "attempt(os.read, 1, 1)\n"  # its own log can be written alone
        "attempt(lambda: os.read(0, 1)[0])"
    ),
    "core_dump": Hostile(
        "attempt(resource.setrlimit, resource.RLIMIT_CORE, (2**30, 2**30))\n"
        "attempt(read, HOME + '/core')\n"
        "os.abort()"
    ),
    # Network.
    "abstract_socket": Hostile(
        "def knock(): socket.socket(socket.AF_UNIX).connect(FACTS['abstract'])\n"
        "def throw(): socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'gotcha', FACTS['abstract'])\n"
        "attempt(knock)\nattempt(throw)"
    ),
    "named_socket": Hostile(
        "def knock(): socket.socket(socket.AF_UNIX).connect(FACTS['named'])\n"
        "def pair(): socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "attempt(knock)\nattempt(pair)"
    ),
    "loopback": Hostile(
        "for host in ('127.0.0.1', 'localhost', '127.0.0.2', '0.0.0.0'):\n"
        "  attempt(socket.create_connection, (host, FACTS['database']), 1)"
    ),
    "internet": Hostile(
        "for host in (*FACTS['addresses'], '192.0.2.1', '2001:db8::1', '169.254.169.254'):\n"
        "  attempt(socket.create_connection, (host, FACTS['database']), 1)"
    ),
    "names": Hostile(
        "socket.setdefaulttimeout(1)\n"
        "attempt(socket.getaddrinfo, 'example.org', 80)\n"
        "for host in (*FACTS['addresses'], '192.0.2.1'):\n"
        "  attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', (host, 53)))\n"
        "wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "wire.sendto(b'gotcha', ('127.0.0.1', FACTS['udp']))"  # to nobody: its network has nobody else
    ),
    "raw_socket": Hostile(
        "for family, kind in ((2, 3), (10, 3), (17, 3), (16, 3), (38, 5), (40, 1), (44, 3)):\n"
        "  attempt(lambda: socket.socket(family, kind).bind(('127.0.0.1', 0)))"
    ),
    "listener": _bomb("other = socket.create_server(('0.0.0.0', FACTS['free']))" + STAY),
    # The machine.
    "set_user": Hostile(
        "attempt(os.setuid, 0) if os.getuid() else attempt(os.setuid, 1)\n"
        "attempt(os.setgroups, [0])\n"
        "attempt(lambda: subprocess.run(['su', '-c', 'true'], check=True, stdin=subprocess.DEVNULL))\n"
        "attempt(lambda: subprocess.run(['mount', '--bind', '/usr', HOME], check=True))\n"
        "attempt(os.chmod, HOME, 0o4777)"
    ),
    "namespaces": Hostile(
        "attempt(call, 'mount', b'none', HOME.encode(), b'tmpfs', 0, None)\n"
        "attempt(call, 'umount2', HOME.encode(), 2)\n"
        "attempt(call, 'unshare', 0x10000000)\n"
        "attempt(call, 'unshare', 0x00020000)\n"
        "attempt(call, 'setns', 0, 0)\n"
        "attempt(call, 'chroot', HOME.encode())\n"
        "attempt(system, 56 if os.uname().machine == 'x86_64' else 220, 0x10000000 | 17, 0, 0, 0, 0)\n"
        "attempt(system, 435, None, 0)"
    ),
    "devices": Hostile(
        "for name in ('mem', 'kmem', 'kmsg', 'port', 'vda', 'sda', 'tty', 'ptmx', 'fuse', 'kvm', 'zero'):\n"
        "  attempt(read, '/dev/' + name)\n"
        "attempt(os.mknod, HOME + '/x', 0o60666, os.makedev(8, 0))"
    ),
    "terminal": Hostile(
        "import fcntl\n"
        "for number in (0, 1, 2): attempt(fcntl.ioctl, number, 0x5412, b'x')\n"
        "attempt(os.open, '/dev/tty', os.O_RDWR)\n"
        "attempt(os.openpty)"
    ),
    "kernel": Hostile(
        "attempt(time.clock_settime, time.CLOCK_REALTIME, time.time())\n"
        "attempt(socket.sethostname, 'x')\n"
        "attempt(call, 'reboot', 0)\n"
        "attempt(call, 'perf_event_open', 0) if hasattr(libc, 'perf_event_open') else None\n"
        "attempt(call, 'init_module', None, 0, None)\n"
        "attempt(call, 'klogctl', 2, None, 0)\n"
        "attempt(call, 'acct', None)"
    ),
    # Its seat.
    "huge_frames": _bomb(
        "wire = seat()\nprint('done', flush=True)\nwhile True: wire.sendall(b'\\x82\\xff' + b'\\x7f' * 2**20)"
    ),
    "many_seats": _bomb(
        "kept = []\n"
        "while len(kept) < 60:\n"
        "  try: kept.append(seat())\n"
        "  except OSError: time.sleep(0.01)" + STAY
    ),
    "knocking": _bomb(
        "print('done', flush=True)\nwhile True:\n  try: seat().close()\n  except OSError: time.sleep(0.01)"
    ),
}

#: Programs that only attempt what is refused, and leave nothing that another would notice: those of one group
#: run one after the other in one process. What is inherited is looked at before anything is opened.
_TOGETHER: dict[str, tuple[str, ...]] = {
    "files": (
        *("disk_elsewhere", "symbolic_link", "hard_link", "secrets", "another_bot", "writing", "environment"),
    ),
    "machine": (
        *("inherited", "shared_memory", "trace", "proc", "set_user", "namespaces", "devices", "terminal"),
        "kernel",
    ),
    "network": ("abstract_socket", "named_socket", "loopback", "internet", "names", "raw_socket"),
}
#: What is started at once, by name: a group, or a program alone.
STARTS: dict[str, tuple[str, ...]] = {
    **_TOGETHER,
    **{name: (name,) for name in HOSTILE if not any(name in group for group in _TOGETHER.values())},
}


def code_of(names: Sequence[str]) -> str:
    """The program that runs these one after the other, and says which it is at."""
    parts = [f"print({_line(name)!r}, flush=True)\n{HOSTILE[name].code}" for name in names]
    return "\n".join([PRELUDE, *parts, "print('done', flush=True)", ""])


def said_by(name: str, text: str) -> str:
    """What one of them said, of all that was said."""
    _, begun, rest = text.partition(_line(name))
    return begun and rest.partition("\n== ")[0]


def _line(name: str) -> str:
    return f"== {name} =="
