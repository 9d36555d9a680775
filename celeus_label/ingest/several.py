"""Several files as one pool: parts of one shape follow each other, files that belong together are joined by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from celeus_label.ingest.limits import MAX_JOINED_ROWS, IngestError
from celeus_label.ingest.mapping import guess_mapping
from celeus_label.ingest.presets.benchmarks import (
    ALPACA_ANNOTATIONS,
    ALPACA_OUTPUTS,
    MT_ANSWERS,
    MT_QUESTIONS,
)
from celeus_label.ingest.presets.chat import CHAT_BATCH
from celeus_label.ingest.read import read_table
from celeus_label.ingest.report import Place, Reading, Refusal, quoted
from celeus_label.ingest.table import Record, Row, Table, cell

Keys = tuple[str, ...]
_RATED = (ALPACA_OUTPUTS.name, MT_ANSWERS.name, CHAT_BATCH.name)


def read_tables(files: Sequence[tuple[Path | bytes, str]], **how: Any) -> Table:
    """One table of one file or several, each with its name; `how` as for `read_table`.

    Raises
    ------
    IngestError
        As `read_table` and `together` do; it names the file.
    """
    tables = []
    for source, name in files:
        try:
            tables.append(read_table(source, name, **how))
        except IngestError as fault:
            raise (fault if len(files) == 1 else _in(name, fault)) from None
    return together(tables)


def together(tables: Sequence[Table]) -> Table:
    """One table of several files.

    Files of one shape, as a tool's parts or the answers of several models, follow each other. Files of different
    shapes are joined: outputs with the annotations of AlpacaEval, answers with the judgments and questions of
    MT-Bench, a batch's responses with its requests, and any two that share a column of ids. The rows are those of
    the outputs; the other files add their columns to them.

    Raises
    ------
    IngestError
        The files do not belong together, or one to be joined is too large.
    """
    if len(tables) == 1:
        return tables[0]
    if len({table.name for table in tables}) < len(tables):
        raise IngestError(
            "two of the files have the same name; rename one, so that each row's place can be told"
        )
    groups: dict[object, list[Table]] = {}
    for table in tables:
        groups.setdefault(table.preset or frozenset(table.columns), []).append(table)
    parts = [_following(group) for group in groups.values()]
    rated = next((part for part in parts if part.preset in _RATED), None) or next(
        (part for part in parts if guess_mapping(part).response), parts[0]
    )
    sides: list[_Side] = []
    # the judgments of MT-Bench hold the whole prompt, its questions that of one turn
    for part in sorted(parts, key=lambda part: part.preset == MT_QUESTIONS.name):
        if part is not rated:
            sides.append(_side(rated, part, [name for side in sides for name in side.adds]))
    notes = [
        f"{one.name}: {note}"
        for one in tables
        for note in (*(note for note in one.notes if not note.startswith("recognised as")), one.preset)
        if note
    ]
    if not sides:
        return replace(rated, notes=tuple(notes))
    joined = _joined(rated, sides)
    scales = [scale for scale in map(_scale, (rated, *(side.table for side in sides))) if scale]
    return replace(
        joined,
        name=" + ".join(part.name for part in parts),
        notes=(*notes, *(note for side in sides for note in side.notes)),
        preset=next((part.preset for part in (rated, *parts) if part.preset), None),
        judge_scale=scales[0] if scales else None,
        sheets=(),
    )


def _following(tables: list[Table]) -> Table:
    """Files of one shape, one after the other; each row's place names its file."""

    def read(reading: Reading) -> Iterator[Record]:
        for number, table in enumerate(tables):
            own = Reading(_placed(table, reading))
            for line, row in _named(table, own):
                reading.fraction = (number + own.fraction) / len(tables)
                yield Place(line, table.name), row

    columns = tuple(dict.fromkeys(name for table in tables for name in table.columns))
    name = " + ".join(table.name for table in tables)
    return replace(tables[0], name=name, columns=columns, read=read, sheets=())


def _placed(table: Table, reading: Reading) -> Any:
    return lambda refusal: reading.refuse(replace(refusal, line=Place(refusal.line, table.name)))


def _named(table: Table, reading: Reading) -> Iterator[Record]:
    """The rows of one file among several; what can't be read says in which."""
    try:
        yield from table.rows(reading)
    except IngestError as fault:
        raise _in(table.name, fault) from None


def _in(name: str, fault: IngestError) -> IngestError:
    return fault if str(fault).startswith(name) else IngestError(f"{name}: {fault}")


