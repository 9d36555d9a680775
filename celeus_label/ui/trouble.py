"""What a rater is told when something is refused: what became of the rating, and what to do, in their language.

The store's own sentences are for leads: they name the file, and what whoever keeps the server should do.
"""

from __future__ import annotations

from celeus_label.session import (
    AlreadyRated,
    DatabaseAway,
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseReadOnly,
    DatabaseUnavailable,
    LeaseExpired,
    LeaseUnknown,
)

# Names of texts in `words`.
_NAMES: dict[type[Exception], str] = {
    DatabaseBusy: "trouble_busy",
    DatabaseFull: "trouble_full",
    DatabaseReadOnly: "trouble_read_only",
    DatabaseUnavailable: "trouble_disk",
    DatabaseAway: "trouble_away",
    DatabaseDamaged: "trouble_damaged",
}
# Of an item that is no longer the rater's: nothing was saved, and the card shows another one already.
_LOST: dict[type[Exception], str] = {
    LeaseExpired: "lost_taken",
    LeaseUnknown: "lost_unknown",
    AlreadyRated: "lost_rated",
}


def notice(error: Exception, saved: bool = False) -> str:
    """The name of a text of the card's own, or the sentence of an error that no card brings about by itself.

    Parameters
    ----------
    error : Exception
        Of the store, or a value that is none of the scale's.
    saved : bool
        The rating had been saved before: it is the next item that can't be given out.
    """
    if type(error) in _LOST:
        return _LOST[type(error)]
    name = _NAMES.get(type(error))
    if name is None:
        return str(error)
    if saved:
        return "trouble_next_away" if name == "trouble_away" else "trouble_next"
    return name
