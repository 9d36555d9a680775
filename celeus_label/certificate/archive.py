"""The bundle's zip file: written the same way every time, read as if a stranger had made it.

Nothing is ever unpacked to the disk. What is read has one of a few known names, and a limited size.
"""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

CERTIFICATE = "certificate.csv"
DESIGN = "design.json"
LEDGER = "ledger.jsonl"
POOL = "pool.csv"
RATINGS = "ratings.csv"
TRAJECTORY = "trajectory.csv"
TEXTS = "texts.csv"
RATERS = "raters.csv"
ASPECTS = "aspects.csv"

REQUIRED = (DESIGN, LEDGER, POOL, RATINGS, TRAJECTORY, CERTIFICATE)
#: The first where the design has further aspects, the others where the one who exports asks for them.
OPTIONAL = (ASPECTS, TEXTS, RATERS)

MAX_MEMBER_BYTES = 512 * 1024**2
#: Of those that are read whole.
MAX_BYTES = {DESIGN: 16 * 1024**2, CERTIFICATE: 1024**2}
MAX_TOTAL_BYTES = 1024**3
#: A larger member may not unfold to more than `MAX_RATIO` times its size in the file.
RATIO_FROM_BYTES = 8 * 1024**2
MAX_RATIO = 500
#: One line of a member, and one row of a table, characters.
MAX_LINE = 64 * 1024**2
MAX_EVENTS = 2_000_000
MAX_ITEMS = 2_000_000
MAX_COLUMNS = 2_000
_MAX_DIRECTORY_BYTES = 64 * 1024

# A member's own header: magic, version, flags, method, date, checksum, sizes, lengths of name and extra field.
_LOCAL = struct.Struct("<4s2xHH4xIIIHH")
_DATE = (1980, 1, 1, 0, 0, 0)
_BLOCK = 256 * 1024
# What zipfile raises on damaged or hostile bytes.
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    IndexError,
    OverflowError,
)


class Unreadable(Exception):
    """The file is no bundle, is damaged, or is not safe to read; the sentence says which."""


