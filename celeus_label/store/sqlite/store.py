"""The store on one SQLite file, for any number of threads and processes at once."""

from __future__ import annotations

from celeus_label.store.access import Access
from celeus_label.store.care import Care
from celeus_label.store.claims import Claims
from celeus_label.store.controls import Controls
from celeus_label.store.people import People
from celeus_label.store.ratings import Ratings
from celeus_label.store.reports import Reports
from celeus_label.store.sessions import Sessions
from celeus_label.store.sqlite.connection import SqliteConnections


class SqliteStore(SqliteConnections, Sessions, Claims, Ratings, Controls, Reports, People, Access, Care):
    """All operations of `protocol.Store`; each concept has its module.

    `SqliteStore(path)` makes the file if there is none, and brings an older one up to date. The object may be
    shared by threads; it keeps one connection a thread.
    """
