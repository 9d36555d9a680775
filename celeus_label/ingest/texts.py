"""A million prompts and responses in little more memory than their letters."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import overload

from celeus_label.ingest.limits import MAX_TEXT_BYTES, IngestError


class Texts(Sequence[tuple[str, str]]):
    """(prompt, response) of each item, in the pool's order; behaves as a read-only list of pairs.

    The letters stand in one block of UTF-8: a million pairs of Python strings would need some 170 MB more
    than their text.
    """

    def __init__(self) -> None:
        self._block = bytearray()
        self._ends = array("q")

    def append(self, prompt: str, response: str) -> None:
        """Add one item's texts; raises `IngestError` past the limit of a pool's text."""
        self._block += prompt.encode("utf-8")
        self._ends.append(len(self._block))
        self._block += response.encode("utf-8")
        self._ends.append(len(self._block))
        if len(self._block) > MAX_TEXT_BYTES:
            raise IngestError(
                f"the prompts and responses are longer than {MAX_TEXT_BYTES // 1024**2} MB, the most one pool"
                " may hold; split the file, or shorten the texts"
            )

    def __len__(self) -> int:
        return len(self._ends) // 2

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[str, str]]: ...
    def __getitem__(self, index: int | slice) -> tuple[str, str] | Sequence[tuple[str, str]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"there is no item {index}: the pool has {len(self)}")
        start = self._ends[2 * position - 1] if position else 0
        middle, end = self._ends[2 * position], self._ends[2 * position + 1]
        return self._block[start:middle].decode("utf-8"), self._block[middle:end].decode("utf-8")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Texts):
            return self._block == other._block and self._ends == other._ends
        if isinstance(other, Sequence):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]
