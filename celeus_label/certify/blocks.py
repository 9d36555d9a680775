"""Long columns a block at a time, so that a step over a large pool needs no further column of its length."""

from __future__ import annotations

from collections.abc import Iterator

# Half a megabyte of numbers, which a processor's cache holds.
LENGTH = 65_536


def blocks(size: int, length: int = LENGTH) -> Iterator[slice]:
    """The slices of 0 to size, each of `length` items but the last.

    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(0, size, length):
        yield slice(start, min(start + length, size))
