"""What looks odd in rows that were taken: counted while reading, told as warnings at the end."""

from __future__ import annotations

import json
import re
from array import array
from dataclasses import dataclass

import numpy as np

from celeus_label.ingest.report import Change, Place, count_rows, shown

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FORMULA = re.compile(r"[=@]\S|[+-][\w.]*[(!|]")


@dataclass
class _Count:
    rows: int
    line: int


class Watch:
    """Counts by (column, kind), with the first row of each."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], _Count] = {}
        self._changes: dict[tuple[str, str], Change] = {}
        self._contents = array("q")
        self._lines = array("q")
        self._files: list[tuple[int, str]] = []  # where the rows of each of several files begin

    def see(self, column: str, kind: str, line: int) -> None:
        """Count one row."""
        count = self._found.get((column, kind))
        if count is None:
            self._found[column, kind] = _Count(1, line)
        else:
            count.rows += 1

    def change(self, column: str, rule: str, line: int, value: object, taken: object) -> None:
        """Count one value that was read as something else than it says."""
        first = self._changes.get((column, rule))
        if first is None:
            read_as = shown(round(taken, 6) if isinstance(taken, float) else taken)
            self._changes[column, rule] = Change(column, rule, 1, line, shown(value), read_as)
        else:
            self._changes[column, rule] = Change(
                column, rule, first.rows + 1, first.line, first.value, first.taken
            )

    def text(self, column: str, text: str, line: int) -> None:
        """Look at one prompt or response."""
        if not text or text.isspace():
            self.see(column, "is empty", line)
            return
        if _CONTROL.search(text):
            self.see(column, "holds control characters, kept as they are,", line)
        if "\ufffd" in text:
            self.see(column, "holds the sign for a damaged character (U+FFFD)", line)
        start = text[0]
        if start in "=@+-" and _FORMULA.match(text):
            self.see(column, "begins like a spreadsheet formula, kept as text,", line)
        elif start in "[{" and text[-1] in "]}" and is_json(text) and not is_chat(text):
            self.see(column, "holds JSON, shown as it stands,", line)

    def content(self, prompt: str, response: str, line: int) -> None:
        """Remember an item's texts, to find others of the same texts."""
        if isinstance(line, Place) and (not self._files or self._files[-1][1] != line.file):
            self._files.append((len(self._lines), line.file))
        self._contents.append(hash((prompt, response)))
        self._lines.append(line)

    def changes(self) -> list[Change]:
        """All changes, in the order met."""
        return list(self._changes.values())

    def warnings(self) -> list[str]:
        """One sentence a kind."""
        found = [
            f"{column} {kind} in {count_rows(count.rows)}, first in row {count.line}"
            for (column, kind), count in self._found.items()
        ]
        same = self._same_content()
        return found if same is None else [*found, same]

    def _same_content(self) -> str | None:
        contents = np.frombuffer(self._contents, dtype=np.int64)
        if len(contents) < 2:
            return None
        order = np.argsort(contents, kind="stable")
        repeats = order[1:][contents[order][1:] == contents[order][:-1]]
        if not len(repeats):
            return None
        later = int(repeats.min())
        earlier = int(np.argmax(contents == contents[later]))
        return (
            f"prompt and response are those of an earlier row in {count_rows(len(repeats))}, first in row"
            f" {self._place(later)} (those of row {self._place(earlier)}); they are kept, as their ids differ"
        )

    def _place(self, number: int) -> int:
        line = self._lines[number]
        file = next((name for begin, name in reversed(self._files) if begin <= number), None)
        return line if file is None else Place(line, file)


def is_json(text: str) -> bool:
    """Whether the text is JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_chat(text: str) -> bool:
    """Whether the text is a JSON list of messages, which is shown as turns."""
    try:
        return is_messages(json.loads(text))
    except (ValueError, RecursionError):
        return False


def is_messages(value: object) -> bool:
    """Whether this is a list of messages with a role and content."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(message, dict) and "role" in message and "content" in message for message in value)
    )
