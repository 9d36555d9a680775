"""Looking after the database: backup, restore, and a check of everything that can be checked."""

from __future__ import annotations

from pathlib import Path

from celeus_label.certify import Design, replay
from celeus_label.session.base import Base
from celeus_label.session.live import gold_hash, read_pool
from celeus_label.session.types import Identity
from celeus_label.store import SessionRow, StoreError
from celeus_label.store import restore as restore_file

# Settings of the store that the design froze.
_FROZEN = ("ratings_per_item", "unratable_after", "disagreement")


class Care(Base):
    """What whoever keeps the server does."""

    def backup(self, who: Identity, path: str | Path) -> None:
        """Copy the database into a new file while people go on rating; see `restore`.

        Raises
        ------
        StoreError
            The file exists, can't be written, or the copy is not sound.
        """
        self._check(who, "admin", None)
        self.store.backup(path)

    def doctor(self, who: Identity) -> list[str]:
        """Every fault of the database, a sentence each; none if all is well.

        The file's own integrity, references between rows, the items of each pool, the hash chain of each ledger, the
        queue against the ledger; and each session replayed from its ledger: draws, fits, rules, interval.
        """
        self._check(who, "admin", None)
        faults = self.store.check()
        try:
            for row in self.store.sessions():
                faults += [f"session {row.name!r}: {fault}" for fault in self._session_faults(row)]
        except StoreError as fault:
            faults.append(str(fault))
        return faults

    def _session_faults(self, row: SessionRow) -> list[str]:
        events = self.store.events(row.id)
        try:
            body = events[0].body
            design, pool = Design.from_dict(body["design"]), read_pool(self.store, row.pool)
            if pool.hash != body["pool_hash"]:
                return [
                    "its items are not those of the pool that it was frozen on, so that nothing can be replayed"
                ]
            faults = [
                f"{name} is {row.settings[name]!r}, but the design froze {getattr(design, name)!r}"
                for name in _FROZEN
                if row.settings[name] != getattr(design, name)
            ]
            frozen = body.get("controls")
            gold = row.settings["gold_pool"]
            items = () if gold is None else self.store.pool_items(gold)
            if frozen is not None and frozen["gold_hash"] != gold_hash(items):
                faults.append("its gold items are not those that were frozen")
            replay(pool, design, events)
        except (ValueError, KeyError, IndexError, TypeError, ArithmeticError) as fault:
            return [f"it can't be replayed: {fault}"]
        return faults


def restore(backup: str | Path, db: str | Path) -> None:
    """Make a new database from a backup, which is checked first and stays as it is.

    Raises
    ------
    StoreError
        The backup is missing, in use or not sound, or `db` exists: a database is never overwritten.
    """
    restore_file(backup, db)
