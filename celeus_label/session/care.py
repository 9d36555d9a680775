"""Looking after the database: backup, restore, and a check of everything that can be checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from celeus_label.certify import Design, replay
from celeus_label.session.base import Base
from celeus_label.session.live import gold_hash, read_pool
from celeus_label.session.types import Identity
from celeus_label.store import SessionRow, StoreError
from celeus_label.store import copy as copy_rows
from celeus_label.store import restore as restore_rows

# Settings of the store that the design froze.
_FROZEN = ("ratings_per_item", "unratable_after", "disagreement")


@dataclass(frozen=True)
class Copied:
    """A session as it is in both databases: events, the last one's hash, and what they replay to."""

    name: str
    events: int
    hash: str
    found: str


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
        The backup is missing, in use or not sound, or `db` holds something already: a database is never overwritten.
    """
    restore_rows(backup, db)


def copy(source: str | Path, target: str | Path) -> list[Copied]:
    """Copy a database into an empty one, of whichever kind, and replay every session from both.

    Raises
    ------
    StoreError
        The target holds something already, or what came out of it is not what went in.
    """
    copy_rows(source, target)
    old, new = Care(source), Care(target)
    try:
        faults = new.store.check()
        if faults:
            raise StoreError(f"the copy in {new.store.name} is not sound: {faults[0]}")
        return [_same(row, old, new) for row in new.store.sessions()]
    finally:
        old.store.close()
        new.store.close()


def _same(row: SessionRow, old: Care, new: Care) -> Copied:
    """Replay a session from both, as far as the copy goes: people may have gone on in the original."""
    copied = new.store.events(row.id)
    found = []
    for store, events in ((old.store, old.store.events(row.id)[: len(copied)]), (new.store, copied)):
        design = Design.from_dict(events[0].body["design"])
        certifier = replay(read_pool(store, row.pool), design, events)
        found.append((events[-1].hash, certifier.interval))
    if found[0] != found[1]:
        raise StoreError(
            f"session {row.name!r} replays to {found[1]} from the copy, and to {found[0]} before"
        )
    digest, interval = found[1]
    told = f"{interval.ratings:,} ratings, [{interval.lower:.6g}, {interval.upper:.6g}]"
    return Copied(row.name, len(copied), digest, told)
