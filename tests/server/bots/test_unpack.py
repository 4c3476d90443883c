"""Uploaded archives: what is in them is unpacked, or refused before anything is written."""

from __future__ import annotations

import io
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.bots import unpack as unpacking
from server.bots.unpack import MAX_MEMBERS, MAX_PART, MAX_PATH, UnpackError, unpack

Entries = list[tuple[str, bytes]]
PROGRAM: Entries = [("bot.py", b"print('hello')\n"), ("data/book.json", b"{}"), ("run", b"#!/bin/sh\n")]


def zipped(entries: Entries, *, mode: int = 0o644, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            info.external_attr = mode << 16
            archive.writestr(info, content)
    return out.getvalue()


def tarred(
    entries: Entries,
    how: str = "",
    *,
    form: int = tarfile.PAX_FORMAT,
    change: Callable[[tarfile.TarInfo], object] = lambda _: None,
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{how}", format=form) as archive:  # type: ignore[call-overload]
        for name, content in entries:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            change(info)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def kind(which: bytes, link: str = "") -> Callable[[tarfile.TarInfo], object]:
    """Entries of this type instead of files."""

    def change(info: tarfile.TarInfo) -> None:
        info.type, info.linkname, info.size = which, link, 0

    return change


def refusal(archive: bytes, folder: Path, command: str = "") -> str:
    """The code; nothing was written."""
    with pytest.raises(UnpackError) as refused:
        unpack(archive, folder / "uploads", command)
    assert not (folder / "uploads").exists()
    return refused.value.code


MADE: dict[str, Callable[[Entries], bytes]] = {
    "zip": zipped,
    "stored": lambda entries: zipped(entries, method=zipfile.ZIP_STORED),
    "tar": tarred,
    "tar.gz": lambda entries: tarred(entries, "gz"),
    "tar.bz2": lambda entries: tarred(entries, "bz2"),
    "tar.xz": lambda entries: tarred(entries, "xz"),
    "gnu": lambda entries: tarred(entries, form=tarfile.GNU_FORMAT),
    "executable": lambda entries: zipped(entries, mode=0o6777),
}


@pytest.mark.parametrize("how", MADE)
def test_a_program_is_unpacked_to_a_folder_named_by_its_contents(how: str, tmp_path: Path) -> None:
    folder = unpack(MADE[how](PROGRAM), tmp_path / "a" / "b", "run")
    assert {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    } == dict(PROGRAM)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}
    assert modes.pop(folder.name) == modes["data"] == modes["run"] == 0o755
    assert modes["bot.py"] == modes["book.json"] == 0o644
    assert folder == unpack(zipped(PROGRAM[::-1]), tmp_path / "a" / "b", "run")
    assert folder != unpack(zipped(PROGRAM), tmp_path / "a" / "b")
    assert folder != unpack(zipped([*PROGRAM, ("x", b"")]), tmp_path / "a" / "b", "run")
    assert len(list(folder.parent.iterdir())) == 3


def test_folders_are_no_files_and_archives_inside_stay_files(tmp_path: Path) -> None:
    inner = zipped([("../x", b"")])
    archive = tarred([("./a/inner.zip", inner)])
    folder = unpack(archive, tmp_path)
    assert (folder / "a" / "inner.zip").read_bytes() == inner
    with_folders = io.BytesIO()
    with zipfile.ZipFile(with_folders, "w") as opened:
        opened.writestr("a/", b"")
        opened.writestr("a/inner.zip", inner)
    assert unpack(with_folders.getvalue(), tmp_path) == folder


#: Code and names of an archive that is refused, whatever its format.
NAMES: list[tuple[str, list[str]]] = [
    ("bad_path", ["/etc/passwd"]),
    ("bad_path", ["//x"]),
    ("bad_path", ["../x"]),
    ("bad_path", ["a/../../x"]),
    ("bad_path", ["a/.."]),
    ("bad_path", ["a//b"]),
    ("bad_path", ["a/./b"]),
    ("bad_name", ["..\\x"]),
    ("bad_name", ["C:x"]),
    ("bad_name", ["a\nb"]),
    ("bad_name", ["a\x1b[2Jb"]),
    ("bad_name", ["a\x7f"]),
    ("bad_name", ["a\u202eb"]),
    ("bad_name", ["a\u00a0b"]),
    ("bad_name", ["x" * (MAX_PART + 1)]),
    ("bad_name", ["\u00e9" * (MAX_PART // 2 + 1)]),
    ("bad_name", ["/".join(["xy"] * (MAX_PATH // 3 + 1))]),
    ("duplicate", ["a", "a"]),
    ("duplicate", ["a", "./a"]),
    ("duplicate", ["a", "a/b"]),
    ("duplicate", ["a/b", "a"]),
    ("case_collision", ["a", "A"]),
    ("case_collision", ["a/x", "A/y"]),
    ("case_collision", ["stra\u00dfe", "STRASSE"]),
    ("case_collision", ["\u00e9", "e\u0301"]),
    ("too_many_files", [str(number) for number in range(MAX_MEMBERS + 1)]),
]


@pytest.mark.parametrize(
    ("code", "names"), NAMES, ids=[f"{code}-{number}" for number, (code, _) in enumerate(NAMES)]
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_lead_astray_are_refused(code: str, names: list[str], tmp_path: Path) -> None:
    entries = [(name, b"x") for name in names]
    assert refusal(zipped(entries), tmp_path) == code
    assert refusal(tarred(entries), tmp_path) == code
    assert refusal(tarred(entries, "gz", form=tarfile.GNU_FORMAT), tmp_path) == code


def test_an_archive_without_files_is_refused(tmp_path: Path) -> None:
    assert refusal(zipped([]), tmp_path) == "no_files"
    assert refusal(tarred([("a", b"")], change=kind(tarfile.DIRTYPE)), tmp_path) == "no_files"
    assert refusal(tarred([]), tmp_path) == "bad_archive"


def test_a_name_with_a_nul_is_refused_though_libraries_cut_it(tmp_path: Path) -> None:
    archive = zipped([("bot.pyXhidden", b"")]).replace(b"bot.pyX", b"bot.py\0")
    assert refusal(archive, tmp_path) == "bad_name"


TYPES = {
    "link": (tarfile.SYMTYPE, tarfile.LNKTYPE),
    "special_file": (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE),
}


@pytest.mark.parametrize("code", TYPES)
def test_what_is_no_file_is_refused(code: str, tmp_path: Path) -> None:
    for which in TYPES[code]:
        if which != tarfile.CONTTYPE:
            assert refusal(tarred([("x", b"")], change=kind(which, "/etc/shadow")), tmp_path) == code
    for mode in {"link": (stat.S_IFLNK,), "special_file": (stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK)}[code]:
        assert refusal(zipped([("x", b"/etc/shadow")], mode=mode | 0o777), tmp_path) == code


def test_files_with_holes_are_refused(tmp_path: Path) -> None:
    def hole(info: tarfile.TarInfo) -> None:
        info.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.realsize": str(2**40),
        }

    assert refusal(tarred([("x", b"1\n0\n0\n".ljust(512, b"\0"))], change=hole), tmp_path) == "special_file"


def test_bombs_are_refused_by_what_they_unpack_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_TOTAL", 2**21)
    monkeypatch.setattr(unpacking, "MAX_MEMBERS", 20)
    monkeypatch.setattr(unpacking, "_SMALL", 2**17)
    large = bytes(unpacking.MAX_TOTAL // 8)
    many = [(str(number), large) for number in range(9)]
    for archive in (
        zipped(many),
        tarred(many, "gz"),
        tarred(many, "xz"),
        tarred([("x", bytes(2**23))], "bz2"),
    ):
        assert refusal(archive, tmp_path) == "too_large"
    for archive in (zipped([("x", large)]), tarred([("x", large)], "gz"), tarred([("x", large)], "bz2")):
        assert refusal(archive, tmp_path) == "too_compressed"
    assert refusal(bytes(unpacking.MAX_ARCHIVE + 1), tmp_path) == "too_large"


def test_sizes_are_not_believed(tmp_path: Path) -> None:
    """The same size in both headers of a zip file, too small or too large; a tar entry beyond its end."""
    honest = zipped([("x", b"1234567")])
    for size in (3, 2**31):
        lying = honest.replace(struct.pack("<L", 7), struct.pack("<L", size))
        assert refusal(lying, tmp_path) in ("bad_archive", "too_large")
    assert refusal(tarred([("x", bytes(5000))])[:3000], tmp_path) == "bad_archive"


def test_long_descriptions_of_tar_entries_are_refused(tmp_path: Path) -> None:
    def describe(info: tarfile.TarInfo) -> None:
        info.pax_headers = {"comment": "1" * 10_000}

    assert refusal(tarred([("x", b"")], change=describe), tmp_path) == "bad_archive"


def test_encrypted_files_are_refused(tmp_path: Path) -> None:
    archive = bytearray(zipped(PROGRAM))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        found = archive.find(mark)
        archive[found + place] |= 1
    assert refusal(bytes(archive), tmp_path) == "encrypted"


@pytest.mark.parametrize(
    "archive",
    [
        b"",
        b"PK",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"\x1f\x8b",
        b"BZh9",
        b"\xfd7zXZ\x00",
        b"#!/bin/sh\n" * 100,
        bytes(1024),
    ],
)
def test_what_is_no_archive_is_refused(archive: bytes, tmp_path: Path) -> None:
    assert refusal(archive, tmp_path) == "bad_archive"


def test_a_zip_file_at_the_end_of_a_tar_file_is_not_taken_for_it(tmp_path: Path) -> None:
    folder = unpack(
        tarred([("bot.py", b"x"), ("y.zip", zipped([("z", b"")], method=zipfile.ZIP_STORED))]), tmp_path
    )
    assert sorted(path.name for path in folder.iterdir()) == ["bot.py", "y.zip"]


def test_unusual_compression_is_refused(tmp_path: Path) -> None:
    assert refusal(zipped(PROGRAM, method=zipfile.ZIP_LZMA), tmp_path) == "bad_archive"


def test_the_command_must_be_in_it(tmp_path: Path) -> None:
    for command in ("other", "data", "../run", "/bin/sh"):
        assert refusal(zipped(PROGRAM), tmp_path, command) == "no_command"


#: Names of all kinds: ordinary ones more often.
PARTS = st.one_of(st.sampled_from(["a", "A", "b", "..", ".", "", "bot.py"]), st.text(max_size=6))
ENTRIES = st.lists(
    st.tuples(st.lists(PARTS, min_size=1, max_size=3).map("/".join), st.binary(max_size=30)), max_size=5
)


@given(entries=ENTRIES, how=st.sampled_from(["zip", "tar", "tar.gz", "gnu"]))
@settings(max_examples=200, deadline=None)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_whatever_is_in_it_comes_out_or_nothing_does(
    entries: Entries, how: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        archive = MADE[how](entries)
    except (ValueError, OSError):  # no library writes such a name
        return
    top = tmp_path_factory.mktemp("unpacked")
    try:
        folder = unpack(archive, top / "uploads")
    except UnpackError:
        assert not list(top.iterdir())
        return
    assert list(top.iterdir()) == [folder.parent]
    assert list(folder.parent.iterdir()) == [folder]
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    written = {str(PurePosixPath(name)): content for name, content in entries}
    folders = {str(PurePosixPath(name)) for name, _ in entries if name.endswith("/")}  # some read as files
    assert found.items() <= written.items()
    assert written.keys() - folders <= found.keys()
    assert not any(path.is_symlink() for path in folder.rglob("*"))


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_archives_are_refused_with_a_code(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    archive = bytearray(MADE[data.draw(st.sampled_from(sorted(MADE)))](PROGRAM))
    for _ in range(data.draw(st.integers(1, 8))):
        archive[data.draw(st.integers(0, len(archive) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(archive)))
    top = tmp_path_factory.mktemp("damaged")
    codes: set[str] = set()
    for one in (bytes(archive), bytes(archive[:cut])):
        try:
            folder = unpack(one, top / "uploads")
        except UnpackError as error:
            codes.add(error.code)
        else:
            assert all(path.resolve().is_relative_to(folder) for path in folder.rglob("*"))
    told = set(re.findall(r"``([a-z_]+)``", UnpackError.__doc__ or ""))
    assert codes <= told
