"""A sound copy of a database in one file, while others go on writing to it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from celeus_label.store.errors import StoreError
from celeus_label.store.sqlite.errors import in_sentences


def copy_to(source: sqlite3.Connection, target: Path) -> None:
    """Copy the database of a connection as it is at this moment; `target` appears when it is whole.

    Raises
    ------
    StoreError
        The target exists, can't be written, or the copy does not pass SQLite's integrity check.
    """
    if target.exists():
        raise StoreError(f"{target} exists already; name a file that does not")
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        with in_sentences(part):
            copy = sqlite3.connect(str(part), isolation_level=None)
            try:
                # All pages at once read one snapshot; by parts, a write elsewhere would start it anew.
                source.backup(copy, pages=-1)
                # A single file, with no -wal and -shm beside it.
                copy.execute("PRAGMA journal_mode = DELETE")
                verdict = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
            finally:
                copy.close()
        if verdict != "ok":
            raise StoreError(
                f"the copy in {part.name} fails the integrity check: {verdict}; check the database"
            )
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
