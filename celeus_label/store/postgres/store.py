"""The store on one PostgreSQL database, for any number of threads, processes and machines at once."""

from __future__ import annotations

from celeus_label.store.access import Access
from celeus_label.store.care import Care
from celeus_label.store.claims import Claims
from celeus_label.store.controls import Controls
from celeus_label.store.people import People
from celeus_label.store.postgres.connection import PostgresConnections
from celeus_label.store.ratings import Ratings
from celeus_label.store.reports import Reports
from celeus_label.store.sessions import Sessions


class PostgresStore(PostgresConnections, Sessions, Claims, Ratings, Controls, Reports, People, Access, Care):
    """All operations of `protocol.Store`; each concept has its module.

    `PostgresStore("postgresql://user@host/database")` makes the tables if there are none, and brings older ones up
    to date. The object may be shared by threads.
    """
