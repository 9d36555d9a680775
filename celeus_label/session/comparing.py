"""What a session's ratings would have been worth to other systems."""

from __future__ import annotations

import numpy as np

from celeus_label.certify import Pool
from celeus_label.certify.pool import Floats
from celeus_label.session.base import Base
from celeus_label.session.types import Identity


class Comparing(Base):
    """Reads only, and for leads only."""

    def known_values(self, who: Identity, session: int) -> tuple[Pool, Floats]:
        """The pool, and the value of each item that is in the interval, on the raters' scale; NaN for the others."""
        self._check(who, "lead", session)
        with self._certifier(session) as certifier:
            pool, rounds = certifier.pool, list(certifier.rounds)
        values = np.full(pool.size, np.nan)
        for round_ in rounds:
            low, high = round_.value
            if low == high:  # an item that nobody could rate has no value
                values[round_.draw.position] = pool.scale.from_unit(low)
        return pool, values