class BundleWriter:
    """Write a bundle next to its place and move it there when it is whole.

    The same members give the same bytes: no time, no user and no system of the writer is in them.
    """

    def __init__(self, path: Path) -> None:
        self.digests: dict[str, str] = {}
        self._path = path
        self._part = path.with_name(path.name + ".part")

    def __enter__(self) -> BundleWriter:
        if self._path.is_dir():
            raise OSError(f"{self._path} is a folder; name the file to write in it")
        try:
            self._zip = zipfile.ZipFile(self._part, "w", zipfile.ZIP_DEFLATED)
        except OSError as fault:
            raise OSError(
                f"{self._path} can't be written ({fault.strerror}); choose another place"
            ) from fault
        return self

    def write(self, name: str, lines: Iterable[str]) -> None:
        """Add a member, line by line; its SHA-256 is in `digests` afterwards.

        Raises
        ------
        ValueError
            The member is larger than `verify` would read, or has a character that UTF-8 can't hold.
        """
        info = zipfile.ZipInfo(name, _DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = 3
        info.external_attr = 0o644 << 16
        digest = hashlib.sha256()
        size, most = 0, MAX_BYTES.get(name, MAX_MEMBER_BYTES)
        with self._zip.open(info, "w") as member:
            for block in _blocks(lines):
                size += len(block)
                if size > most:
                    raise ValueError(
                        f"{name} would be larger than {most // 1024**2} MB, the most it may have"
                    )
                digest.update(block)
                member.write(block)
        if _too_dense(info):
            raise ValueError(
                f"{name} repeats itself so much that its compressed form would be refused as a zip bomb; "
                f"export without it"
            )
        self.digests[name] = digest.hexdigest()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._zip.close()
            if kind is None:
                os.replace(self._part, self._path)
        finally:
            self._part.unlink(missing_ok=True)


class BundleReader:
    """A bundle whose members were all read once, within limits, when this is made.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    digests : dict of str to str
        The SHA-256 of each member.

    Raises
    ------
    Unreadable
    """

    def __init__(self, path: Path) -> None:
        try:
            _check_tail(path)
            self._zip = zipfile.ZipFile(path)
        except Unreadable:
            raise
        except _FAULTS as fault:
            raise Unreadable(f"{path.name} can't be opened as a zip file: {fault}") from fault
        try:
            _check_members(path.stat().st_size, self._zip.infolist())
            _check_layout(path, self._zip)
            self.digests = {info.filename: self._digest(info) for info in self._zip.infolist()}
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> BundleReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def _digest(self, info: zipfile.ZipInfo) -> str:
        digest = hashlib.sha256()
        try:
            with self._zip.open(info) as member:
                # zipfile gives no more than the size that was checked, and checks the CRC at the end
                while block := member.read(_BLOCK):
                    digest.update(block)
        except _FAULTS as fault:
            raise Unreadable(f"{info.filename} is damaged: {fault}") from fault
        return digest.hexdigest()

    def lines(self, name: str) -> Iterator[str]:
        """The member's lines with their ends.

        Raises
        ------
        ValueError
            It is not UTF-8, or a line is longer than a bundle's may be.
        """
        with io.TextIOWrapper(self._zip.open(name), encoding="utf-8", newline="\n") as member:
            number = 0
            while line := member.readline(MAX_LINE):
                number += 1
                if len(line) == MAX_LINE:
                    raise ValueError(f"line {number}: longer than {MAX_LINE // 1024**2} million characters")
                yield line


def _blocks(lines: Iterable[str]) -> Iterator[bytes]:
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= _BLOCK:
            yield "".join(held).encode("utf-8")
            held, size = [], 0
    yield "".join(held).encode("utf-8")


def _check_tail(path: Path) -> None:
    """Look at the end of the file before zipfile reads a directory of any length into memory."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 42))
        tail = file.read()
    end = tail[-22:]
    if len(end) < 22 or end[:4] != b"PK\x05\x06" or end[-2:] != b"\0\0":
        raise Unreadable(f"{path.name} is not a zip file as an export writes it")
    if tail[:4] == b"PK\x06\x07" and len(tail) == 42:
        raise Unreadable(f"{path.name} is a zip file in the large format, which no bundle needs")
    (directory,) = struct.unpack("<I", end[12:16])
    if directory > _MAX_DIRECTORY_BYTES:
        raise Unreadable(f"{path.name} has a directory of {directory:,} bytes, which no bundle needs")


def _check_members(file_bytes: int, members: list[zipfile.ZipInfo]) -> None:
    seen = set()
    for info in members:
        name = info.orig_filename
        if name not in (*REQUIRED, *OPTIONAL):
            raise Unreadable(f"the zip file holds {name[:100]!r}, which is no part of a bundle")
        if name in seen:
            raise Unreadable(f"the zip file holds {name} twice")
        seen.add(name)
        if info.flag_bits & 0x1:
            raise Unreadable(f"{name} is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Unreadable(f"{name} is compressed by a method that no bundle uses")
        most = MAX_BYTES.get(name, MAX_MEMBER_BYTES)
        if info.file_size > most:
            raise Unreadable(
                f"{name} unfolds to {info.file_size:,} bytes, more than the {most:,} it may have"
            )
        if _too_dense(info):
            raise Unreadable(
                f"{name} unfolds to more than {MAX_RATIO} times its size in the file, like a zip bomb"
            )
    missing = [name for name in REQUIRED if name not in seen]
    if missing:
        raise Unreadable(f"the zip file is no bundle: {missing[0]} is missing")
    total = sum(info.file_size for info in members)
    if total > MAX_TOTAL_BYTES:
        raise Unreadable(
            f"the bundle unfolds to {total:,} bytes, more than the {MAX_TOTAL_BYTES:,} it may have"
        )
    if sum(info.compress_size for info in members) > file_bytes:
        raise Unreadable("members of the zip file lie on top of each other, like a zip bomb")


def _check_layout(path: Path, bundle: zipfile.ZipFile) -> None:
    """Nothing lies before, between or after the members.

    A program that reads a zip file from its beginning would show such bytes as members that were never verified.
    """
    place = 0
    with path.open("rb") as file:
        for info in sorted(bundle.infolist(), key=lambda one: one.header_offset):
            file.seek(place)
            head = file.read(_LOCAL.size).ljust(_LOCAL.size, b"\0")
            magic, flags, method, crc, packed, size, name, extra = _LOCAL.unpack(head)
            later = bool(flags & 0x8)  # checksum and sizes then follow the data, as some programs write them
            said = (info.CRC, info.compress_size, info.file_size)
            if (info.header_offset, magic, method) != (place, b"PK\x03\x04", info.compress_type) or not (
                later or (crc, packed, size) == said
            ):
                raise Unreadable(f"the zip file is not what its directory says, at {info.filename}")
            place += _LOCAL.size + name + extra + info.compress_size
            if later:
                file.seek(place)
                place += 16 if file.read(4) == b"PK\x07\x08" else 12
    if place != bundle.start_dir:
        raise Unreadable("the zip file holds bytes that belong to none of its members")


def _too_dense(info: zipfile.ZipInfo) -> bool:
    return info.file_size > RATIO_FROM_BYTES and info.file_size > MAX_RATIO * info.compress_size
