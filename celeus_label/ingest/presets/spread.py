"""Lays a preset over a table: the same rows, with the preset's columns in front of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.presets.base import Preset
from celeus_label.ingest.report import Reading, Refusal, shown
from celeus_label.ingest.table import Record, Table, columns_of

_LOOKED_AT = 20


def recognise(table: Table, presets: Sequence[Preset]) -> Table:
    """The table spread by the first preset that fits all of its first records, or else as it is."""
    rows = table.head(_LOOKED_AT)
    preset = next((preset for preset in presets if rows and all(map(preset.fits, rows))), None)
    return table if preset is None else _spread(table, preset)


def _spread(table: Table, preset: Preset) -> Table:
    def read(reading: Reading) -> Iterator[Record]:
        for line, row in table.read(reading):
            try:
                rows = list(preset.spread(row))
            except (LookupError, TypeError, ValueError, AttributeError) as fault:
                rule = f"does not have the shape of {preset.name} ({type(fault).__name__}: {fault})"
                reading.refuse(Refusal(line, "", shown(row), rule))
                continue
            for made in rows:
                yield line, {**made, **{key: value for key, value in row.items() if key not in made}}

    notes = (*table.notes, f"recognised as {preset.name}" + (f": {preset.note}" if preset.note else ""))
    spread = replace(table, read=read, notes=notes, preset=preset.name, judge_scale=preset.judge_scale)
    columns = columns_of(spread.head())
    if not columns:
        raise IngestError(f"{table.name} looks like {preset.name}, but none of its first records can be read")
    return replace(spread, columns=columns)
