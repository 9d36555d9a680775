"""What can go wrong in the store, each as one sentence a person can act on."""

from __future__ import annotations


class StoreError(Exception):
    """Every error the store raises on purpose; its text is meant for people."""


class NotFound(StoreError):
    """No such pool, item, session, person or rating."""


class DuplicateName(StoreError):
    """A session of that name exists already."""


class LeaseUnknown(StoreError):
    """The lease was never given out, or was given to somebody else."""


class LeaseExpired(StoreError):
    """The lease no longer gives a right to its draw, and nothing was stored."""


class AlreadyRated(StoreError):
    """The draw has this rater's rating already, and nothing was changed."""


class NotDisputed(StoreError):
    """The draw's ratings agree well enough, and nothing was changed."""


class DatabaseBusy(StoreError):
    """Another process kept the database locked for longer than the store waits."""


class DatabaseFull(StoreError):
    """There is no room to write."""


class DatabaseReadOnly(StoreError):
    """The file, or its folder, may not be written."""


class DatabaseDamaged(StoreError):
    """The file is not a database, or a part of it can't be read."""


class DatabaseUnavailable(StoreError):
    """The file can't be opened or used for another reason."""


class DatabaseAway(DatabaseUnavailable):
    """The database's own server can't be reached, or went away in the middle: the last step may be stored or not."""
