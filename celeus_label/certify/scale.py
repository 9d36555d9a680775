"""A bounded rating scale and its map to the unit interval."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Scale:
    """A bounded scale; `lower` maps to 0 and `upper` to 1.

    A scale on which lower is better is written with its ends swapped: ``Scale(5, 1)`` maps 5 to 0.

    Attributes
    ----------
    lower, upper : float
        The two ends, finite and different.
    step : float, optional
        Distance between allowed values, counted from `lower`; None allows every value between the ends.
    labels : tuple of str
        Words for the points, or for the two ends; may be empty.

    Examples
    --------
    >>> likert = Scale(1, 5, step=1)
    >>> likert.to_unit(2)
    0.25
    >>> likert.from_unit(0.25)
    2.0
    """

    lower: float
    upper: float
    step: float | None = None
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Scale(1, 5) and Scale(1.0, 5.0) are the same scale, and must be the same JSON where they are hashed.
        for name in ("lower", "upper", "step"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, float(getattr(self, name)))
        if not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise ValueError(f"scale: its ends must be finite numbers, got {self.lower} and {self.upper}")
        if self.lower == self.upper:
            raise ValueError(f"scale: its ends must differ, got {self.lower:g} twice")
        if self.step is not None:
            if not 0 < self.step <= abs(self.upper - self.lower):
                raise ValueError(f"scale: the step must lie in (0, {self.range:g}], got {self.step}")
            if not _on_step(self.upper, self.lower, self.step):
                raise ValueError(
                    f"scale: {self.upper:g} is no whole number of steps of {self.step:g} from {self.lower:g}"
                )

    @property
    def range(self) -> float:
        """Distance between the two ends, positive."""
        return abs(self.upper - self.lower)

    def check(self, value: float, where: str) -> float:
        """Return the value as a float, or say why it is none of the scale's.

        Parameters
        ----------
        value : float
            On this scale.
        where : str
            What the value is and where it stands, the beginning of the error's sentence.

        Raises
        ------
        ValueError
            The value is no finite number, outside the ends, or between two steps.
        """
        try:
            number = float(value)
        except (TypeError, ValueError) as fault:
            raise ValueError(f"{where} is {value!r}, not a number; the scale is {self}") from fault
        if not math.isfinite(number):
            raise ValueError(f"{where} is {number}, not a finite number; the scale is {self}")
        if not min(self.lower, self.upper) <= number <= max(self.lower, self.upper):
            raise ValueError(f"{where} is {number:g}, outside the scale {self}")
        if self.step is not None and not _on_step(number, self.lower, self.step):
            raise ValueError(f"{where} is {number:g}, between two steps of the scale {self}")
        return number

    def to_unit(self, value: float) -> float:
        """Map a value of this scale to [0, 1]."""
        return (value - self.lower) / (self.upper - self.lower)

    def from_unit(self, unit: float) -> float:
        """Map a value of [0, 1] back to this scale."""
        return self.lower + unit * (self.upper - self.lower)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {**asdict(self), "labels": list(self.labels)}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Scale:
        """Read what `to_dict` wrote."""
        return cls(
            float(fields["lower"]),
            float(fields["upper"]),
            None if fields.get("step") is None else float(fields["step"]),
            tuple(fields.get("labels", ())),
        )

    def __str__(self) -> str:
        step = "" if self.step is None else f" in steps of {self.step:g}"
        return f"{self.lower:g} to {self.upper:g}{step}"


def _on_step(value: float, lower: float, step: float) -> bool:
    steps = abs(value - lower) / step
    return abs(steps - round(steps)) < 1e-6
