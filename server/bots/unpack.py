"""Uploaded programs: a zip or tar file becomes a folder named by its contents.

Everything is checked before anything is written: the archive is read into memory, within limits that hold for
what is really in it, whatever it says. Archives in an archive stay files.
"""

from __future__ import annotations

import bz2
import hashlib
import io
import lzma
import os
import shutil
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Final, NamedTuple, Protocol, Self

from server.errors import ServerError

#: Bytes of an archive, and of what is in it.
MAX_ARCHIVE: Final = 16 << 20
MAX_TOTAL: Final = 64 << 20
#: Files and folders in it.
MAX_MEMBERS: Final = 2_000
#: Bytes of content for a byte of the archive; small archives may have more.
MAX_RATIO: Final = 100
_SMALL: Final = 1 << 20
#: Bytes of a path in UTF-8, and of a part of it.
MAX_PATH: Final = 240
MAX_PART: Final = 120

#: How zip files begin, with files and without; and compressed ones, with what unpacks them.
_ZIP_MARKS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_COMPRESSED: Final[tuple[tuple[bytes, Callable[[], _Decompressor]], ...]] = (
    (b"\x1f\x8b", lambda: zlib.decompressobj(zlib.MAX_WBITS | 16)),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\x00", lambda: lzma.LZMADecompressor(memlimit=_MEMORY)),
)
#: A tar file has this in its first header.
_TAR_MARK, _TAR_PLACE = b"ustar", 257
#: Bytes that a tar file adds for each member: headers, long names, blocks.
_TAR_OVERHEAD: Final = 4096
#: Types of a tar file's entries that only describe the next one.
_TAR_EXTENSIONS: Final = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
#: Bytes of memory for unpacking xz.
_MEMORY: Final = 128 << 20
#: Characters with a meaning elsewhere: separators of Windows, drives, patterns.
_FORBIDDEN: Final = frozenset('\\:*?"<>|')
_DAMAGED: Final = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError, UnicodeError, OverflowError, KeyError, IndexError),
)


class UnpackError(ServerError):
    """An archive is refused: ``bad_archive`` (no zip or tar file, or damaged), ``encrypted``, ``too_large``,
    ``too_many_files``, ``too_compressed``, ``bad_path`` (absolute, or leads outside), ``bad_name`` (control
    characters, or too long), ``link``, ``special_file`` (a device, a pipe, or with holes), ``duplicate``,
    ``case_collision``, ``no_files``, ``no_command`` (the file to start is not in it).
    """


