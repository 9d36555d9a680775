"""One row of a table read by its mapping: an item, or the rule that refuses it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify import Scale
from celeus_label.ingest.cells import NotAScore, Score, is_missing, read_score, read_text
from celeus_label.ingest.limits import MAX_CELL_CHARACTERS
from celeus_label.ingest.mapping import Mapping
from celeus_label.ingest.preferences import worth
from celeus_label.ingest.report import Refusal, shown
from celeus_label.ingest.table import Row, cell
from celeus_label.ingest.watch import Watch, is_messages

_SENTINELS = frozenset({-1.0, -9.0, -99.0, -999.0, -9999.0, 9.0, 99.0, 999.0, 9999.0})
_EXCEL_DAYS = (36_526, 73_050)  # 1 January 2000 to the end of 2099, as Excel counts days
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MAX_ID_CHARACTERS = 1_000
_NAN = math.nan


class Item(NamedTuple):
    """One row as a pool takes it; NaN where a number is missing."""

    item_id: str
    prompt: str
    response: str
    judge: float
    spread: float
    human: float
    features: tuple[float, ...]
    groups: tuple[str, ...]
    gold: float = _NAN
    response_b: str = ""


class _Refused(Exception):
    def __init__(self, column: str, value: object, rule: str) -> None:
        super().__init__(rule)
        self.column, self.value, self.rule = column, value, rule


class RowReader:
    """Reads rows by a mapping, and remembers what the judge's column as a whole looks like."""

    def __init__(
        self,
        mapping: Mapping,
        scale: Scale,
        judge_scale: Scale,
        watch: Watch,
        allow_missing: bool,
        decimal_comma: bool,
    ) -> None:
        self._mapping = mapping
        self._scale, self._judge_scale = scale, judge_scale
        self._allow_missing, self._decimal_comma = allow_missing, decimal_comma
        self._watch = watch
        self._low, self._high = math.inf, -math.inf
        self._outside = False
        self._odd: list[Callable[[], None]] = []

    def read(self, line: int, row: Row, number: int) -> Item | Refusal:
        """Read the row at `line`, the file's row `number` (from 1), which names it where there is no id."""
        mapping = self._mapping
        self._odd.clear()
        try:
            item_id = f"row-{number}" if mapping.item_id is None else self._id(mapping.item_id, row)
            judge, spread = self._judge(mapping.judge, row, line)
            return Item(
                item_id,
                self._text(mapping.prompt, row, line),
                self._text(mapping.response, row, line),
                judge,
                spread,
                self._human(mapping.human, row, line),
                tuple([self._feature(name, row, line) for name in mapping.features]),
                tuple([self._plain_text(name, cell(row, name)) for name in mapping.groups]),
                self._gold(mapping.gold, row, line),
                self._text(mapping.response_b, row, line),
            )
        except _Refused as fault:
            value = fault.value
            return Refusal(line, fault.column, "" if value is None else shown(value), fault.rule)

    def taken(self, item: Item, line: int) -> None:
        """Note what is odd in the row that was read last, now that it is taken."""
        for note in self._odd:
            note()
        mapping = self._mapping
        if mapping.prompt is not None:
            self._watch.text(mapping.prompt, item.prompt, line)
        if mapping.response is not None:
            self._watch.text(mapping.response, item.response, line)
        if mapping.response_b is not None:
            self._watch.text(mapping.response_b, item.response_b, line)
        if item.prompt or item.response:
            self._watch.content(item.prompt, item.response + item.response_b, line)

    def _id(self, column: str, row: Row) -> str:
        value = cell(row, column)
        text = self._plain_text(column, value)
        if not text.strip():
            raise _Refused(column, value, "is blank; fill it in, or choose no id column to number the rows")
        if len(text) > _MAX_ID_CHARACTERS:
            raise _Refused(
                column, value, f"has {len(text):,} characters, an id at most {_MAX_ID_CHARACTERS:,}"
            )
        if _CONTROL.search(text):
            raise _Refused(column, value, f"is {text[:80]!r}, with a line break or control character")
        return text

    def _judge(self, column: str, row: Row, line: int) -> tuple[float, float]:
        value = self._number(row, column)
        try:
            score = read_score(value, self._decimal_comma)
        except NotAScore as fault:
            if fault.missing and self._allow_missing:
                return _NAN, _NAN
            advice = "; fill it in, or let the mean of the others stand in" if fault.missing else ""
            raise _Refused(column, value, str(fault) + advice) from None
        self._low, self._high = min(self._low, score.value), max(self._high, score.value)
        try:
            self._check(column, value, score, self._judge_scale)
        except _Refused:
            self._outside = True
            raise
        if score.change:
            self._change(column, score.change, line, value, score.value)
        return score.value, score.spread()

    def _human(self, column: str | None, row: Row, line: int) -> float:
        if column is None:
            return _NAN
        return self._optional(column, self._number(row, column), line, self._scale)

    def _number(self, row: Row, column: str) -> object:
        """A cell; of pairs, a preference in words as its number."""
        value = cell(row, column)
        return value if self._mapping.response_b is None else worth(value)

    def _gold(self, column: str | None, row: Row, line: int) -> float:
        """The known answer; most rows have none, which is nothing to remark."""
        if column is None or is_missing(cell(row, column)):
            return _NAN
        return self._optional(column, self._number(row, column), line, self._scale)

    def _feature(self, column: str, row: Row, line: int) -> float:
        return self._optional(column, cell(row, column), line, None)

    def _optional(self, column: str, value: object, line: int, scale: Scale | None) -> float:
        """A number that may be missing."""
        try:
            score = read_score(value, self._decimal_comma)
        except NotAScore as fault:
            if fault.missing:
                self._odd.append(partial(self._watch.see, column, "is missing", line))
                return _NAN
            raise _Refused(column, value, str(fault)) from None
        if scale is not None:
            self._check(column, value, score, scale)
        if score.change:
            self._change(column, score.change, line, value, score.value)
        return score.value

    def _check(self, column: str, value: object, score: Score, scale: Scale) -> None:
        low, high = sorted((scale.lower, scale.upper))
        if low <= score.value <= high and not score.samples:
            return
        for place, number in enumerate(score.samples or (score.value,), start=1):
            if low <= number <= high:
                continue
            which = f"has {_plain(number)} as value {place}" if score.samples else f"is {_plain(number)}"
            rule = f"{which}, outside the scale {_ends(scale)}"
            if number in _SENTINELS:
                rule += f"; {_plain(number)} often stands for a missing score"
            elif _EXCEL_DAYS[0] <= number <= _EXCEL_DAYS[1] and number == int(number):
                rule += "; it may be a date that Excel made from a score such as 4/5"
            raise _Refused(column, value, rule)

    def _text(self, column: str | None, row: Row, line: int) -> str:
        if column is None:
            return ""
        value = cell(row, column)
        text = self._plain_text(column, value)
        if isinstance(value, (list, dict)) and not is_messages(value):
            self._change(column, "list or object kept as JSON text", line, value, text)
        return text

    def _change(self, column: str, rule: str, line: int, value: object, taken: object) -> None:
        self._odd.append(partial(self._watch.change, column, rule, line, value, taken))

    def _plain_text(self, column: str, value: object) -> str:
        if type(value) is str and len(value) <= MAX_CELL_CHARACTERS and value.isascii():
            return value
        try:
            text = read_text(value)
        except ValueError as fault:
            raise _Refused(column, repr(value), str(fault)) from None
        if len(text) > MAX_CELL_CHARACTERS:
            raise _Refused(
                column, value, f"is {len(text):,} characters long; a cell has at most {MAX_CELL_CHARACTERS:,}"
            )
        return text

    def scale_hint(self) -> str:
        """What the judge's scores say of their scale, where some lie outside it; else ""."""
        if not self._outside:
            return ""
        return (
            f"{self._mapping.judge} runs from {_plain(self._low)} to {_plain(self._high)}, the scale given is"
            f" {_ends(self._judge_scale)}; if the judge uses another scale, give it as the judge's scale"
        )

    def warnings(self, judge: NDArray[np.float64]) -> list[str]:
        """Sentences about the judge's column as a whole."""
        name, scale = self._mapping.judge, self._judge_scale
        found = [self.scale_hint()] if self._outside else []
        low, high = float(judge.min()), float(judge.max())
        if low == high and len(judge) > 1:
            found.append(f"{name} is {_plain(low)} in every row: a constant judge saves no ratings")
        elif len(judge) >= 20 and high - low < 0.25 * scale.range:
            found.append(
                f"{name} runs only from {_plain(low)} to {_plain(high)} of the scale {_ends(scale)};"
                " is this the judge's scale?"
            )
        return found


def _ends(scale: Scale) -> str:
    # judges' scores and means of ratings may lie between two steps, so the step is no part of the rule
    return f"{scale.lower:g} to {scale.upper:g}"


def _plain(number: float) -> str:
    """A number as people write it: 5 and not 5.0."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)
