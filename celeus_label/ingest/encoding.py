"""Which encoding a text file is in: byte-order mark, valid UTF-8, the zero bytes of UTF-16, else a guess."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

from celeus_label.ingest.limits import IngestError
from celeus_label.ingest.source import Source, is_encoding

_MARKS = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64 * 1024
_BLOCK = 1024 * 1024
# Encodings of one script each. The western single-byte ones differ in a few signs that no guess can tell
# apart, and Windows' is what people have.
_CANDIDATES = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254"]
_CANDIDATES += ["shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"]
_WESTERN = frozenset({"cp1252", "cp1250", "cp1254", "latin_1", "ascii"})


def find_encoding(source: Source, wanted: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The encoding of a text file, and notes for the person who uploads it.

    Parameters
    ----------
    source : Source
    wanted : str, optional
        What the person says it is; taken at their word.

    Returns
    -------
    encoding : str
        A name that Python knows.
    notes : tuple of str
        Says so when the encoding was guessed.
    """
    if wanted is not None:
        if not is_encoding(wanted):
            raise IngestError(f'encoding "{wanted}" is not known; try utf-8, utf-16 or cp1252')
        # a mark in front of UTF-8 is no part of the first column's name
        return ("utf-8-sig" if codecs.lookup(wanted).name == "utf-8" else wanted), ()
    sample = source.head(_SAMPLE)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding, ()
    if b"\0" in sample:
        return _wide(source, sample)
    wrong = _first_not_utf8(source)
    if wrong is None:
        return "utf-8", ()
    return _guess(source, wrong)


def _wide(source: Source, sample: bytes) -> tuple[str, tuple[str, ...]]:
    """UTF-16 without a mark: the letters of most scripts leave every other byte zero."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if _first_not_utf8(source) is None:
        # Valid UTF-8 all the same: characters below U+0080 alone. A table opens with a visible sign, so that
        # wide characters show a zero in the first pair (RFC 4627, section 3); a NUL in some text does not.
        if sample[:2].count(0) != 1:
            return "utf-8", ()
    elif max(even, odd) < 0.02 * len(sample) or min(even, odd) > 0.1 * max(even, odd):
        raise IngestError(
            f"{source.name} holds zero bytes: it is not text; export it as CSV, JSONL, Parquet or Excel"
        )
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    return encoding, (f"read as {encoding}: every other byte is zero, although there is no byte-order mark",)


def _first_not_utf8(source: Source) -> int | None:
    """Where the first block begins that is not UTF-8, or None."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    start = 0
    with source.open() as stream:
        while block := stream.read(_BLOCK):
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                return start
            start += len(block)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return max(start - _BLOCK, 0)
    return None


def _guess(source: Source, start: int) -> tuple[str, tuple[str, ...]]:
    with source.open() as stream:
        remaining = start
        while remaining > 0:
            remaining -= len(stream.read(min(remaining, _BLOCK))) or remaining
        block = stream.read(_BLOCK)
    # only lines with letters beyond ASCII say something
    telling = b"".join(line for line in block.splitlines(keepends=True) if not line.isascii())[:_SAMPLE]
    best = from_bytes(telling, cp_isolation=_CANDIDATES).best()
    encoding = "cp1252" if best is None or best.encoding in _WESTERN else best.encoding
    return encoding, (
        f"read as {encoding}, a guess, as the file is not UTF-8; name the encoding if accents look wrong",
    )
