"""When a session stops, changed while it runs; and putting a finished one away."""

from __future__ import annotations

from celeus_label.session.base import Base
from celeus_label.session.types import Identity


class Stopping(Base):
    """Each change is an event: an interval that holds at any moment holds whichever rule ends the session."""

    def stop_at(
        self,
        who: Identity,
        session: int,
        above: float | None = None,
        below: float | None = None,
        budget: int | None = None,
    ) -> None:
        """Stop by these rules beside the width: above or below a value of the scale, after so many items.

        Raises
        ------
        ValueError
            A threshold is outside the scale, or the budget is below 1.
        """
        self._check(who, "lead", session)
        scale = self._loaded(session).pool.scale
        for name, value in (("above", above), ("below", below)):
            if value is not None and not scale.lower <= value <= scale.upper:
                raise ValueError(f"{name} is {value:g}, outside the scale {scale}")
        if budget is not None and budget < 1:
            raise ValueError(f"the budget is {budget}; it must be at least 1 item")
        body = {"above": above, "below": below, "budget": budget}
        self.store.append(session, "stopping", body, self._clock())

    def archive(self, who: Identity, session: int, archived: bool = True) -> None:
        """Put a session away, or take it back: while it is away nobody is given an item of it."""
        self._check(who, "lead", session)
        self.store.append(session, "archive", {"archived": archived, "by": who.person}, self._clock())
