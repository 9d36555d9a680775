"""From a table and a mapping to a pool, its texts, and the report of every row."""

from __future__ import annotations

import hashlib
import json
import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify import Pool, Scale
from celeus_label.ingest.cells import read_text
from celeus_label.ingest.limits import MAX_ROWS, IngestError
from celeus_label.ingest.mapping import Mapping, human_columns
from celeus_label.ingest.report import Reading, Refusal, Report, count_rows
from celeus_label.ingest.rows import Item, RowReader
from celeus_label.ingest.table import Table, cell
from celeus_label.ingest.texts import Texts
from celeus_label.ingest.watch import Watch

Floats = NDArray[np.float64]
Answers = dict[str, float]
Progress = Callable[[int, float], None]
_PROGRESS_ROWS = 5_000


@dataclass(frozen=True)
class GoldItem:
    """An item whose answer is known, on the raters' scale; it is not part of the pool."""

    item_id: str
    prompt: str
    response: str
    answer: float
    response_b: str | None = None


@dataclass(frozen=True)
class Loaded:
    """A pool that is ready to be stored, and what was found on the way.

    Attributes
    ----------
    pool : Pool
    texts : Texts
        (prompt, response) of each item, a read-only list.
    human : float64 array of shape (N,), or None
        The hidden human scores on the raters' scale, NaN where missing; None without such a column.
    report : Report
    mapping : Mapping
    filled : tuple of int
        Positions of the items whose missing judge score the mean of the others stands in for.
    stand_in : float or None
        That mean, on the judge's scale.
    gold : tuple of GoldItem
        In the order of the file.
    second : Texts, or None
        ("", second response) of each item where there are two to compare.
    """

    pool: Pool
    texts: Texts
    human: Floats | None
    report: Report
    mapping: Mapping
    filled: tuple[int, ...] = ()
    stand_in: float | None = None
    gold: tuple[GoldItem, ...] = ()
    second: Texts | None = None

    def content_hashes(self) -> Iterator[str]:
        """SHA-256 of each item's prompt and response, 64 hex digits."""
        if self.second is None:
            return (content_hash(prompt, response) for prompt, response in self.texts)
        both = zip(self.texts, self.second, strict=True)
        return (content_hash(prompt, response, other) for (prompt, response), (_, other) in both)


def content_hash(prompt: str, response: str, response_b: str | None = None) -> str:
    """SHA-256 of an item's texts, 64 hex digits."""
    texts = [prompt, response] if response_b is None else [prompt, response, response_b]
    text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def preview(table: Table, mapping: Mapping, count: int = 5) -> list[tuple[str, ...]]:
    """Prompt and response (or both) of the first rows, as raters would see them.

    Cells that can't be shown are blank.
    """
    columns = [
        mapping.prompt,
        mapping.response,
        *([] if mapping.response_b is None else [mapping.response_b]),
    ]
    shown = []
    for row in table.head(count):
        texts = []
        for column in columns:
            try:
                texts.append("" if column is None else read_text(cell(row, column)))
            except ValueError:
                texts.append("")
        shown.append(tuple(texts))
    return shown


