"""The checks of one bundle, from what was recorded to what was computed from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice, tee

from celeus_label.certificate.archive import (
    ASPECTS,
    CERTIFICATE,
    DESIGN,
    LEDGER,
    MAX_EVENTS,
    OPTIONAL,
    POOL,
    RATERS,
    REQUIRED,
    TEXTS,
    BundleReader,
)
from celeus_label.certificate.cells import read_rows
from celeus_label.certificate.claim import Claim, claim_of, frozen_design
from celeus_label.certificate.differences import Differences, compare, json_differences, shown
from celeus_label.certificate.history import History, read_history
from celeus_label.certificate.poolfile import read_pool, read_scale
from celeus_label.certificate.tables import (
    SEAL,
    SHA256,
    Table,
    aspects_table,
    certificate_table,
    design_document,
    raters_table,
    ratings_table,
    seal,
    texts_table,
    trajectory_table,
)
from celeus_label.certify import Certifier, Design, Pool, replay
from celeus_label.ledger import Event, first_break, from_jsonl, to_jsonl

# What the content of a file may make its reader raise. RecursionError: JSON that is nested without end.
_CONTENT = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)


# Progress is told once in so many events.
_TOLD_EVENTS = 200


class Checks:
    """What is found in one bundle.

    Attributes
    ----------
    found : Differences
    made_with : str or None
        The version of celeus-label that the certificate names.
    """

    def __init__(self, bundle: BundleReader, progress: Callable[[float], None] | None = None) -> None:
        self.found = Differences()
        self.made_with: str | None = None
        self._bundle = bundle
        self._progress = progress
        self._rounded: dict[str, str] = {}

    def run(self, ledger_hash: str | None) -> Claim | None:
        """Look at everything; the recomputed claim, if there is one."""
        events = self._ledger()
        if ledger_hash is not None:
            self._expect(events, ledger_hash.strip().lower())
        design = self._frozen(events)
        pool = None if design is None else self._pool(events)
        history, fault = self._history(events)
        certifier = None
        if design is not None and pool is not None and self._same_pool(events, pool, history):
            certifier = self._replay(pool, design, events)
        if fault is not None:
            self.found.add(LEDGER, fault)
        if history is not None and design is not None:
            self._compare(ratings_table(history, design))
        if certifier is not None:
            self._compare(trajectory_table(certifier))
        if pool is not None and TEXTS in self._bundle.digests:
            self._compare(texts_table(pool, None))
        if history is not None and RATERS in self._bundle.digests:
            self._compare(raters_table(history, {}))
        claim = None if certifier is None or history is None else claim_of(certifier, events)
        if claim is not None:
            self._aspects(claim)
        self._certificate(claim)
        return claim

    def _aspects(self, claim: Claim) -> None:
        if ASPECTS in self._bundle.digests:
            self._compare(aspects_table(claim))
        if (ASPECTS in self._bundle.digests) != bool(claim.aspects):
            have = "has further aspects" if claim.aspects else "has no further aspects"
            self.found.add(
                ASPECTS, f"the design {have}, and the file is {'missing' if claim.aspects else 'there'}"
            )

    # --- what was recorded ------------------------------------------------------------------------------

    def _ledger(self) -> list[Event]:
        """The ledger's rows, as far as they can be read."""
        events: list[Event] = []
        try:
            lines, read = tee(self._bundle.lines(LEDGER))
            parsed = from_jsonl(read)
            for number, line in enumerate(lines, start=1):
                event = next(parsed, None)
                if event is None or line != next(to_jsonl([event])):
                    raise ValueError(f"line {number}: it is not written as a ledger writes an event")
                if number > MAX_EVENTS:
                    raise ValueError(f"it has more than {MAX_EVENTS:,} rows")
                events.append(event)
            broken = first_break(events)
            if broken is not None:
                self.found.add(LEDGER, broken)
        except _CONTENT as fault:
            self.found.add(LEDGER, _told(fault))
        return events

    def _expect(self, events: list[Event], expected: str) -> None:
        last = events[-1].hash if events else "nothing"
        if last == expected:
            return
        earlier = [event.seq for event in events if event.hash == expected]
        if earlier:
            told = f"that is the hash of its row {earlier[0]}, and {len(events) - earlier[0]} rows follow"
        else:
            told = "that hash is nowhere in it, so it was taken from another ledger"
        self.found.add(
            LEDGER,
            f"it ends with the hash {shown(str(last))}, but the expected one is {shown(expected)}; {told}",
        )

    def _frozen(self, events: list[Event]) -> Design | None:
        try:
            design = frozen_design(events)
        except _CONTENT as fault:
            self.found.add(LEDGER, _told(fault))
            return None
        for event in events[1:]:
            if event.kind == "design":
                self.found.add(
                    LEDGER, f"ledger row {event.seq}: a second design; a session has one, in row 1"
                )
        return design

    def _pool(self, events: list[Event]) -> Pool | None:
        """The pool of pool.csv and design.json, which is compared with the ledger's first row on the way."""
        body = events[0].body
        try:
            document = json.loads("".join(self._bundle.lines(DESIGN)))
            if not isinstance(document, dict):
                raise ValueError("it is no JSON object")
            scale, judge_scale = read_scale(body["scale"]), read_scale(document["judge_scale"])
        except _CONTENT as fault:
            self.found.add(DESIGN, _told(fault))
            return None
        try:
            for place, have, want in json_differences(document, design_document(body, judge_scale)):
                self.found.add(DESIGN, f"{DESIGN}, {place}: {have}, but the ledger says {want}")
        except _CONTENT as fault:
            self.found.add(DESIGN, _told(fault))
        try:
            return read_pool(read_rows(self._bundle.lines(POOL)), scale, judge_scale)
        except _CONTENT as fault:
            self.found.add(POOL, _told(fault))
            return None

    def _history(self, events: list[Event]) -> tuple[History | None, str | None]:
        """The ledger's history, or what is wrong with it."""
        try:
            return read_history(events), None
        except _CONTENT as fault:
            return None, _told(fault)

    def _same_pool(self, events: list[Event], pool: Pool, history: History | None) -> bool:
        """Whether pool.csv is the pool that the session was frozen on."""
        body = events[0].body
        if body.get("items") != pool.size:
            self.found.add(
                POOL, f"it has {pool.size} rows, but the ledger says {shown(str(body.get('items')))}"
            )
        if body.get("pool_hash") == pool.hash:
            return True
        for round_, (position, item_id) in enumerate([] if history is None else history.draws, start=1):
            if 0 <= position < pool.size and pool.item_ids[position] != item_id:
                self.found.add(
                    POOL,
                    f"{POOL} row {position + 1}, column item_id: {shown(pool.item_ids[position])}, "
                    f"but draw {round_} of the ledger drew {shown(item_id)} there",
                )
        self.found.add(
            POOL,
            f"a value in it, or the judge's scale in {DESIGN}, was changed: its hash is {pool.hash}, but the "
            f"ledger says {shown(str(body.get('pool_hash')))}; nothing can be computed from it",
        )
        return False

    # --- what was computed from it ----------------------------------------------------------------------

    def _replay(self, pool: Pool, design: Design, events: list[Event]) -> Certifier | None:
        seen = 0

        def counted() -> Iterator[Event]:
            nonlocal seen
            for seen, event in enumerate(events, start=1):
                if self._progress is not None and seen % _TOLD_EVENTS == 0:
                    self._progress(seen / len(events))
                yield event

        try:
            return replay(pool, design, counted())
        except ValueError as fault:
            told = str(fault)
        except Exception as fault:  # an invented ledger may break any assumption of the statistics
            told = f"ledger row {seen}: it can't be replayed ({type(fault).__name__}: {fault})"
        self.found.add(LEDGER, told)
        return None

    def _compare(self, table: Table) -> None:
        try:
            rounded = compare(table, read_rows(self._bundle.lines(table.name)), self.found)
        except _CONTENT as fault:
            self.found.add(table.name, _told(fault))
        else:
            if rounded is not None:
                self._rounded[table.name] = rounded

    def _certificate(self, claim: Claim | None) -> None:
        """The certificate's fields, the hashes of the files, and the row's own."""
        try:
            rows = list(islice(read_rows(self._bundle.lines(CERTIFICATE)), 3))
        except _CONTENT as fault:
            self.found.add(CERTIFICATE, _told(fault))
            return
        if claim is not None:
            rounded = compare(certificate_table(claim, self._bundle.digests), iter(rows), self.found)
            if rounded is not None:
                self._rounded[CERTIFICATE] = rounded
        if len(rows) != 2 or len(rows[0]) != len(rows[1]):
            self.found.add(CERTIFICATE, "it is not a header and one row")
            return
        fields = dict(zip(*rows, strict=True))
        self.made_with = fields.get("package_version")
        for name in (*REQUIRED[:-1], *OPTIONAL):
            self._digest(name, fields.get(SHA256 + name, ""), self._bundle.digests.get(name, ""))
        if fields.get(SEAL) != seal(rows[1][:-1]):
            told = "it is not the hash of the cells before it"
            self.found.add(
                CERTIFICATE, f"{CERTIFICATE} row 1, column {SEAL}: {told}; {self._changed(CERTIFICATE)}"
            )

    def _digest(self, name: str, said: str, has: str) -> None:
        if said == has:
            return
        if not has:
            told = f"{name} is not in the bundle"
        elif not said:
            told = f"{name} was added to the bundle"
        else:
            told = f"{name} has {has}; {self._changed(name)}"
        self.found.add(CERTIFICATE, f"{CERTIFICATE} row 1, column {SHA256}{name}: {shown(said)}, but {told}")

    def _changed(self, name: str) -> str:
        """Where a file was changed that has not the hash it should have."""
        if self.found.any_in(name):
            return "see the difference above"
        if name in self._rounded:
            return f"the first change, no larger than rounding, is {self._rounded[name]}"
        return "it was changed where nothing else in the bundle says what it must be"


def _told(fault: Exception) -> str:
    if isinstance(fault, UnicodeDecodeError):
        return "it is not a UTF-8 text"
    if isinstance(fault, RecursionError):
        return "it is nested too deeply to be read"
    if isinstance(fault, KeyError):
        return f"the field {fault} is missing"
    return str(fault)
