"""The ledger's record and its hash chain: what makes a session's history checkable by a stranger.

Each event stores the SHA-256 of the previous event's hash and its own content, so a changed, dropped
or swapped row breaks the chain at that row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

GENESIS = "0" * 64


@dataclass(frozen=True)
class Event:
    """One row of a session's append-only ledger.

    Attributes
    ----------
    seq : int
        1, 2, 3, … within the session.
    kind : str
        "design", "fit", "draw", "rating", "later", "unratable", "correction", "width".
    body : dict
        The content, JSON values only.
    at : str
        UTC time, ISO 8601 with offset.
    hash : str
        64 hex digits, see `chain_hash`.
    """

    seq: int
    kind: str
    body: dict[str, Any]
    at: str
    hash: str


def canonical(value: object) -> str:
    """One text for one value: sorted keys, no spaces, no NaN.

    >>> canonical({"b": 1, "a": [0.1, "é"]})
    '{"a":[0.1,"é"],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def chain_hash(previous: str, seq: int, kind: str, body: dict[str, Any], at: str) -> str:
    """SHA-256, as 64 hex digits, of the previous hash followed by this event's canonical content."""
    return hashlib.sha256((previous + canonical([seq, kind, body, at])).encode("utf-8")).hexdigest()


def append(previous: Event | None, kind: str, body: dict[str, Any], at: str) -> Event:
    """Make the event that follows `previous` (None: the first one)."""
    seq = 1 if previous is None else previous.seq + 1
    before = GENESIS if previous is None else previous.hash
    return Event(seq, kind, body, at, chain_hash(before, seq, kind, body, at))


def first_break(events: Iterable[Event]) -> str | None:
    """Name the first event that does not follow from the one before it; None if the chain is whole."""
    before = GENESIS
    for expected, event in enumerate(events, start=1):
        if event.seq != expected:
            return f"ledger row {expected}: the event there has number {event.seq}; a row is missing or moved"
        if event.hash != chain_hash(before, event.seq, event.kind, event.body, event.at):
            what = "its hash does not follow from its content and the row before"
            return f"ledger row {event.seq} ({event.kind}): {what}"
        before = event.hash
    return None


def to_jsonl(events: Iterable[Event]) -> Iterator[str]:
    """One JSON text a line (with its newline), in the order given."""
    for event in events:
        yield (
            canonical(
                {"seq": event.seq, "kind": event.kind, "body": event.body, "at": event.at, "hash": event.hash}
            )
            + "\n"
        )


def from_jsonl(lines: Iterable[str]) -> Iterator[Event]:
    """Read what `to_jsonl` wrote.

    Raises
    ------
    ValueError
        A line is not a JSON object with exactly the fields of an event; the line is named.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            event = Event(row.pop("seq"), row.pop("kind"), row.pop("body"), row.pop("at"), row.pop("hash"))
        except (ValueError, KeyError, AttributeError, TypeError) as fault:
            raise ValueError(f"ledger.jsonl line {number}: not an event ({fault})") from fault
        if row or not isinstance(event.seq, int) or not isinstance(event.body, dict):
            raise ValueError(f"ledger.jsonl line {number}: not an event (unexpected fields or types)")
        yield event
