"""The certifier: ask for a draw, tell its value, read the interval."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterator, Mapping

import numpy as np

from celeus_label.certify.design import Design
from celeus_label.certify.forecast import Forecast, by_information, by_width
from celeus_label.certify.inference import Inference
from celeus_label.certify.intervals import Interval
from celeus_label.certify.models import Model, Models
from celeus_label.certify.pool import Floats, Pool
from celeus_label.certify.proposals import Mask, Proposal, random_number
from celeus_label.certify.rounds import Draw, Round
from celeus_label.certify.series import Series
from celeus_label.certify.surrogates import Fit, Outlook, next_fit
from celeus_label.certify.urn import Urn

# The same for the coefficients of a fit, absolutely.
_SAME_FIT = 1e-7
# Rounds between two copies of the inference, kept so that a correction need not begin at the first round.
_CHECKPOINT = 100
# How far a recomputed probability may be from the recorded one, relatively: another machine's rounding.
_SAME = 1e-9


class Certifier:
    """The state of one session: a fold over its draws and ratings.

    Rounds count in the order of the draws. A round enters the interval when it and every round before it are
    finished, however late its rating arrived, so that slow items don't bias the result.

    Parameters
    ----------
    pool : Pool
    design : Design

    Examples
    --------
    >>> pool = Pool.from_frame({"item_id": ["a", "b", "c"], "judge_score": [2, 4, 5]}, scale=(1, 5))
    >>> certifier = Certifier(pool, Design(width=0.05, seed=7))
    >>> while not certifier.stopped:
    ...     draw = certifier.ask()
    ...     certifier.tell(draw, {"a": 1, "b": 4, "c": 4}[draw.item_id])
    >>> certifier.interval.status, round(certifier.interval.estimate, 9)
    ('target met', 3.0)
    """

    def __init__(self, pool: Pool, design: Design) -> None:
        self.pool = pool
        self.design = design.resolved(pool)
        self._models = Models(pool, self.design)
        self._model = self._models.first()
        self._fits: list[Fit] = []
        self._remaining = np.ones(pool.size, dtype=np.bool_)
        self._urn = self._model.urn(self._remaining)
        self._coming: tuple[Fit, Model, Urn] | None = None
        self._rounds: list[Round] = []
        self._inference = Inference(pool, self.design, self._model.surrogate)
        self._checkpoints = [copy.deepcopy(self._inference)]
        self._path = Series("lower", "upper", "estimate")
        self.late_changes = 0  # ratings corrected and values decided since the first of them after a stop
        self._turns: list[tuple[int, Design]] = []  # other widths, each with the draw it came after

    # --- draws -------------------------------------------------------------------------------------------------

    def propose(self) -> Draw | None:
        """The next draw, without making it; None where every item was drawn. Nothing changes."""
        if len(self._rounds) == self.pool.size:
            return None
        fit, _, urn = self._coming_fit() or (None, self._model, self._urn)
        round_ = len(self._rounds) + 1
        u = random_number(self._models.key, round_)
        position = urn.pick(u)
        q = urn.q(position)
        fits = len(self._fits) + (fit is not None)
        return Draw(round_, self.pool.item_ids[position], position, q, u, self.ratings, fits, fit)

    def _coming_fit(self) -> tuple[Fit, Model, Urn] | None:
        """The fit that the next draw is the first to use, its model, and the items left under it."""
        last = self._fits[-1].committed if self._fits else 0
        if not self._models.learns or self.ratings < next_fit(last):
            return None
        known = self._coming
        if known is None or known[0].committed != self.ratings or known[2].left != self._urn.left:
            fit = self._models.learn(self.rounds, self.design.aim(self.pool.size, self.estimate))
            if fit is None:
                return None
            model = self._models.fitted(fit)
            self._coming = fit, model, model.urn(self._remaining)
        return self._coming

    def adopt(self, fit: Fit) -> None:
        """Use a fit from the next draw on: the one that `propose` gave, or one read from a ledger.

        Raises
        ------
        ValueError
            No fit is due here, or another one than this.
        """
        coming = self._coming_fit()
        if coming is None:
            raise ValueError(
                f"fit {len(self._fits) + 1}: no fit is due after {self.ratings} committed rounds"
            )
        expected, model, urn = coming
        difference = fit.difference(expected, _SAME_FIT)
        if difference:
            raise ValueError(f"fit {len(self._fits) + 1}: {difference}")
        if fit != expected:  # another machine's rounding
            model = self._models.fitted(fit)
            urn = model.urn(self._remaining)
        self._model, self._urn = model, urn
        self._fits.append(fit)
        self._coming = None

    def add(self, draw: Draw) -> None:
        """Make a draw: the one that `propose` gave, or one read from a ledger.

        Raises
        ------
        ValueError
            The draw is not the one that the rule makes here; both are named.
        """
        if draw.fit is not None:
            self.adopt(draw.fit)
        expected = self.propose()
        if expected is None:
            raise ValueError(f"draw {draw.round}: every item of the pool was drawn before it")
        if expected.fit is not None:
            raise ValueError(f"draw {draw.round}: a fit is due before it")
        for name in ("round", "item_id", "position", "committed", "fits"):
            self._compare(draw, expected, name, getattr(draw, name) == getattr(expected, name))
        for name in ("q", "u"):
            same = math.isclose(getattr(draw, name), getattr(expected, name), rel_tol=_SAME)
            self._compare(draw, expected, name, same)
        known, outlook = self._urn.terms(draw.position), self._fresh_outlook(draw)
        self._rounds.append(Round(draw, known, outlook, self.design, self.pool.scale))
        self._remaining[draw.position] = False
        self._urn.take(draw.position)

    def _fresh_outlook(self, draw: Draw) -> Outlook | None:
        """What the signals should be like from this draw on, where its model is a new one."""
        warm = self._models.warm
        if not self._rounds and warm is not None and not self._fits:
            # another pool's residuals count for a few ratings only
            return dataclasses.replace(warm.outlook, ratings=min(warm.outlook.ratings, 20))
        before = self._rounds[-1].draw.fits if self._rounds else 0
        return self._fits[-1].outlook if draw.fits > before else None

    def _compare(self, draw: Draw, expected: Draw, name: str, same: bool) -> None:
        if not same:
            got, rule = getattr(draw, name), getattr(expected, name)
            raise ValueError(f"draw {draw.round}: its {name} is {got!r}, but the rule gives {rule!r}")

    def ask(self) -> Draw:
        """Draw the next item.

        Raises
        ------
        IndexError
            Every item of the pool was drawn.
        """
        draw = self.propose()
        if draw is None:
            raise IndexError(f"every one of the {self.pool.size} items was drawn; no item is left to ask for")
        self.add(draw)
        return draw

    # --- ratings -----------------------------------------------------------------------------------------------

    def tell(
        self,
        draw: Draw | int,
        value: float,
        rater: str = "rater",
        aspects: Mapping[str, float] | None = None,
    ) -> None:
        """Add a rating of a draw, on the raters' scale.

        Where the design has further aspects, `aspects` has the value of each by its name, on its scale.

        Raises
        ------
        ValueError
            A value is not on its scale or missing, or this rater rated this draw before, or it is finished.
        """
        self._round(draw).rate(rater, value, aspects)
        self._commit()

    def announce_further(self, draw: Draw | int, wanted: int) -> None:
        """Note that a ledger asks for a further rating of a draw; its next rating must then be the reason.

        Raises
        ------
        ValueError
            The design has no such rule, or the rule can't ask for it here.
        """
        self._round(draw).announce_further(wanted)

    def cannot_rate(self, draw: Draw | int, rater: str = "rater") -> None:
        """Note that a rater could not rate a draw; after `unratable_after` of them the design's rule applies."""
        round_ = self._round(draw)
        round_.unable.add(rater)
        self._commit()

    def correct(
        self,
        draw: Draw | int,
        value: float,
        rater: str = "rater",
        aspects: Mapping[str, float] | None = None,
    ) -> None:
        """Replace a rater's rating of a draw; the interval is recomputed with the q that were really used.

        `aspects` is as for `tell`.

        Raises
        ------
        ValueError
            A value is not on its scale or missing, or this rater has not rated this draw.
        """
        round_, late = self._round(draw), self.stopped or self.late_changes > 0
        round_.correct(rater, value, aspects)
        self._changed(round_, late)

    def adjudicate(self, draw: Draw | int, value: float) -> None:
        """Decide the value of a draw whose first ratings differ by more than the design allows.

        The ratings stay as they are. It may be decided before the further rating or after it, and again.

        Raises
        ------
        ValueError
            The value is not on the scale, or the ratings of the draw don't differ that much.
        """
        round_, late = self._round(draw), self.stopped or self.late_changes > 0
        round_.decide(value)
        self._changed(round_, late)

    def adjudicated(self, draw: Draw | int) -> float | None:
        """The value that was decided for a draw, on the raters' scale."""
        return self._round(draw).decided

    def _changed(self, round_: Round, late: bool) -> None:
        self.late_changes += late
        if round_.draw.round <= self.ratings:
            del self._checkpoints[(round_.draw.round - 1) // _CHECKPOINT + 1 :]
            self._inference = copy.deepcopy(self._checkpoints[-1])
            self._path.cut(self._inference.rounds)
        self._commit()

    def go_on(self, width: float) -> None:
        """Aim at another width from now on, usually a smaller one; allowed at any time.

        Raises
        ------
        ValueError
            The width is not in (0, 1).
        """
        if not 0 < width < 1:
            raise ValueError(f"width must lie in (0, 1), got {width}")
        self.design = dataclasses.replace(self.design, width=width)
        # a draw whose item, or whose rating, may be known already keeps the bets of the width it was drawn under
        self._turns.append((self.draws, self.design))

    def stop_at(self, above: float | None, below: float | None, budget: int | None) -> None:
        """Stop by these rules, beside the width, from now on; allowed at any time, and the bets stay as they are.

        Raises
        ------
        ValueError
            A threshold is outside the scale, or the budget is no whole number of 1 or more.
        """
        for name, value in (("above", above), ("below", below)):
            if value is not None and not self.pool.scale.lower <= value <= self.pool.scale.upper:
                raise ValueError(f"{name} is {value:g}, outside the scale {self.pool.scale}")
        self.design = dataclasses.replace(self.design, above=above, below=below, budget=budget)

    def retrace(self, after: int = 0) -> Iterator[tuple[Round, Floats, Proposal]]:
        """Each committed round but the first `after` again, with the surrogate, (N,), and the proposal of its draw."""
        model, used = None, 0
        for round_ in self._rounds[after : self.ratings]:
            if model is None or round_.draw.fits > used:
                used = round_.draw.fits
                model = self._models.fitted(self._fits[used - 1]) if used else self._models.first()
            yield round_, model.surrogate, model.proposal

    def item_id(self, draw: Draw | int) -> str:
        """The item of a draw."""
        return self._round(draw).draw.item_id

    def _round(self, draw: Draw | int) -> Round:
        number = draw if isinstance(draw, int) else draw.round
        if not 1 <= number <= len(self._rounds):
            raise ValueError(f"draw {number}: no such draw; {len(self._rounds)} were made")
        return self._rounds[number - 1]

    # --- rounds into the interval ------------------------------------------------------------------------------

    def _commit(self) -> None:
        while self.ratings < len(self._rounds) and self._rounds[self.ratings].finished:
            # bets are those of the width in force at the time, also where a correction has them made anew
            while self._inference.turns < len(self._turns):
                after, design = self._turns[self._inference.turns]
                if after > self.ratings:
                    break
                self._inference.go_on(design)
            round_ = self._rounds[self.ratings]
            self._inference.commit(round_.terms, *round_.value, round_.outlook)
            self._path.append(self._inference.lower, self._inference.upper, self._inference.estimate)
            if self.ratings % _CHECKPOINT == 0:
                self._checkpoints.append(copy.deepcopy(self._inference))

    @property
    def last_round(self) -> tuple[Floats, Floats, Mask]:
        """Surrogate, probabilities and items left of the last draw, each of shape (N,), for studies.

        Raises
        ------
        ValueError
            Nothing was drawn yet.
        """
        if not self._rounds:
            raise ValueError("nothing was drawn yet")
        before = self._remaining.copy()
        before[self._rounds[-1].draw.position] = True
        return self._model.surrogate, self._model.proposal.probabilities(before), before

    @property
    def learnt(self) -> Fit | None:
        """The last fit; the `warm_start` of another session may begin with it."""
        return self._fits[-1] if self._fits else self._models.warm

    def forecast(self) -> Forecast | None:
        """Ratings still needed to reach the target; None where nothing can be said yet."""
        if self.stopped:
            return Forecast(0, 0, 0)
        left = self.pool.size - self.ratings
        variance, jump, information = self._inference.outlook(left)
        half = self.design.aim(self.pool.size, self.estimate)
        if information is None:
            lower, upper = self._inference.lower, self._inference.upper
            return by_width(self.ratings, left, (upper - lower) / 2, half)
        return by_information(self.ratings, left, variance, jump, information, half)

    # --- what is known -----------------------------------------------------------------------------------------

    @property
    def draws(self) -> int:
        """Number of draws made."""
        return len(self._rounds)

    @property
    def ratings(self) -> int:
        """Number of rounds in the interval."""
        return self._inference.rounds

    @property
    def rounds(self) -> list[Round]:
        """The rounds in the interval, in the order of the draws."""
        return self._rounds[: self.ratings]

    @property
    def estimate(self) -> float:
        """Point estimate of the pool mean on [0, 1]."""
        return self._inference.estimate

    @property
    def trajectory(self) -> dict[str, Floats]:
        """Arrays "lower", "upper" (for the pool mean, on [0, 1]) and "estimate" after each committed round."""
        return {name: self._path[name].copy() for name in ("lower", "upper", "estimate")}

    @property
    def unit_interval(self) -> tuple[float, float]:
        """The interval for the target on [0, 1]."""
        lower, upper = self._inference.lower, self._inference.upper
        return (lower, upper) if lower > upper else self.design.widen(lower, upper, self.pool.size)

    @property
    def status(self) -> str:
        """One of "open", "target met", "budget spent", "exhausted", "contradicted"."""
        lower, upper = self.unit_interval
        scale = self.pool.scale
        if lower > upper:
            return "contradicted"
        if upper - lower <= self.design.width:
            return "target met"
        if self.design.above is not None and lower > scale.to_unit(self.design.above):
            return "target met"
        if self.design.below is not None and upper < scale.to_unit(self.design.below):
            return "target met"
        if self.ratings == self.pool.size:
            return "exhausted"
        if self.design.budget is not None and self.ratings >= self.design.budget:
            return "budget spent"
        return "open"

    @property
    def stopped(self) -> bool:
        """Whether no further draw is needed."""
        return self.status != "open"

    @property
    def interval(self) -> Interval:
        """The interval on the raters' scale."""
        lower, upper = self.unit_interval
        scale = self.pool.scale
        return Interval(
            lower=scale.from_unit(lower),
            upper=scale.from_unit(upper),
            estimate=scale.from_unit(self.estimate),
            ratings=self.ratings,
            status=self.status,
            width=upper - lower,
        )
