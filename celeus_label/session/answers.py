"""What a rater says of an item, as the value that the statistics take and the words that the ledger keeps beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from celeus_label.certify import Design, pairs
from celeus_label.certify.rubric import check_values
from celeus_label.session.live import Live
from celeus_label.session.types import Identity
from celeus_label.store import ItemRow

#: A value on the raters' scale, or a verdict on a pair.
Said = float | str


def responses(design: Design, item: ItemRow) -> tuple[str, str | None]:
    """The response to show, and of a pair the one on the right; which is A and which is B no rater learns."""
    if design.task == "single":
        return item.response, None
    a, b = item.response, str(item.extra["response_b"])
    return (a, b) if pairs.left_of(design.seed, item.item_id) == "A" else (b, a)


def in_order(design: Design, answer: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the ledger keeps beside a value, its aspects in the order of the design; {} where there is nothing."""
    said = dict(answer or {})
    if "aspects" in said:
        said["aspects"] = {aspect.name: said["aspects"][aspect.name] for aspect in design.aspects}
    return said


def read_score(
    live: Live, who: Identity, said: Said, aspects: Mapping[str, float] | None, item: Callable[[], ItemRow]
) -> tuple[float, dict[str, Any] | None]:
    """The value of what a rater said, and what the ledger keeps beside it.

    Of a pair a lead may give the value itself. For a rater it would be a way to vote for A without knowing which it is,
    and then to see where it stood.

    Raises
    ------
    ValueError
        It is not on the scale, or no verdict, or the values of the further aspects are not those of the design.
    """
    scale = live.pool.scale
    if live.design.aspects:
        number = scale.check(said, f"the rating of {live.design.main_aspect}")  # type: ignore[arg-type]
        return number, {"aspects": check_values(live.design.aspects, aspects, "the rating")}
    if aspects:
        raise ValueError("values of further aspects are given, but the design has none")
    if live.design.task == "single":
        return scale.check(said, "the rating"), None  # type: ignore[arg-type]
    left = pairs.left_of(live.design.seed, item().item_id)
    if isinstance(said, str) or who.role == "rater":
        verdict = str(said)
    else:
        verdict = pairs.verdict_of(scale.check(said, "the value of the pair"), left)
    return pairs.value_of(verdict, left), {"left": left, "verdict": verdict}
