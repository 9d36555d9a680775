"""What one cell says: a score, several scores, a missing value, or text; and the words for what is wrong."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from celeus_label.ingest.report import quoted

MISSING_WORDS = frozenset(
    {"", "none", "null", "nan", "na", "n/a", "#n/a", "<na>", "nil", "missing", "-", "--", "?", "nat"}
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?"
    rf"|\d{{1,2}}[- ]({_MONTHS})[a-z]*([- ]\d{{2,4}})?"
    rf"|({_MONTHS})[a-z]*[- ]\d{{1,4}}",
    re.IGNORECASE | re.ASCII,
)
_FRACTION = re.compile(r"\d+(\.\d+)?\s*/\s*\d+(\.\d+)?", re.ASCII)
_EXCEL = "Excel may have made it from a score such as 4/5"
# No comma and no space: in "1,234" and "1 234" they may stand inside one number.
_LIST_SEPARATORS = (";", "|")


@dataclass(frozen=True, slots=True)
class Score:
    """A cell read as one number.

    Attributes
    ----------
    value : float
        The number, or the mean of the samples; finite.
    samples : tuple of float
        More than one when the cell holds a list of scores.
    change : str
        Why the cell was read as something else than it says; empty when it was not.
    """

    value: float
    samples: tuple[float, ...] = ()
    change: str = ""

    def spread(self) -> float:
        """Standard deviation of the samples (divided by their number), NaN with fewer than two."""
        if len(self.samples) < 2:
            return math.nan
        return math.sqrt(math.fsum((sample - self.value) ** 2 for sample in self.samples) / len(self.samples))


class NotAScore(ValueError):
    """The cell holds no number; the text is the rest of the sentence "judge_score …".

    `missing` says whether the cell stands for a missing value.
    """

    def __init__(self, rule: str, missing: bool = False) -> None:
        super().__init__(rule)
        self.missing = missing


def is_missing(value: object) -> bool:
    """Whether a cell stands for a missing value: blank, null, NaN, "None", "n/a" and the like."""
    if value is None:
        return True
    if isinstance(value, str):
        return value.strip().casefold() in MISSING_WORDS
    return isinstance(value, float) and math.isnan(value)


def read_number(value: object) -> float | None:
    """The plain number a cell holds, or None: no words, no lists, no infinities."""
    if isinstance(value, str):
        text = value.strip()
        return _finite(float(text)) if _NUMBER.fullmatch(text) else None
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float, decimal.Decimal)):
        try:
            return _finite(float(value))
        except OverflowError:
            return None
    return None


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def read_score(value: object, decimal_comma: bool = False) -> Score:
    """Read a cell of a score column.

    Parameters
    ----------
    value : object
    decimal_comma : bool
        Whether "4,5" means 4.5; it is refused otherwise, as it may be a list or a thousand.

    Raises
    ------
    NotAScore
        With the rule that the cell breaks.
    """
    number = read_number(value)
    if number is not None:
        return Score(number)
    if is_missing(value):
        raise NotAScore(f"is {quoted('' if value is None else value)}, no score", missing=True)
    if isinstance(value, bool):
        return Score(float(value), change="true or false read as 1 or 0")
    if isinstance(value, (dt.date, dt.time)):
        raise NotAScore(f"is {quoted(str(value))}, a date; {_EXCEL}")
    if isinstance(value, (list, tuple)):
        return _read_samples(value)
    if isinstance(value, str):
        return _read_words(value.strip(), decimal_comma)
    finite = "finite " if isinstance(value, (int, float)) else ""
    raise NotAScore(f"is {quoted(value)}, not a {finite}number")


def _read_words(text: str, decimal_comma: bool) -> Score:
    if text.casefold() in ("true", "false"):
        return Score(float(text.casefold() == "true"), change="true or false read as 1 or 0")
    if text[:1] in "[{":
        try:
            inside = json.loads(text)
        except (ValueError, RecursionError):
            raise NotAScore(f"is {quoted(text)}, not a number") from None
        if isinstance(inside, list):
            return _read_samples(inside)
        raise NotAScore(f"holds JSON ({quoted(text)}), not a number; give one of its keys a column")
    if _DATE.fullmatch(text):
        raise NotAScore(f"is {quoted(text)}, a date; {_EXCEL}")
    if _FRACTION.fullmatch(text):
        raise NotAScore(f"is {quoted(text)}, a fraction; write it as one number")
    if text.endswith("%") and read_number(text[:-1]) is not None:
        raise NotAScore(f"is {quoted(text)}, a percentage; write it as a number on the scale")
    if _DECIMAL_COMMA.fullmatch(text):
        if not decimal_comma:
            raise NotAScore(f"is {quoted(text)}, with a comma; write 4.5, or [4, 5] for a list of scores")
        return Score(float(text.replace(",", ".")), change="decimal comma read as a point")
    samples = _split_numbers(text)
    if samples is not None:
        return _read_samples(samples)
    if _NUMBER.fullmatch(text) or text.casefold().lstrip("+-") in ("inf", "infinity"):
        raise NotAScore(f"is {quoted(text)}, not a finite number")
    if text.startswith("#"):
        raise NotAScore(f"is the spreadsheet error {quoted(text)}, not a number")
    raise NotAScore(f"is {quoted(text)}, text and not a number")


def _split_numbers(text: str) -> list[float] | None:
    """The numbers in "4;5;4", or None."""
    for separator in _LIST_SEPARATORS:
        if separator in text:
            numbers = [read_number(part) for part in text.split(separator)]
            found = [number for number in numbers if number is not None]
            if len(found) == len(numbers):
                return found
    return None


def _read_samples(values: Sequence[object]) -> Score:
    if not values:
        raise NotAScore("is an empty list, no score", missing=True)
    samples = []
    for place, value in enumerate(values, start=1):
        number = read_number(value)
        if number is None:
            raise NotAScore(f"is a list whose value {place} is {quoted(value)}, not a number")
        samples.append(number)
    return Score(math.fsum(samples) / len(samples), tuple(samples), "list of scores read as its mean")


def read_text(value: object) -> str:
    """A cell of a text column as text: words verbatim, lists and objects as JSON, missing values as "".

    Raises
    ------
    ValueError
        Bytes that are no UTF-8, or half a character, which no file can hold.
    """
    if isinstance(value, str):
        text = value
    elif value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    elif isinstance(value, (bool, list, dict, tuple)):
        text = json.dumps(value, ensure_ascii=False, default=str)
    elif isinstance(value, (dt.date, dt.time)):
        text = value.isoformat()
    elif isinstance(value, bytes):
        try:
            text = value.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("holds bytes that are not UTF-8 text") from None
    else:
        text = str(value)
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as problem:
            code = ord(text[problem.start])
            raise ValueError(f"holds half a character (U+{code:04X}), which no text file can store") from None
    return text
