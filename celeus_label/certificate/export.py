"""Write a session's certificate bundle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from celeus_label.certificate.archive import (
    CERTIFICATE,
    DESIGN,
    LEDGER,
    MAX_COLUMNS,
    MAX_EVENTS,
    MAX_ITEMS,
    BundleWriter,
)
from celeus_label.certificate.claim import claim_of, frozen_design
from celeus_label.certificate.history import read_history
from celeus_label.certificate.tables import (
    aspects_table,
    certificate_table,
    design_lines,
    pool_table,
    raters_table,
    ratings_table,
    texts_table,
    trajectory_table,
)
from celeus_label.certify import Certifier, Design, Pool, replay
from celeus_label.ledger import Event, canonical, first_break, to_jsonl


def export_bundle(
    path: str | Path,
    *,
    pool: Pool,
    design: Design,
    events: Sequence[Event],
    texts: Iterable[tuple[str, str]] | None = None,
    names: Mapping[str, str] | None = None,
    certifier: Certifier | None = None,
) -> Path:
    """Write everything that a session's interval follows from into one zip file.

    The file appears in its place when it is whole, over any other. The same session gives the same bytes.

    Parameters
    ----------
    path : path
    pool : Pool
    design : Design
        As frozen, the one in the ledger's first row.
    events : sequence of Event
        The whole ledger.
    texts : iterable of (prompt, response), optional
        Of every item, in the order of the pool; they go into the bundle only if they are given.
    names : mapping of rater id to name, optional
        Of the people in the ledger; they go into the bundle only if they are given.
    certifier : Certifier, optional
        The session's state after all of `events`; recomputed from them where it is None.

    Returns
    -------
    Path
        `path`.

    Raises
    ------
    ValueError
        The ledger is broken, or pool, design, texts or certifier are not the ledger's; the place is named.
    OSError
        The file can't be written.
    """
    path = Path(path)
    if len(events) > MAX_EVENTS:
        raise ValueError(f"the ledger has {len(events):,} rows; a bundle holds at most {MAX_EVENTS:,}")
    if pool.size > MAX_ITEMS or len(pool.features) + len(pool.groups) > MAX_COLUMNS:
        raise ValueError(
            f"a bundle holds at most {MAX_ITEMS:,} items with {MAX_COLUMNS:,} features and groups, "
            f"got {pool.size:,} with {len(pool.features) + len(pool.groups):,}"
        )
    broken = first_break(events)
    if broken is not None:
        raise ValueError(f"the ledger is broken and can't be certified: {broken}")
    if canonical(frozen_design(events).to_dict()) != canonical(design.to_dict()):
        raise ValueError(
            "the design is not the one in the ledger's first row; pass the design as it was frozen"
        )
    history = read_history(events)
    if certifier is None:
        certifier = replay(pool, design, events)
    elif certifier.pool.hash != pool.hash or certifier.draws != len(history.draws):
        raise ValueError(
            "the certifier is not the state of this pool after these events; fold all of them in"
        )
    with BundleWriter(path) as bundle:
        bundle.write(DESIGN, design_lines(events[0].body, pool.judge_scale))
        bundle.write(LEDGER, to_jsonl(events))
        tables = [pool_table(pool), ratings_table(history, design), trajectory_table(certifier)]
        if texts is not None:
            tables.append(texts_table(pool, texts))
        if names is not None:
            tables.append(raters_table(history, names))
        claim = claim_of(certifier, events)
        if design.aspects:
            tables.append(aspects_table(claim))
        for table in tables:
            bundle.write(table.name, table.lines())
        bundle.write(CERTIFICATE, certificate_table(claim, bundle.digests).lines())
    return path
