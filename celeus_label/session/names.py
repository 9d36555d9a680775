"""Names of people and sessions: one line of visible characters."""

from __future__ import annotations

import unicodedata

# Controls, and what turns the direction of the text around it: a name could change the words that it stands among.
_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def checked(name: str, what: str) -> str:
    """The name without blanks around it.

    Raises
    ------
    ValueError
        It holds a control character or one that changes the direction of text.

    Examples
    --------
    >>> checked(" Ada شهرزاد ", "the name")
    'Ada شهرزاد'
    >>> checked("Ada\u202e", "the name")
    Traceback (most recent call last):
    ...
    ValueError: the name holds the invisible character U+202E at place 4; write it without
    """
    name = name.strip()
    for place, letter in enumerate(name, start=1):
        if _unseen(letter):
            raise ValueError(
                f"{what} holds the invisible character U+{ord(letter):04X} at place {place}; write it without"
            )
    return name


def cleaned(name: str) -> str:
    """The name without such characters, where there is nobody to ask for another."""
    return "".join(letter for letter in name if not _unseen(letter)).strip()


def _unseen(letter: str) -> bool:
    return letter in _TURNING or unicodedata.category(letter) in _UNSEEN
