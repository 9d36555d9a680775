"""Times as the database keeps them: UTC, ISO 8601 with offset, always to the microsecond.

One fixed width makes the order of the texts the order of the times.
"""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(moment: datetime) -> str:
    """The text of an aware datetime.

    >>> stamp(datetime(2026, 11, 29, 12, 0, tzinfo=UTC))
    '2026-11-29T12:00:00.000000+00:00'
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone; pass an aware datetime in UTC")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    """The aware datetime of a text made by `stamp`."""
    return datetime.fromisoformat(text)
