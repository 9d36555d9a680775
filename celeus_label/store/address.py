"""Which database an address names, and the store on it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from celeus_label.store.errors import DatabaseUnavailable, StoreError
from celeus_label.store.moving import move
from celeus_label.store.protocol import Store
from celeus_label.store.sqlite import SqliteStore, files

_POSTGRES = ("postgresql://", "postgres://")
_SQLITE = "sqlite:///"


def file_of(address: str | Path) -> Path | None:
    """The file that an address names; None if it names a PostgreSQL database.

    Raises
    ------
    DatabaseUnavailable
        It names another kind of database.

    >>> file_of("sqlite:////srv/work.db")
    PosixPath('/srv/work.db')
    >>> file_of("work.db")
    PosixPath('work.db')
    >>> file_of("postgresql://db.example.org/ratings") is None
    True
    """
    text = str(address)
    if text.startswith(_POSTGRES):
        return None
    if text.startswith(_SQLITE):
        return Path(unquote(text[len(_SQLITE) :]))
    if "://" in text:
        scheme = text.split("://", 1)[0]
        raise DatabaseUnavailable(
            f"the database's address begins with {scheme}://; it must be a file, sqlite:///FILE, "
            "or postgresql://USER@HOST/DATABASE"
        )
    return Path(address)


def whole_address(address: str | Path) -> str:
    """The address as it is from every folder: a file's absolute path, or PostgreSQL's address as it stands."""
    file = file_of(address)
    return str(address) if file is None else str(file.resolve())


def open_store(address: str | Path) -> Store:
    """The store at an address: a path, `sqlite:///path`, or `postgresql://user@host/database`.

    A new one gets its tables, an older one is brought up to date.

    Raises
    ------
    StoreError
        It can't be opened.
    """
    file = file_of(address)
    if file is not None:
        return SqliteStore(file)
    try:
        from celeus_label.store.postgres import PostgresStore
    except ImportError as missing:
        raise DatabaseUnavailable(
            f"{missing.name} is not installed, which PostgreSQL needs: pip install 'celeus-label[postgres]'"
        ) from missing
    return PostgresStore(str(address))


def restore(backup: str | Path, address: str | Path) -> None:
    """Make a new database from a backup, which is checked and left as it is.

    Raises
    ------
    StoreError
        There is no such backup, it is a database in use or not sound, or the address holds something already.
    """
    file = file_of(address)
    if file is not None:
        files.restore(backup, file)
        return
    with TemporaryDirectory() as folder:
        sound = Path(folder) / "restored.db"
        files.restore(backup, sound)
        copy(sound, address)


def copy(source: str | Path, target: str | Path) -> None:
    """Copy everything from one database to another, which must be empty, as it was at one moment.

    Raises
    ------
    StoreError
        There is no such file to copy, the target holds something already, or one of them can't be used.
    """
    file = file_of(source)
    if file is not None and not file.is_file():
        raise StoreError(f"there is no database {source}, so that nothing was copied")
    old, new = open_store(source), open_store(target)
    try:
        move(old, new)  # type: ignore[arg-type]
    finally:
        old.close()
        new.close()
