"""The further aspects of a rubric, as the design freezes them; `aspects` has their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from celeus_label.certify.pool import Floats, Pool
from celeus_label.certify.scale import Scale

LONGEST_NAME = 60
#: More than the keys of a card can go through in good order.
MOST = 12


@dataclass(frozen=True)
class Aspect:
    """What is rated beside the main aspect, on the same draws.

    Attributes
    ----------
    name : str
        Not blank, at most 60 characters.
    scale : Scale
        Of the raters, its lower end first.
    judge : str, optional
        The pool's feature with a judge's scores of this aspect.
    judge_scale : Scale, optional
        Of those scores; the raters' where it is None.

    Raises
    ------
    ValueError
        A value outside what is said above.
    """

    name: str
    scale: Scale
    judge: str | None = None
    judge_scale: Scale | None = None

    def __post_init__(self) -> None:
        check_name(self.name)
        if self.scale.lower > self.scale.upper:
            raise ValueError(
                f"aspect {self.name}: the lower end of its scale must come first, got {self.scale}"
            )

    def surrogate(self, pool: Pool) -> Floats | None:
        """The judge's scores of this aspect on [0, 1], shape (N,), their mean where one is missing; None without."""
        if self.judge is None:
            return None
        scale = self.judge_scale or self.scale
        unit: Floats = (pool.features[self.judge] - scale.lower) / (scale.upper - scale.lower)
        missing = np.isnan(unit)
        if missing.all():
            return None
        return np.where(missing, unit[~missing].mean(), unit)

    def check(self, pool: Pool) -> None:
        """See that the pool has the judge's scores of this aspect, each on their scale.

        Raises
        ------
        ValueError
            It has not.
        """
        if self.judge is None:
            return
        if self.judge not in pool.features:
            known = ", ".join(sorted(pool.features)) or "none"
            raise ValueError(
                f"aspect {self.name}: its judge is the feature {self.judge!r}; the pool's features are {known}"
            )
        scale = self.judge_scale or self.scale
        low, high = sorted((scale.lower, scale.upper))
        column = pool.features[self.judge]
        wrong = (column < low) | (column > high)
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(f"row {row + 1}: {self.judge} is {column[row]:g}, outside the scale {scale}")

    @classmethod
    def parse(cls, text: str) -> Aspect:
        """An aspect as the command line writes it, with or without step and judge's column.

        Raises
        ------
        ValueError
            It is not written so.

        >>> Aspect.parse("clarity=1:5:1@clarity_judge").judge
        'clarity_judge'
        >>> str(Aspect.parse("length=0:100").scale)
        '0 to 100'
        """
        name, equals, rest = text.rpartition("=")
        ends, _, judge = rest.partition("@")
        try:
            lower, upper, *step = map(float, ends.split(":"))
        except ValueError:
            equals = ""
        if not equals or len(step) > 1:
            raise ValueError(
                f"the aspect {text!r} is not written as NAME=LO:HI, NAME=LO:HI:STEP or either with @COLUMN after it"
            )
        return cls(name.strip(), Scale(lower, upper, step[0] if step else None), judge or None)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        judge_scale = None if self.judge_scale is None else self.judge_scale.to_dict()
        return {
            "name": self.name,
            "scale": self.scale.to_dict(),
            "judge": self.judge,
            "judge_scale": judge_scale,
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Aspect:
        """Read what `to_dict` wrote."""
        judge_scale = fields.get("judge_scale")
        return cls(
            fields["name"],
            Scale.from_dict(fields["scale"]),
            fields.get("judge"),
            None if judge_scale is None else Scale.from_dict(judge_scale),
        )


def check_name(name: object) -> None:
    """Raise ValueError where a name is no aspect's."""
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(
            f"the name of an aspect must have 1 to {LONGEST_NAME} characters and no line break, got {name!r}"
        )


def check_values(aspects: tuple[Aspect, ...], given: object, where: str) -> dict[str, float]:
    """One value on its scale for each aspect, or say which is missing, too many or off its scale.

    Parameters
    ----------
    aspects : tuple of Aspect
    given : mapping of str to float
        By the names of the aspects.
    where : str
        The beginning of the error's sentence.

    Raises
    ------
    ValueError
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"{where}: the values of the aspects are missing; there must be one for each")
    names = [aspect.name for aspect in aspects]
    for name in given:
        if name not in names:
            raise ValueError(f"{where}: there is no aspect {name!r}; the aspects are {', '.join(names)}")
    for name in names:
        if name not in given:
            raise ValueError(
                f"{where}: the value of the aspect {name} is missing; there must be one for each"
            )
    return {
        aspect.name: aspect.scale.check(given[aspect.name], f"{where}: {aspect.name}") for aspect in aspects
    }
