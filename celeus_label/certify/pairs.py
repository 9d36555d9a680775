"""Two responses to one prompt, A and B: which stands on the left, and what a rater's verdict is worth.

The value of a pair is 1 where A wins, 0 where B does and 0.5 where neither does, so that the mean over a pool is the
win rate of A over B.
"""

from __future__ import annotations

import hashlib

from celeus_label.certify.scale import Scale

#: What a rater may say, in the order in which it stands on the screen.
VERDICTS = ("left", "right", "tie", "both bad")
#: The scale of a pairwise session.
SCALE = Scale(0, 1, 0.5, ("B wins", "even", "A wins"))


def left_of(seed: int, item_id: str) -> str:
    """Which response stands on the left, "A" or "B": a fair coin for each item, tossed by the design's seed.

    A does where the first byte of the SHA-256 of seed, a space and the item's id, in UTF-8, is even.

    >>> left_of(7, "q2"), left_of(7, "q3")
    ('B', 'A')
    """
    digest = hashlib.sha256(f"{seed} {item_id}".encode()).digest()
    return "B" if digest[0] % 2 else "A"


def value_of(verdict: str, left: str) -> float:
    """The value of a verdict on a pair with A or B on the left.

    Raises
    ------
    ValueError
        The verdict is none of `VERDICTS`.

    >>> value_of("left", "A"), value_of("left", "B"), value_of("both bad", "A")
    (1.0, 0.0, 0.5)
    """
    if verdict not in VERDICTS:
        raise ValueError(f"the verdict is {verdict!r}; it must be one of {', '.join(VERDICTS)}")
    if verdict not in ("left", "right"):
        return 0.5
    return 1.0 if (verdict == "left") == (left == "A") else 0.0


def verdict_of(value: float, left: str) -> str:
    """The verdict that gives a value; a tie where neither wins.

    >>> verdict_of(0.0, "A"), verdict_of(0.5, "A")
    ('right', 'tie')
    """
    if value == 0.5:
        return "tie"
    return "left" if (value == 1.0) == (left == "A") else "right"


def check(seed: int, item_id: str, answer: object, value: float) -> None:
    """See that the order in which a pair was shown is the seed's, and its value the verdict's.

    Parameters
    ----------
    seed : int
        Of the design.
    item_id : str
    answer : dict
        "left" and "verdict", as the ledger has them.
    value : float
        As the ledger has it.

    Raises
    ------
    ValueError
        Something else was recorded; both are named.
    """
    if not isinstance(answer, dict):
        raise ValueError("a rating of a pair must say which response stood on the left, and the verdict")
    left = left_of(seed, item_id)
    if answer.get("left") != left:
        raise ValueError(
            f"item {item_id}: {answer.get('left')!r} is said to have stood on the left, but by the seed it was {left!r}"
        )
    worth = value_of(str(answer.get("verdict")), left)
    if worth != value:
        raise ValueError(
            f"item {item_id}: the verdict {answer['verdict']!r} with {left} on the left is worth {worth:g}, "
            f"not {value!r}"
        )
