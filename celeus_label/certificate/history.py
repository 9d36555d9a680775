"""What a ledger says in plain words, without any statistics: who rated what, and what changed since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from celeus_label.ledger import Event


@dataclass
class Rating:
    """A rating as it stands.

    Attributes
    ----------
    ledger_row : int
        The row of the ledger that it came with.
    round : int
    item_id : str
    rater : str
        Opaque id.
    value : int or float
        The current value, on the raters' scale, as the ledger has it.
    first_value : int or float
        The value before any correction.
    rated_at, corrected_at : str
        Times of the ledger; `corrected_at` None where it never was corrected.
    duration_ms : int, optional
    comment : str, optional
    flag : int
        1 where the rater pointed the item out to the lead, 0 else.
    verdict, left : str, optional
        Of a pair: what the rater said, and which response, A or B, stood on the left.
    aspects : dict of str to number
        The current values of the further aspects.
    corrections : int
    """

    ledger_row: int
    round: int
    item_id: str
    rater: str
    value: int | float
    first_value: int | float
    rated_at: str
    duration_ms: int | None
    comment: str | None
    flag: int = 0
    verdict: str | None = None
    left: str | None = None
    aspects: dict[str, int | float] = field(default_factory=dict)
    corrections: int = 0
    corrected_at: str | None = None


@dataclass
class History:
    """A ledger, read.

    Attributes
    ----------
    draws : list of (int, str)
        Position and id of the item of each draw.
    ratings : dict
        The current rating of each (round, rater), in the order of the ledger.
    unable : dict of int to set of str
        Who could not rate a draw.
    people : dict of str to None
        Everybody whom the ledger names, in the order of their first appearance.
    corrections : int
    further : dict of int to int
        Number of ratings that a draw was asked for where its first ones differ.
    decided : dict of int to float
        The values that a lead decided.
    """

    draws: list[tuple[int, str]] = field(default_factory=list)
    ratings: dict[tuple[int, str], Rating] = field(default_factory=dict)
    unable: dict[int, set[str]] = field(default_factory=dict)
    people: dict[str, None] = field(default_factory=dict)
    corrections: int = 0
    further: dict[int, int] = field(default_factory=dict)
    decided: dict[int, int | float] = field(default_factory=dict)

    def current(self) -> list[Rating]:
        """The ratings by round, and within a round in the order of the ledger."""
        return sorted(self.ratings.values(), key=lambda rating: (rating.round, rating.ledger_row))

    def unratable(self, ratings_per_item: int, unratable_after: int) -> int:
        """Number of draws that were closed because nobody could rate them."""
        rated = Counter(round_ for round_, _ in self.ratings)
        return sum(
            len(people) >= unratable_after
            and rated[round_] < self.further.get(round_, ratings_per_item)
            and round_ not in self.decided
            for round_, people in self.unable.items()
        )


def read_history(events: Iterable[Event]) -> History:
    """Read a ledger.

    Raises
    ------
    ValueError
        An event has a field of the wrong type or speaks of something that is not there; its row is named.
    """
    history = History()
    for event in events:
        if event.kind == "draw":
            history.draws.append((_int(event, "position"), _text(event, "item")))
        elif event.kind == "rating":
            _rate(history, event)
        elif event.kind == "correction":
            _correct(history, event)
        elif event.kind in ("unratable", "later"):
            rater = _person(history, event, "rater")
            if event.kind == "unratable":
                history.unable.setdefault(_int(event, "round"), set()).add(rater)
        elif event.kind == "further":
            history.further[_int(event, "round")] = _int(event, "wanted")
        elif event.kind == "adjudication":
            _person(history, event, "by")
            history.decided[_int(event, "round")] = _number(event, "new")
        elif event.kind == "control" and event.body.get("rater") is not None:
            _person(history, event, "rater")
    return history


def _rate(history: History, event: Event) -> None:
    round_, rater, value = _int(event, "round"), _person(history, event, "rater"), _number(event, "value")
    if not 1 <= round_ <= len(history.draws):
        raise _wrong(event, f"there is no draw {round_} before it")
    if (round_, rater) in history.ratings:
        raise _wrong(event, f"rater {rater} rated draw {round_} before")
    item_id = history.draws[round_ - 1][1]
    duration = None if event.body.get("duration_ms") is None else _int(event, "duration_ms")
    comment = None if event.body.get("comment") is None else _text(event, "comment")
    flag = event.body.get("flag", False)
    if not isinstance(flag, bool):
        raise _wrong(event, f"its flag is {flag!r}, not true or false")
    rating = Rating(
        event.seq, round_, item_id, rater, value, value, _time(event), duration, comment, int(flag)
    )
    _answer(rating, event)
    history.ratings[round_, rater] = rating


def _answer(rating: Rating, event: Event) -> None:
    """What was said beside the value, as the event has it."""
    answer = event.body.get("answer")
    if answer is None:
        return
    if not isinstance(answer, dict):
        raise _wrong(event, f"its answer is {answer!r}, not an object")
    for name in ("verdict", "left"):
        said = answer.get(name)
        if said is not None and not isinstance(said, str):
            raise _wrong(event, f"its {name} is {said!r}, not a text")
        setattr(rating, name, said)
    aspects = answer.get("aspects", {})
    if not isinstance(aspects, dict):
        raise _wrong(event, f"its aspects are {aspects!r}, not an object")
    for name, value in aspects.items():
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise _wrong(event, f"its aspect {name} is {value!r}, not a number")
    rating.aspects = dict(aspects)


def _correct(history: History, event: Event) -> None:
    round_, rater = _int(event, "round"), _person(history, event, "rater")
    if event.body.get("by") is not None:
        _person(history, event, "by")
    rating = history.ratings.get((round_, rater))
    if rating is None:
        raise _wrong(event, f"rater {rater} has no rating of draw {round_} to correct")
    old = _number(event, "old")
    if old != rating.value:
        raise _wrong(event, f"its old value is {old!r}, but the rating was {rating.value!r}")
    rating.value = _number(event, "new")
    _answer(rating, event)
    rating.corrections += 1
    rating.corrected_at = _time(event)
    history.corrections += 1


def _person(history: History, event: Event, name: str) -> str:
    person = _text(event, name)
    history.people.setdefault(person)
    return person


def _text(event: Event, name: str) -> str:
    value = event.body.get(name)
    if not isinstance(value, str):
        raise _wrong(event, f"its {name} is {value!r}, not a text")
    return value


def _int(event: Event, name: str) -> int:
    value = event.body.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(event, f"its {name} is {value!r}, not a whole number")
    return value


def _number(event: Event, name: str) -> int | float:
    value = event.body.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _wrong(event, f"its {name} is {value!r}, not a number")
    return value


def _time(event: Event) -> str:
    if not isinstance(event.at, str):
        raise _wrong(event, f"its time is {event.at!r}, not a text")
    return event.at


def _wrong(event: Event, sentence: str) -> ValueError:
    return ValueError(f"ledger row {event.seq} ({event.kind}): {sentence}")
