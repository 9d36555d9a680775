"""How much a file may hold, and the error for a file that can't be read at all.

The limits keep a hostile or broken file from taking the machine: each is checked while reading, so that
a small compressed file can't unfold without end.
"""

from __future__ import annotations

MAX_ROWS = 2_000_000
"""Rows of one pool."""

MAX_TEXT_BYTES = 512 * 1024**2
"""Prompts and responses of one pool together, as UTF-8."""

MAX_CELL_CHARACTERS = 10_000_000
"""One cell of a table."""

MAX_LINE_CHARACTERS = 64 * 1024**2
"""One line of a text file."""

MAX_FILE_BYTES = 4 * 1024**3
"""One file after decompression, read as a stream."""

MAX_WHOLE_BYTES = 128 * 1024**2
"""What can't be streamed: one JSON object, the shared texts of an Excel workbook; after decompression."""

MAX_WORKBOOK_BYTES = 1024**3
"""An Excel workbook after decompression."""

MAX_JOINED_ROWS = 500_000
"""Rows of a file that is joined to another, which are held in memory."""

MAX_COLUMNS = 2_000


class IngestError(ValueError):
    """A file, or a mapping, that can't be used as it is; the sentence says why and what to do."""
