"""Sessions: which there are, and how one is made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from celeus_label.certify import Design, design_body
from celeus_label.ingest import Loaded
from celeus_label.ledger import canonical
from celeus_label.session.base import Base
from celeus_label.session.live import gold_hash
from celeus_label.session.names import checked
from celeus_label.session.types import Example, Identity, SessionInfo
from celeus_label.store import ItemRow, SessionRow


class Sessions(Base):
    """Making sessions and looking them up."""

    def sessions(self, who: Identity) -> list[SessionInfo]:
        """The sessions that a person may see."""
        self._check(who, "rater", who.session)
        return [self._info(row) for row in self.store.sessions() if who.session in (None, row.id)]

    def session(self, who: Identity, session: int) -> SessionInfo:
        """One session."""
        self._check(who, "rater", session)
        return self._info(self.store.session(session))

    def _info(self, row: SessionRow) -> SessionInfo:
        with self._certifier(row.id) as certifier:
            return SessionInfo(
                id=row.id,
                name=row.name,
                items=certifier.pool.size,
                scale=certifier.pool.scale,
                design=certifier.design,
                guidelines=row.settings.get("guidelines", ""),
                examples=tuple(Example(**one) for one in row.settings.get("examples", ())),
                status=certifier.status,
                ratings=certifier.ratings,
                archived=self._loaded(row.id).archived,
                follows=row.settings.get("follows"),
            )

    def create(
        self,
        who: Identity,
        name: str,
        loaded: Loaded,
        design: Design,
        guidelines: str = "",
        lease_seconds: int = 300,
        examples: Sequence[Example] = (),
        gold_rate: float = 0.1,
        repeat_rate: float = 0.0,
        follows: int | None = None,
    ) -> SessionInfo:
        """Store a pool and freeze a design on it.

        Parameters
        ----------
        loaded
            Its gold items, if it has any, are stored beside the pool.
        gold_rate, repeat_rate
            Shares of what a rater is given that are gold items, and own items again, in [0, 0.4]. Frozen as well; the
            first has no effect without gold items.
        follows
            The session whose scale and design this one began from; charts show it beside.

        Raises
        ------
        ValueError
            The design does not fit the pool (see `Design.resolved`), the name is taken or has invisible characters.
        """
        self._check(who, "lead", None)
        name = checked(name, "the session's name")
        pool = loaded.pool
        resolved = design.resolved(pool)
        if (loaded.second is not None) != (resolved.task == "pairwise"):
            have = "one response" if loaded.second is None else "two"
            raise ValueError(
                f"the task is {resolved.task}, but the items have {have}; choose the other task, or other columns"
            )
        now = self._clock()
        meta = {
            "scale": pool.scale.to_dict(),
            "judge_scale": pool.judge_scale.to_dict(),
            "features": list(pool.features),
            "groups": list(pool.groups),
        }
        pool_id = self.store.add_pool(pool.hash, name, meta, _item_rows(loaded), now)
        shown = [asdict(one) for one in examples]
        settings = {
            "guidelines": guidelines,
            "examples": shown,
            "ratings_per_item": resolved.ratings_per_item,
            "unratable_after": resolved.unratable_after,
            "lease_seconds": lease_seconds,
            "disagreement": resolved.disagreement,
            "gold_rate": gold_rate if loaded.gold else 0.0,
            "repeat_rate": repeat_rate,
            "follows": follows,
        }
        body = design_body(name, pool, resolved)
        body["guidelines_hash"] = _guidelines_hash(guidelines, shown)
        if loaded.stand_in is not None:
            body["judge_stand_in"] = {"items": len(loaded.filled), "value": loaded.stand_in}
        gold = list(_gold_rows(loaded))
        if gold:
            # a pool of their own, of which nothing is drawn
            settings["gold_pool"] = self.store.add_pool(gold_hash(gold), f"{name} (gold)", {}, gold, now)
        if gold or repeat_rate:
            body["controls"] = {
                "gold": len(gold),
                "gold_hash": gold_hash(gold),
                "gold_rate": settings["gold_rate"],
                "repeat_rate": repeat_rate,
            }
        return self._info(self.store.session(self.store.add_session(name, pool_id, body, settings, now)))


def _item_rows(loaded: Loaded) -> Iterator[ItemRow]:
    pool = loaded.pool
    for position, (item_id, (prompt, response)) in enumerate(zip(pool.item_ids, loaded.texts, strict=True)):
        features = {name: _number(column[position]) for name, column in pool.features.items()}
        groups = {name: values[position] for name, values in pool.groups.items()}
        extra: dict[str, Any] = {"judge": float(pool.judge[position]), "features": features, "groups": groups}
        if loaded.second is not None:
            extra["response_b"] = loaded.second[position][1]
        yield ItemRow(position, item_id, prompt, response, extra)


def _gold_rows(loaded: Loaded) -> Iterator[ItemRow]:
    for position, item in enumerate(loaded.gold):
        extra: dict[str, Any] = {"answer": item.answer}
        if item.response_b is not None:
            extra["response_b"] = item.response_b
        yield ItemRow(position, item.item_id, item.prompt, item.response, extra)


def _guidelines_hash(guidelines: str, examples: list[dict[str, str]]) -> str:
    text = canonical([guidelines, examples]) if examples else guidelines
    return hashlib.sha256(text.encode()).hexdigest()


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