def load(
    table: Table,
    mapping: Mapping,
    scale: Scale,
    judge_scale: Scale | None = None,
    *,
    missing_judge: str | None = None,
    gold: Answers | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Read every row; take it, or list it in the report with the rule that it breaks.

    Parameters
    ----------
    table : Table
    mapping : Mapping
    scale : Scale
        Of the raters, and of the hidden human scores.
    judge_scale : Scale, optional
        Of the judge, the raters' where it is None; with its ends swapped where a low score is a good one.
    missing_judge : {None, "mean"}
        What becomes of a row without judge score: it is refused, or the mean of the others stands in.
    gold : mapping of item id to answer, optional
        Gold items beside, or instead of, those of the column `mapping.gold`; answers on the raters' scale.
    progress : callable, optional
        Called with the rows so far and the share of the file read, 0 to 1.

    Raises
    ------
    IngestError
        A column is missing, the file is empty or can't be read, no row can be taken, a limit is passed, or a gold
        item is not there or has an answer off the scale.
    """
    if missing_judge not in (None, "mean"):
        raise IngestError(
            f'missing_judge is "{missing_judge}"; it may be "mean", or None to refuse such rows'
        )
    mapping.check(table)
    report = Report(warnings=list(table.notes))
    watch = Watch()
    reader = RowReader(
        mapping, scale, judge_scale or scale, watch, missing_judge is not None, table.decimal_comma
    )
    columns = _Columns(mapping)
    answers = _checked(gold or {}, scale)
    apart: list[GoldItem] = []

    def refuse(refusal: Refusal) -> None:
        report.rows += 1
        report.refused.append(refusal)

    reading = Reading(refuse)
    lines: dict[str, int] = {}
    for line, row in table.rows(reading):
        if report.rows >= MAX_ROWS:
            raise IngestError(
                f"{table.name} has more than {MAX_ROWS:,} rows, the most of one pool; split the file"
            )
        item = reader.read(line, row, report.rows + 1)
        if isinstance(item, Refusal):
            refuse(item)
        elif item.item_id in lines:
            rule = f'is "{item.item_id}", the id of row {lines[item.item_id]} already; ids must be unique'
            refuse(Refusal(line, mapping.item_id or "", item.item_id, rule))
        else:
            report.rows += 1
            lines[item.item_id] = line
            answer = answers.get(item.item_id, item.gold)
            if math.isnan(answer):
                columns.append(item)
            else:
                other = None if mapping.response_b is None else item.response_b
                apart.append(GoldItem(item.item_id, item.prompt, item.response, answer, other))
            reader.taken(item, line)
        if progress is not None and report.rows % _PROGRESS_ROWS == 0:
            progress(report.rows, reading.fraction)
    report.taken, report.gold = len(columns.item_ids), len(apart)
    _all_there(answers, lines, table)
    del lines
    report.changed = watch.changes()
    if not report.taken:
        raise IngestError(_nothing(table, report, reader))
    judge, filled, stand_in = columns.judge_filled(mapping.judge)
    report.warnings += reader.warnings(judge) + watch.warnings() + _columns_warnings(table, mapping)
    if stand_in is not None:
        report.warnings.append(
            f"{mapping.judge} is missing in {count_rows(len(filled))}:"
            f" the mean of the others, {stand_in:g}, stands in"
        )
    pool = Pool(columns.item_ids, judge, scale, judge_scale, columns.features(), columns.groups)
    human = np.frombuffer(columns.human, dtype=np.float64) if mapping.human is not None else None
    if progress is not None:
        progress(report.rows, 1.0)
    return Loaded(
        pool, columns.texts, human, report, mapping, filled, stand_in, tuple(apart), columns.second
    )  # fmt: skip


def _checked(gold: Answers, scale: Scale) -> Answers:
    """The answers of gold items, each between the scale's ends; means of several experts may lie between its steps."""
    low, high = sorted((scale.lower, scale.upper))
    for item_id, answer in gold.items():
        if not low <= answer <= high:  # NaN is not between them either
            raise IngestError(f'gold item "{item_id}": its answer is {answer:g}, outside the scale {scale}')
    return gold


def _all_there(gold: Answers, lines: dict[str, int], table: Table) -> None:
    lost = [item_id for item_id in gold if item_id not in lines]
    if lost:
        raise IngestError(
            f'gold item "{lost[0]}" is no row that {table.name} gives ({len(lost):,} such ids); correct the id, or '
            f"leave it out"
        )


class _Columns:
    """The rows taken so far, column by column."""

    def __init__(self, mapping: Mapping) -> None:
        self.item_ids: list[str] = []
        self.judge = array("d")
        self.human = array("d")
        self.texts = Texts()
        self.second = None if mapping.response_b is None else Texts()
        self.groups: dict[str, list[str]] = {name: [] for name in mapping.groups}
        self._features = {name: array("d") for name in mapping.features}
        self._spread = array("d")
        self._spread_name = f"{mapping.judge}_spread"
        while self._spread_name in mapping.features:
            self._spread_name += "_of_samples"
        # one string for all rows of a group, not one each
        self._words: dict[str, str] = {}

    def append(self, item: Item) -> None:
        self.item_ids.append(item.item_id)
        self.judge.append(item.judge)
        self._spread.append(item.spread)
        self.human.append(item.human)
        self.texts.append(item.prompt, item.response)
        if self.second is not None:
            self.second.append("", item.response_b)
        for column, value in zip(self._features.values(), item.features, strict=True):
            column.append(value)
        for words, word in zip(self.groups.values(), item.groups, strict=True):
            words.append(self._words.setdefault(word, word))

    def features(self) -> dict[str, Floats]:
        found = {name: np.frombuffer(column, dtype=np.float64) for name, column in self._features.items()}
        spread = np.frombuffer(self._spread, dtype=np.float64)
        return found if np.isnan(spread).all() else {**found, self._spread_name: spread}

    def judge_filled(self, name: str) -> tuple[Floats, tuple[int, ...], float | None]:
        """The judge's scores, and where and by what the missing ones were replaced."""
        judge = np.array(self.judge, dtype=np.float64)
        missing = np.isnan(judge)
        if not missing.any():
            return judge, (), None
        known = judge[~missing]
        if not len(known):
            raise IngestError(f"{name} is missing in every row: there is no mean that could stand in")
        mean = min(max(math.fsum(known) / len(known), float(known.min())), float(known.max()))
        judge[missing] = mean
        return judge, tuple(int(place) for place in np.flatnonzero(missing)), mean


def _nothing(table: Table, report: Report, reader: RowReader) -> str:
    if report.gold:
        return f"{table.name}: every row that can be taken is a gold item, and none is left for the pool"
    if not report.rows:
        return (
            f"{table.name} has no rows, only a header"
            if table.format == "csv"
            else f"{table.name} has no rows"
        )
    hint = reader.scale_hint()
    return (
        f"{table.name}: none of its {count_rows(report.rows)} can be taken; the first: {report.refused[0]}"
        + (f". {hint}" if hint else "")
    )


def _columns_warnings(table: Table, mapping: Mapping) -> list[str]:
    warnings = []
    for name in human_columns(table):
        if name == mapping.judge:
            warnings.append(f"{name}, chosen as the judge, looks like human scores; is that meant?")
        elif name in mapping.features:
            warnings.append(f"{name}, chosen as a feature, looks like human scores; is that meant?")
        elif name not in (mapping.human, mapping.gold):
            warnings.append(f"{name} looks like human scores: it is left out, and no rater sees it")
    if mapping.prompt is None and mapping.response is None:
        warnings.append("no column is chosen for prompt or response: raters will see nothing to rate")
    return warnings