@dataclass
class _Side:
    """A file whose rows add columns to the rated outputs: its rows by key, read once."""

    table: Table
    rated: Keys
    own: Keys
    adds: Keys
    notes: tuple[str, ...]
    found: dict[tuple[str, ...], tuple[int, Row]] | None = None
    refused: list[Refusal] = field(default_factory=list)

    def rows(self) -> dict[tuple[str, ...], tuple[int, Row]]:
        if self.found is None:
            found: dict[tuple[str, ...], tuple[int, Row]] = {}
            for line, row in self.table.rows(Reading(self.refused.append)):
                key = _key(row, self.own)
                if key in found:
                    self._refuse(line, row, f"is that of row {found[key][0]} already")
                    continue
                found[key] = line, {name: cell(row, name) for name in self.adds}
                if len(found) > MAX_JOINED_ROWS:
                    raise IngestError(
                        f"{self.table.name} has more than {MAX_JOINED_ROWS:,} rows, the most that are joined to "
                        f"another file; put the scores into the file of the outputs"
                    )
            self.found = found
        return self.found

    def lost(self, met: set[tuple[str, ...]]) -> Iterator[Refusal]:
        for key, (line, _) in self.rows().items():
            if key not in met:
                rule = f"is {quoted(key[-1])}, and no row of the outputs has it"
                yield Refusal(line, self.own[-1], key[-1][:200], rule)

    def _refuse(self, line: int, row: Row, rule: str) -> None:
        value = cell(row, self.own[-1])
        self.refused.append(Refusal(line, self.own[-1], str(value)[:200], rule))


def _scale(part: Table) -> tuple[float, float] | None:
    """The judge's scale for the outputs that are rated: of AlpacaEval's pairs they are the second ones, B."""
    scale = part.judge_scale
    return scale[::-1] if scale is not None and part.preset == ALPACA_ANNOTATIONS.name else scale


def _side(rated: Table, table: Table, added: list[str]) -> _Side:
    mine, own = _keys(rated, table)
    # the output compared with is another system's: not rated here
    compared = {"output_1", "response_a", "response_b"} if table.preset == ALPACA_ANNOTATIONS.name else set()
    taken = {*rated.columns, *added, *own, *compared}
    there = [name for name in table.columns if name in taken and name not in own]
    notes = [f"{table.name}: {name} is left out, as another file has a column of that name" for name in there]
    adds = tuple(name for name in table.columns if name not in taken)
    if not adds:
        raise IngestError(
            f"{table.name} adds no column to {rated.name}: it has {', '.join(table.columns[:20])}"
        )
    return _Side(table, mine, own, adds, tuple(notes) if table.preset is None else ())


def _keys(rated: Table, table: Table) -> tuple[Keys, Keys]:
    """The columns by which a row of the outputs finds its row in another file, in both."""
    if (rated.preset, table.preset) == (ALPACA_OUTPUTS.name, ALPACA_ANNOTATIONS.name):
        return ("instruction", "output"), ("instruction", "output_2")
    if table.preset == MT_QUESTIONS.name and {"question_id", "turn"} <= {*rated.columns}:
        return ("question_id", "turn"), ("question_id", "turn")
    for name in (guess_mapping(rated).item_id, guess_mapping(table).item_id):
        if name is not None and name in rated.columns and name in table.columns:
            return (name,), (name,)
    raise IngestError(
        f"{rated.name} and {table.name} do not belong together: their columns differ, and none holds the ids of both;"
        f" the columns are {', '.join(rated.columns[:20])} and {', '.join(table.columns[:20])}"
    )


def _key(row: Row, columns: Keys) -> tuple[str, ...]:
    # an id may be a number in one file and text in the other
    return tuple(str(cell(row, name)) for name in columns)


def _joined(rated: Table, sides: list[_Side]) -> Table:
    def read(reading: Reading) -> Iterator[Record]:
        met: list[set[tuple[str, ...]]] = [set() for _ in sides]
        for side in sides:
            side.rows()
        for line, row in rated.rows(reading):
            whole = dict(row)
            for side, seen in zip(sides, met, strict=True):
                key = _key(row, side.rated)
                found = side.rows().get(key)
                if found is not None:
                    seen.add(key)
                    whole.update(found[1])
            yield line, whole
        for side, seen in zip(sides, met, strict=True):
            for refusal in (*side.refused, *side.lost(seen)):
                reading.refuse(refusal)

    columns = (*rated.columns, *dict.fromkeys(name for side in sides for name in side.adds))
    return replace(rated, columns=columns, read=read)
