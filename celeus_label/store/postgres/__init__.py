"""The store on one PostgreSQL database, for several servers at once."""

from __future__ import annotations

from celeus_label.store.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
