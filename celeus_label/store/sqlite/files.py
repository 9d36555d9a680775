"""The database as a file: a backup while it is in use, and a new one from a backup."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from celeus_label.store.errors import StoreError
from celeus_label.store.sqlite.errors import in_sentences
from celeus_label.store.sqlite.store import SqliteStore


def restore(backup: str | Path, target: str | Path) -> None:
    """Make a new database file from a backup, which is checked and left as it is.

    Raises
    ------
    StoreError
        There is no such backup, it is a database in use or not sound, or the target exists.
    """
    backup, target = Path(backup), Path(target)
    if not backup.is_file():
        raise StoreError(f"there is no backup {backup}")
    log = backup.with_name(backup.name + "-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(
            f"{backup} is a database in use: what is in {log.name} would be lost; make a backup of it first"
        )
    if target.exists():
        raise StoreError(f"{target} exists already, and a database is never overwritten; name a new file")
    part = target.with_name(target.name + ".part")
    try:
        try:
            with in_sentences(part):
                shutil.copyfile(backup, part)
                faults = _checked(part)
        except StoreError as fault:  # of the copy, which nobody knows of
            raise type(fault)(str(fault).replace(str(part), str(backup))) from fault
        if faults:
            raise StoreError(f"{backup} is not sound, and nothing was restored: {faults[0]}")
        os.replace(part, target)
    finally:
        for left in part.parent.glob(part.name + "*"):
            left.unlink()


def _checked(path: Path) -> list[str]:
    """The faults of a file that nobody else has open; its tables are brought up to date on the way."""
    copy = SqliteStore(path)
    try:
        return copy.check()
    finally:
        copy.close()