class _Decompressor(Protocol):
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Header(tarfile.TarInfo):
    """An entry of a tar file; reading descriptions of any length would take any time."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        found = super().frombuf(buf, encoding, errors)
        if found.type in _TAR_EXTENSIONS and found.size > _TAR_OVERHEAD:
            raise UnpackError("bad_archive", "an entry's description is too long")
        return found


class _Member(NamedTuple):
    """A file; or, without ``size``, a folder."""

    path: str
    size: int | None
    read: IO[bytes] | None = None


def unpack(archive: bytes, target: Path, command: str = "") -> Path:
    """Unpack a zip file, or a tar file that may be compressed with gzip, bzip2 or xz, into a new folder in
    ``target``, whose name is the SHA-256 of its contents in hexadecimal. ``command`` is the path of the file
    in it that may be executed. Return the folder, which may have been there before. Raises ``UnpackError``
    before anything is written.
    """
    return store_files(read_archive(archive), target, command)


def read_archive(archive: bytes) -> dict[str, bytes]:
    """Return the files in an archive, by path. Raises ``UnpackError``."""
    if len(archive) > MAX_ARCHIVE:
        raise UnpackError("too_large", f"the archive has more than {MAX_ARCHIVE} bytes")
    try:
        files = _collect((_zip_members if archive.startswith(_ZIP_MARKS) else _tar_members)(archive))
    except UnpackError:
        raise
    except _DAMAGED as error:
        raise UnpackError("bad_archive", f"no zip or tar file, or a damaged one: {error}") from None
    total = sum(map(len, files.values()))
    if total > _SMALL and total > MAX_RATIO * len(archive):
        raise UnpackError("too_compressed", f"the archive unpacks to {total // len(archive)} times its size")
    if not files:
        raise UnpackError("no_files", "there is no file in the archive")
    return files


def _collect(members: Iterable[_Member]) -> dict[str, bytes]:
    """Return the content of files, by path."""
    files: dict[str, bytes] = {}
    folders: set[str] = set()
    spellings: dict[str, str] = {}
    left = MAX_TOTAL
    for number, member in enumerate(members):
        if number == MAX_MEMBERS:
            raise UnpackError("too_many_files", f"more than {MAX_MEMBERS} files and folders")
        path = _checked_path(member.path, folder=member.size is None)
        above = ["/".join(path.split("/")[:count]) for count in range(1, path.count("/") + 1)]
        if path in files or any(folder in files for folder in above):
            raise UnpackError("duplicate", f"two entries for {path!r}")
        for one in (*above, path):
            if spellings.setdefault(unicodedata.normalize("NFKC", one).casefold(), one) != one:
                raise UnpackError("case_collision", f"{one!r} has a name like another entry's")
        folders.update(above)
        if member.size is None:
            folders.add(path)
            continue
        if path in folders:
            raise UnpackError("duplicate", f"two entries for {path!r}")
        if member.size > left:
            raise UnpackError("too_large", f"more than {MAX_TOTAL} bytes when unpacked")
        assert member.read is not None
        with member.read as content:
            files[path] = content.read(left + 1)
        left -= len(files[path])
        if left < 0:
            raise UnpackError("too_large", f"more than {MAX_TOTAL} bytes when unpacked")
        if len(files[path]) != member.size:
            raise UnpackError("bad_archive", f"{path!r} is cut")
    return files


def _checked_path(path: str, *, folder: bool) -> str:
    """Return the path of an entry as it is used. Raises ``UnpackError``."""
    for character in path:
        kind = unicodedata.category(character)
        if character in _FORBIDDEN or (kind[0] in "CZ" and character != " "):
            raise UnpackError("bad_name", f"{path!r} has the character {character!r}")
    parts = (path.removesuffix("/") if folder else path).split("/")
    while parts[:1] == ["."]:  # as tar writes them
        parts = parts[1:]
    if path.startswith("/") or not parts or not {"", ".", ".."}.isdisjoint(parts):
        raise UnpackError("bad_path", f"{path!r} is not a path inside of a folder")
    size = max((len(part.encode()) for part in parts), default=0)
    if len(path.encode()) > MAX_PATH or size > MAX_PART:
        raise UnpackError("bad_name", f"{path[:MAX_PART]!r}... is too long")
    return "/".join(parts)


def _zip_members(archive: bytes) -> Iterator[_Member]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for info in opened.infolist():
            # Not ``filename``, which ends at the first NUL.
            path = info.orig_filename
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.flag_bits & 1:
                raise UnpackError("encrypted", f"{path!r} is encrypted")
            if kind == stat.S_IFLNK:
                raise UnpackError("link", f"{path!r} is a link")
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise UnpackError("special_file", f"{path!r} is no file")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise UnpackError("bad_archive", f"{path!r} is compressed in an unusual way")
            if info.is_dir():
                yield _Member(path, None)
            else:
                yield _Member(path, info.file_size, opened.open(info))


def _tar_members(archive: bytes) -> Iterator[_Member]:
    plain = archive
    for beginning, decompressor in _COMPRESSED:
        if archive.startswith(beginning):
            most = MAX_TOTAL + MAX_MEMBERS * _TAR_OVERHEAD
            plain = decompressor().decompress(archive, most + 1)
            if len(plain) > most:
                raise UnpackError("too_large", f"more than {most} bytes when unpacked")
    if not plain.startswith(_TAR_MARK, _TAR_PLACE):
        raise UnpackError("bad_archive", "this is no zip or tar file")
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:", tarinfo=_Header) as opened:
        for info in opened:
            if info.issym() or info.islnk():
                raise UnpackError("link", f"{info.name!r} is a link")
            if info.isdir():
                if info.name != ".":  # the folder that was packed
                    yield _Member(info.name, None)
                continue
            if not info.isfile() or info.issparse():
                raise UnpackError("special_file", f"{info.name!r} is no file, or has holes")
            yield _Member(info.name, info.size, opened.extractfile(info))


def hash_of_files(files: Mapping[str, bytes], command: str = "") -> str:
    """Return the SHA-256 of files by path, in hexadecimal; ``command`` is the one that may be executed."""
    digest = hashlib.sha256()
    for path, content in sorted(files.items()):
        digest.update(f"{path}\0{int(path == command)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def store_files(files: Mapping[str, bytes], target: Path, command: str = "") -> Path:
    """Write files to a folder that appears at once, as ``unpack`` does, and return it. Raises ``UnpackError``
    (``no_command``).
    """
    if command and command not in files:
        raise UnpackError("no_command", f"there is no file {command!r} in the archive")
    folder = target / hash_of_files(files, command)
    if folder.is_dir():
        return folder
    target.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=target))
    try:
        for path, content in files.items():
            file = temporary / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o755 if path == command else 0o644)
        for top, _, _ in os.walk(temporary):
            Path(top).chmod(0o755)
        try:
            temporary.rename(folder)
        except OSError:
            if not folder.is_dir():  # otherwise another upload of the same contents was quicker
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder
