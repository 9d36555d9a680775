"""The design of a session: every rule that is frozen before the first draw."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtri

from celeus_label.certify.design_rules import check_fields, check_pool, check_preset
from celeus_label.certify.pool import Pool
from celeus_label.certify.population import STEPS
from celeus_label.certify.presets import PRESETS
from celeus_label.certify.roots import root
from celeus_label.certify.rubric import Aspect
from celeus_label.certify.surrogates import LOWEST_FLOOR


@dataclass(frozen=True)
class Design:
    """The rules of one session on one pool.

    Attributes
    ----------
    width : float
        Target width of the interval as a fraction of the scale's range, in (0, 1).
    alpha : float
        Miscoverage allowed over the whole session, in (0, 1).
    target : str
        "pool": the mean of the pool's items. "population": the mean of what the pool was sampled from.
    preset : str
        "target-aware", "celeus" or "celeus-no-surrogate", which are valid for both targets; or "evalue", which is valid
        for the population alone.
    seed : int
        Of the draws, not negative.
    ratings_per_item : int
        k; the value of an item is the mean (or median, see `aggregate`) of its k ratings.
    unratable : str
        Value of an item that nobody can rate: "bound" (lower end for the lower side and upper end for the upper
        side, so the interval holds whatever its value), "worst" (lower end) or "best" (upper end).
    unratable_after : int
        Number of raters who could not rate an item before that rule applies.
    disagreement : float, optional
        Where the k ratings of an item differ by more than this, on the raters' scale, one more is asked for, and a lead
        may decide the item's value (see `Certifier.adjudicate`); needs k of 2 or more.
    above, below : float, optional
        Stop as well when the interval lies wholly above, or below, this value of the raters' scale.
    budget : int, optional
        Stop as well after this number of items.
    weights : str, optional
        Feature column to sample by; None samples uniformly.
    beta, theta, c : float, optional
        Floor of the sampling probabilities, hedge weight and truncation of the paper; None takes the preset's.
    bounds : str, optional
        "local" (from the q really used) or "global" (fixed, from beta).
    population_step : str, optional
        "hoeffding" or "kl".
    alpha_split : float, optional
        alpha1 / alpha under the population target; None takes the preset's, or the one with the fewest expected
        ratings. Under the pool target alpha1 = alpha.
    signal : str, optional
        "corrected", the signal of the paper's Eq. 1, whose mean is the pool's; or "raw", the ratings themselves.
        Drawn uniformly without replacement from an i.i.d. sample, ratings are one too, so that their mean is the
        population's; the mean of the next one is not the pool's.
    surrogate, bet : str, optional
        "fitted" (learnt from the ratings, see `surrogates`), "judge" or "none"; "hedged" or "target"; None takes the
        preset's.
    warm_start : dict, optional
        "fit": what a finished session had learnt (`Certifier.learnt`), used from the first draw on; "source": where it
        comes from. It is fixed before the first draw, so validity is untouched.
    task : str
        "single": raters score a response. "pairwise": they compare two, and the mean is a win rate (see `pairs`).
    aspects : tuple of Aspect
        What raters score beside the main aspect. The main one alone, which is on the pool's scale, drives the draws and
        the stopping rules; each other one has an interval of its own from the same draws (see `aspects`).
    main_aspect : str, optional
        The main aspect's name, "overall" where it is None and there are others.
    aspects_alpha : str
        "shared": the other aspects share one further alpha, so that all their intervals hold together with 1 - alpha.
        "each": each of them has it for itself.

    Raises
    ------
    ValueError
        A value outside what is said above.
    """

    width: float = 0.05
    alpha: float = 0.05
    target: str = "pool"
    preset: str = "target-aware"
    seed: int = 0
    ratings_per_item: int = 1
    aggregate: str = "mean"
    unratable: str = "bound"
    unratable_after: int = 2
    disagreement: float | None = None
    above: float | None = None
    below: float | None = None
    budget: int | None = None
    weights: str | None = None
    beta: float | None = None
    theta: float | None = None
    c: float | None = None
    bounds: str | None = None
    population_step: str | None = None
    alpha_split: float | None = None
    signal: str | None = None
    surrogate: str | None = None
    bet: str | None = None
    warm_start: dict[str, Any] | None = None
    task: str = "single"
    aspects: tuple[Aspect, ...] = ()
    main_aspect: str | None = None
    aspects_alpha: str = "shared"

    def __post_init__(self) -> None:
        check_preset(self.preset)
        for name, value in PRESETS[self.preset].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        if self.aspects and self.main_aspect is None:
            object.__setattr__(self, "main_aspect", "overall")
        check_fields(self)

    def resolved(self, pool: Pool) -> Design:
        """The design with the alpha split chosen for this pool, checked against it.

        Raises
        ------
        ValueError
            The pool has no feature of the name in `weights`, a weight is negative or missing, a threshold is
            outside the scale, or the pool is too small for the width under the population target; the smallest
            width within reach is named. Or raw ratings for another target than theirs (see `signal`).
        """
        check_pool(self, pool)
        if self.target == "pool":
            return self
        centre = float(pool.surrogate.mean())
        design = self
        if self.alpha_split is None:
            design = dataclasses.replace(self, alpha_split=self._best_split(pool.size))
        if design.half_width(pool.size, centre) <= 0.0:
            low, high = design.widen(centre, centre, pool.size)
            raise ValueError(
                f"design: width {self.width:g} is out of reach for the population of a pool of {pool.size} items: even "
                f"with every item rated the interval would be {high - low:.4f} wide (fraction of the scale, at the "
                f"judge's mean); ask for a larger width, take more items, or choose the pool as the target"
            )
        return design

    def _best_split(self, size: int) -> float:
        """The alpha split with the fewest ratings, for the mean nearest to the middle at which the width is in reach.

        It depends on N and the width alone: the pool is a sample, and a split chosen from its judge's mean would be
        chosen from the sample that the step to the population is about.
        """
        designs = [dataclasses.replace(self, alpha_split=share / 50) for share in range(2, 49)]
        for centre in (0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01):
            # ratings grow with (z / h)^2
            best = max(designs, key=lambda design: _ease(design, size, centre))
            if best.half_width(size, centre) > 0.0:
                break
        return float(best.alpha_split or 0.5)

    @property
    def alpha1(self) -> float:
        """Miscoverage of the interval for the pool mean."""
        return (
            self.alpha
            if self.target == "pool"
            else self.alpha * (0.5 if self.alpha_split is None else self.alpha_split)
        )

    @property
    def alpha2(self) -> float:
        """Miscoverage of the step from the pool to the population; 0 under the pool target."""
        return self.alpha - self.alpha1

    @property
    def aspect_alpha(self) -> float:
        """Miscoverage of the interval of each aspect beside the main one."""
        return self.alpha / len(self.aspects) if self.aspects_alpha == "shared" else self.alpha

    def widen(self, lower: float, upper: float, size: int) -> tuple[float, float]:
        """From an interval for the pool mean to one for the target, on [0, 1]."""
        if self.target == "pool":
            return lower, upper
        return STEPS[str(self.population_step)](lower, upper, size, self.alpha2)

    def half_width(self, size: int, centre: float) -> float:
        """Half the width that the pool interval around `centre` must reach; 0 where it can't."""
        return self.half_width_of(self.width, size, centre)

    def half_width_of(self, width: float, size: int, centre: float) -> float:
        """`half_width` for another target width."""
        if self.target == "pool":
            return width / 2

        def excess(half: float) -> float:
            low, high = self.widen(max(centre - half, 0.0), min(centre + half, 1.0), size)
            return high - low - width

        if excess(0.0) >= 0.0:
            return 0.0
        return root(excess, 0.0, width, 1e-9)

    def thresholds(self, pool: Pool) -> tuple[float | None, float | None]:
        """`above` and `below` on [0, 1], moved by what the step to the population takes."""
        step = self.width / 2 - self.aim(pool.size, float(pool.surrogate.mean()))
        above = None if self.above is None else pool.scale.to_unit(self.above) + step
        below = None if self.below is None else pool.scale.to_unit(self.below) - step
        return above, below

    def aim(self, size: int, centre: float) -> float:
        """The half width that the bets aim at: `half_width`, or a small one where that is out of reach."""
        return max(self.half_width(size, centre), self.width / 50)

    @property
    def global_bounds(self) -> tuple[float, float]:
        """Fixed bounds of every signal, -1/beta and 1 + 1/beta (METHOD 2), for the lowest floor that can come."""
        beta = float(self.beta or 1.0)
        reach = 1 / (min(beta, LOWEST_FLOOR) if self.surrogate == "fitted" else beta)
        return -reach, 1 + reach

    def to_dict(self) -> dict[str, Any]:
        """Every field as a JSON value; those that came later are left out where they are as they always were."""
        fields = dataclasses.asdict(dataclasses.replace(self, aspects=(), main_aspect=None))
        fields["aspects"] = [aspect.to_dict() for aspect in self.aspects]
        fields["main_aspect"] = self.main_aspect
        if self.task == "single":
            del fields["task"]
        if not self.aspects:
            for name in ("aspects", "main_aspect", "aspects_alpha"):
                del fields[name]
        return fields

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Design:
        """Read what `to_dict` wrote.

        Raises
        ------
        ValueError
            A field that no design has, or a value that none may have.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(fields) - known)
        if unknown:
            raise ValueError(
                f"design: no design has the field {unknown[0]!r}; was it made by a later version?"
            )
        aspects = tuple(map(Aspect.from_dict, fields.get("aspects", ())))
        return cls(**{**fields, "aspects": aspects})


def _ease(design: Design, size: int, centre: float) -> float:
    half = design.half_width(size, centre)
    if half <= 0.0:
        low, high = design.widen(centre, centre, size)
        return design.width - (high - low)
    return half / float(-ndtri(design.alpha1 / 2))
