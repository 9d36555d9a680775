"""Uploads against what is stored: nothing is changed by looking."""

from __future__ import annotations

from celeus_label.ingest import Comparison, Known, Loaded, compare, content_hash
from celeus_label.session.base import Base
from celeus_label.session.types import Identity


class Uploads(Base):
    """How an upload stands to the pools of the sessions there are."""

    def likely_source(self, who: Identity, loaded: Loaded) -> int | None:
        """The session whose pool shares most item ids with an upload, the newest of several; None without any."""
        self._check(who, "lead", None)
        ids = set(loaded.pool.item_ids)
        shared = [
            (len(ids.intersection(self._loaded(row.id).pool.item_ids)), row.id)
            for row in self.store.sessions()
        ]
        most = max(shared, default=(0, 0))
        return most[1] if most[0] else None

    def compare(self, who: Identity, session: int, loaded: Loaded) -> Comparison:
        """What is new, the same, changed or in conflict against a session's pool, which stays as it is."""
        self._check(who, "lead", session)
        items = self.store.pool_items(self.store.session(session).pool)
        return compare(
            loaded,
            (
                Known(
                    item.item_id,
                    content_hash(item.prompt, item.response, item.extra.get("response_b")),
                    item.extra["judge"],
                )
                for item in items
            ),
        )
