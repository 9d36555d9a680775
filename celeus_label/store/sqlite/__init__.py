"""The store on one SQLite file."""

from __future__ import annotations

from celeus_label.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
