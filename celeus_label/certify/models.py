"""What a draw is made with: a surrogate and a proposal, as the design says at first and as was learnt later."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from celeus_label.certify.design import Design
from celeus_label.certify.features import Features
from celeus_label.certify.pool import Floats, Pool
from celeus_label.certify.proposals import Mask, Proposal
from celeus_label.certify.rounds import Round
from celeus_label.certify.surrogates import Fit, learn, surrogate_of, weights_of
from celeus_label.certify.urn import Urn


@dataclass(frozen=True)
class Model:
    """A surrogate, shape (N,) in [0, 1], and a proposal."""

    surrogate: Floats
    proposal: Proposal

    def urn(self, remaining: Mask) -> Urn:
        """The items left, ready to be drawn from."""
        return Urn(self.surrogate, self.proposal, remaining)


class Models:
    """Makes the models of a session.

    Parameters
    ----------
    pool : Pool
    design : Design
        Resolved for the pool.
    """

    def __init__(self, pool: Pool, design: Design) -> None:
        self._pool, self._design = pool, design
        self._features = Features(pool) if design.surrogate == "fitted" else None
        warm = design.warm_start
        self.warm = None if warm is None else Fit.from_dict(warm["fit"])
        # a warm start must not draw again the items that its fit was learnt from, whatever seed it is given
        mixed = "" if warm is None else hashlib.sha256(json.dumps(warm, sort_keys=True).encode()).hexdigest()
        self.key = design.seed + (int(mixed[:16], 16) << 64 if mixed else 0)
        """Of the random numbers that draw the items."""

    @property
    def learns(self) -> bool:
        """Whether there is anything to fit."""
        return self._features is not None

    def first(self) -> Model:
        """The model before anything was learnt."""
        if self.warm is not None:
            return self.fitted(self.warm)
        pool, design = self._pool, self._design
        weights = None if design.weights is None else pool.features[design.weights]
        proposal = Proposal(weights, float(design.beta or 1.0))
        if design.surrogate == "judge":
            return Model(pool.surrogate, proposal)
        # a constant, whatever its value, can't add variance under uniform draws, as a bad judge would
        constant = 0.0 if design.surrogate == "none" else float(pool.surrogate.mean())
        return Model(np.full(pool.size, constant), proposal)

    def fitted(self, fit: Fit) -> Model:
        """The model of a fit."""
        assert self._features is not None
        return Model(surrogate_of(self._features, fit), Proposal(weights_of(self._features, fit), fit.beta))

    def learn(self, rounds: Sequence[Round], half_width: float) -> Fit | None:
        """A fit to the committed rounds; None where nearly all of them were unratable.

        Parameters
        ----------
        rounds : sequence of Round
        half_width : float
            Half the width to reach, on [0, 1].
        """
        assert self._features is not None
        rated = [(round_, *round_.value) for round_ in rounds]
        known = [(round_, low) for round_, low, high in rated if low == high]
        if len(known) < 2:
            return None
        positions = np.array([round_.draw.position for round_, _ in known], dtype=np.intp)
        y = np.array([value for _, value in known])
        q = np.array([round_.terms.q for round_, _ in known])
        left = np.array([float(round_.terms.left) for round_, _ in known])
        earlier = None if self.warm is None else self.warm.surrogate
        return learn(self._features, len(rounds), positions, y, q, left, half_width, earlier)
