"""The ledger's database: sessions, draws, leases, ratings, people. Knows nothing of statistics."""

from __future__ import annotations

from celeus_label.store.errors import (
    AlreadyRated,
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseReadOnly,
    DatabaseUnavailable,
    DuplicateName,
    LeaseExpired,
    LeaseUnknown,
    NotFound,
    StoreError,
)
from celeus_label.store.protocol import Store
from celeus_label.store.rows import (
    REASONS,
    ROLES,
    Claim,
    Held,
    InviteRow,
    ItemRow,
    NextDraw,
    Nothing,
    PersonRow,
    PoolRow,
    QueueCounts,
    RaterStats,
    RatingRow,
    Saved,
    SessionRow,
)
from celeus_label.store.sqlite import SqliteStore

__all__ = [
    "REASONS",
    "ROLES",
    "AlreadyRated",
    "Claim",
    "DatabaseBusy",
    "DatabaseDamaged",
    "DatabaseFull",
    "DatabaseReadOnly",
    "DatabaseUnavailable",
    "DuplicateName",
    "Held",
    "InviteRow",
    "ItemRow",
    "LeaseExpired",
    "LeaseUnknown",
    "NextDraw",
    "NotFound",
    "Nothing",
    "PersonRow",
    "PoolRow",
    "QueueCounts",
    "RaterStats",
    "RatingRow",
    "Saved",
    "SessionRow",
    "SqliteStore",
    "Store",
    "StoreError",
]
