"""An upload against a pool that is stored already: what is new, the same, changed, or in conflict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from celeus_label.ingest.loading import Loaded, content_hash
from celeus_label.ingest.report import count_rows


@dataclass(frozen=True, slots=True)
class Known:
    """An item as stored: its id, the hash of its texts (`content_hash`), and its judge score."""

    item_id: str
    content: str
    judge: float


@dataclass(frozen=True)
class Comparison:
    """Where each item of an upload stands, and which stored ones it lacks.

    Attributes
    ----------
    new : tuple of str
        Ids that are not stored, with texts that are not stored either.
    same : tuple of str
        Ids that are stored with the same texts and judge score.
    changed : dict of str to str
        Ids that are stored with something else, and what: "texts", "judge score" or "texts and judge score".
    conflicts : dict of str to str
        Ids that are not stored, and the id under which their texts are.
    missing : tuple of str
        Stored ids that the upload lacks.
    """

    new: tuple[str, ...]
    same: tuple[str, ...]
    changed: dict[str, str]
    conflicts: dict[str, str]
    missing: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether the upload is the stored pool, item by item."""
        return not (self.new or self.changed or self.conflicts or self.missing)

    def __str__(self) -> str:
        if self.identical:
            return f"all {count_rows(len(self.same))} are stored already, unchanged"
        return (
            f"{len(self.new):,} new, {len(self.same):,} the same, {len(self.changed):,} changed,"
            f" {len(self.conflicts):,} stored under another id, {len(self.missing):,} no longer there"
        )


def compare(loaded: Loaded, stored: Iterable[Known]) -> Comparison:
    """Compare an upload with the items of a stored pool; nothing is changed.

    Items without any text are told apart by their ids alone.
    """
    known = {item.item_id: item for item in stored}
    nothing = content_hash("", "")
    by_content = {item.content: item.item_id for item in known.values() if item.content != nothing}
    new, same = [], []
    changed: dict[str, str] = {}
    conflicts: dict[str, str] = {}
    pool = loaded.pool
    for item_id, content, judge in zip(pool.item_ids, loaded.content_hashes(), pool.judge, strict=True):
        before = known.pop(item_id, None)
        if before is not None:
            parts = ["texts"] * (before.content != content) + ["judge score"] * bool(before.judge != judge)
            if parts:
                changed[item_id] = " and ".join(parts)
            else:
                same.append(item_id)
        elif content in by_content:
            conflicts[item_id] = by_content[content]
        else:
            new.append(item_id)
    return Comparison(tuple(new), tuple(same), changed, conflicts, tuple(known))
